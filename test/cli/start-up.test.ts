/** What a command has to load before it does anything: a package that one of them alone needs would slow down all. */
import { isBuiltin } from 'node:module';

import { build } from 'esbuild';
import { expect, test } from 'vitest';

const PROGRAM = 'src/cli/program/program.ts';
const COMMANDS = ['status', 'sql', 'export', 'forget', 'migrate'];
const fileOf = (command: string) => `src/cli/commands/warehouse/${command}.ts`;

const { metafile } = await build({
  entryPoints: [PROGRAM, ...COMMANDS.map(fileOf)],
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

function packagesOf(file: string): readonly string[] {
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

test('help and version load the parser of the command line alone', () => {
  expect(packagesOf(PROGRAM)).toEqual(['commander', 'drizzle-orm/errors']);
});

test.each(COMMANDS)('%s, which sends no request to a shop, loads no HTTP client', (command) => {
  const packages = packagesOf(fileOf(command));
  expect(packages).toContain('pg');
  expect(packages).not.toContain('undici');
  expect(packages).not.toContain('ky');
});
