/** What a command has to load before it does anything: a package that one of them alone needs would slow down all. */
import { isBuiltin } from 'node:module';

import { build } from 'esbuild';
import { expect, test } from 'vitest';

async function packagesOf(file: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    outdir: 'unused',
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    metafile: true,
    logLevel: 'silent',
  });
  const [seen, next, packages] = [new Set<string>(), [file], new Set<string>()];
  for (let path = next.pop(); path !== undefined; path = next.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    for (const { kind, external, path: imported } of metafile.inputs[path]?.imports ?? []) {
      if (kind === 'dynamic-import' || isBuiltin(imported)) continue;
      if (external === true) packages.add(imported);
      else next.push(imported);
    }
  }
  return [...packages].toSorted();
}

test('help and version load the parser of the command line alone', async () => {
  expect(await packagesOf('src/cli/program/program.ts')).toEqual(['commander', 'drizzle-orm/errors']);
});

test.each(['status', 'sql', 'explain', 'export', 'forget', 'migrate'])(
  '%s, which asks no shop, loads no HTTP client',
  async (command) => {
    const packages = await packagesOf(`src/cli/commands/warehouse/${command}.ts`);
    expect(packages).toContain('pg');
    expect(packages).not.toContain('undici');
    expect(packages).not.toContain('ky');
  },
);
