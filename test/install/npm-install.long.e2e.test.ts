/** The package installed by npm, as people do it, which fetches the dependencies. */
import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { VERSION } from '../../src/model/program.ts';
import { settingsFor } from '../support/command-line.ts';
import { openFolder } from '../support/scratch-folder.ts';
import { npm, packProgram } from './packed.ts';

/** Without the script of the embedded PostgreSQL, which npm asks about: order-sync then does what it would do. */
const FLAGS = ['--prefer-offline', '--ignore-scripts', '--omit=dev'];

describe('the package, installed by npm', () => {
  let opened: Awaited<ReturnType<typeof openFolder>>;
  let folder: string;
  let tarball: string;

  beforeAll(async () => {
    opened = await openFolder('install');
    folder = opened.path;
    ({ tarball } = await packProgram(folder));
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  test('npx runs it in a project, with the embedded PostgreSQL', async () => {
    await using simulator = await startSimulator({ orders: 30, days: 5 });
    const project = join(folder, 'Мой магазин 1');
    await mkdir(project);
    await npm(['install', ...FLAGS, tarball], project);
    const { DATABASE_URL: _embedded, ...settings } = settingsFor(simulator, '');
    const npx = async (...args: readonly string[]) =>
      start('npx', ['order-sync', ...args], project, settings);
    expect(await npx('--version')).toBe(`${VERSION}\n`);
    expect(await npx('--help')).toMatch(/^Usage: order-sync/);
    expect(await npx('check')).toMatch(/30 orders/);
    expect(JSON.parse(await npx('backfill', '--json'))).toMatchObject({ status: 'ok' });
    expect(await npx('sql', 'SELECT count(*) AS orders FROM orders', '--format', 'csv')).toBe('orders\n30\n');
    expect(await readdir(join(project, 'node_modules/order-sync/docs'))).toContain('settings.md');
  });

  test('npm install --global makes it a command, and npm uninstall --global leaves nothing', async () => {
    const prefix = join(folder, 'Для всех');
    const where = ['--prefix', prefix];
    await npm(['install', '--global', ...where, ...FLAGS, tarball], folder);
    expect(await start(join(prefix, 'bin/order-sync'), ['--version'], folder, {})).toBe(`${VERSION}\n`);
    await npm(['uninstall', '--global', ...where, 'order-sync'], folder);
    const left = await readdir(prefix, { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => !entry.isDirectory()).map(({ name }) => name)).toEqual([]);
  });
});

/** @returns what it printed on standard output @throws Error with all of it when the program fails */
async function start(
  program: string,
  args: readonly string[],
  cwd: string,
  settings: Readonly<Record<string, string>>,
): Promise<string> {
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const env = { ...process.env, ...settings, PATH };
  return (await promisify(execFile)(program, args, { cwd, env })).stdout;
}
