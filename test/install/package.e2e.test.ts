/** What npm publishes, run where it may end up. `npm-install.long.e2e.test.ts` installs it with its dependencies. */
import { execFile, spawnSync } from 'node:child_process';
import { glob, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { VERSION } from '../../src/model/program.ts';
import { runCommand, settingsFor } from '../support/command-line.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { everyday } from '../support/long.ts';
import { packProgram } from './packed.ts';

const MIN_NODE_VERSION = 26;
const ROOT = join(import.meta.dirname, '../..');

let database: TestDatabase;
let folder: string;
let program: string;
let packed: Awaited<ReturnType<typeof packProgram>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'order-sync-package-'));
  [database, packed] = await Promise.all([freshDatabase(), packProgram(folder)]);
  program = join(folder, 'Мой магазин 1', 'package');
  await mkdir(join(folder, 'Мой магазин 1'));
  await promisify(execFile)('tar', ['-xf', packed.tarball, '-C', join(program, '..')]);
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test('the package has the program, its migrations and its documentation, and nothing else', async () => {
  const of = async (pattern: string) => Array.fromAsync(glob(pattern, { cwd: packed.checkout }));
  const files = (await readdir(packed.checkout, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(packed.checkout.length + 1));
  const isMeant =
    /^(dist|docs|drizzle\/functions|drizzle\/views)\/|^drizzle\/[^/]+\.sql$|^(README|CHANGELOG)\.md$|^LICENSE$|^package\.json$/;
  expect(packed.paths.toSorted()).toEqual(files.filter((path) => isMeant.test(path)).toSorted());
  expect(packed.paths).toEqual(
    expect.arrayContaining(['dist/main.js', 'dist/licenses.txt', 'docs/settings.md']),
  );
  expect(packed.paths).toEqual(
    expect.arrayContaining([...(await of('drizzle/*.sql')), ...(await of('docs/images/*'))]),
  );
  expect(packed.paths.filter((path) => /\.(ts|map|env)$/.test(path))).toEqual([]);
  for (const path of packed.paths.filter((each) => each.startsWith('dist/'))) {
    expect((await readFile(join(packed.checkout, path), 'utf8')).includes(ROOT), path).toBe(false);
  }
});

test('the program runs from a folder with spaces and Cyrillic letters, without any other package', async () => {
  await using simulator = await startSimulator({ orders: 5, days: 2 });
  const cwd = join(program, '..');
  const run = async (...args: readonly string[]) => {
    const env = { ...settingsFor(simulator, database.url), PATH: process.env['PATH'] };
    return promisify(execFile)(process.execPath, [join(program, 'dist/main.js'), ...args], { cwd, env });
  };
  expect((await run('--version')).stdout).toBe(`${VERSION}\n`);
  expect((await run('--help')).stdout).toMatch(/^Usage: order-sync/);
  expect(JSON.parse((await run('backfill', '--json')).stdout)).toMatchObject({ status: 'ok' });
});

test('an older Node.js is refused with a sentence', async () => {
  const main = join(program, 'dist/main.js');
  const older = ['node', '/usr/bin/node', '/usr/local/bin/node'].filter((node) => {
    const [major = ''] = /\d+/.exec(spawnSync(node, ['--version']).stdout?.toString() ?? '') ?? [];
    return major !== '' && Number(major) < MIN_NODE_VERSION;
  });
  const fake = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.2' } })`;
  const starts = [
    ...older.map((node) => [node, main]),
    [process.execPath, '--import', `data:text/javascript,${fake}`, main],
  ];
  for (const [node = '', ...args] of starts) {
    const { status, stdout, stderr } = spawnSync(node, [...args, 'status'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect({ node, status, stdout }).toEqual({ node, status: 2, stdout: '' });
    expect(stderr).toMatch(
      /^order-sync needs Node\.js 26 or later; this is \d+\.\d+\.\d+\. `npm install node@26` .*\n$/,
    );
  }
});

const PLATFORMS = [
  {
    name: 'Windows',
    fake: `Object.defineProperty(process, 'platform', { value: 'win32' })`,
    says: /no embedded PostgreSQL for win32-x64 here: set DATABASE_URL .* WSL 2/,
  },
  {
    name: 'riscv64',
    fake: `Object.defineProperty(process, 'arch', { value: 'riscv64' })`,
    says: /no embedded PostgreSQL for linux-riscv64 here: set DATABASE_URL/,
  },
];

test.each(PLATFORMS)('on $name the embedded PostgreSQL says that it does not run', async (platform) => {
  const { fake, says } = platform;
  const cwd = await mkdtemp(join(folder, 'foreign-'));
  const refused = await runCommand(['status'], { ...asOn(fake), SHOP_URL: 'https://shop.example' }, cwd);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(says) });
});

test.each(everyday(PLATFORMS, 'Windows'))('on $name, all is well with DATABASE_URL', async ({ fake }) => {
  const outcome = await runCommand(['status'], { ...asOn(fake), DATABASE_URL: database.url }, folder);
  expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
});

const asOn = (fake: string) => ({
  NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(fake)}"`,
});
