import { spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { mainScript, runCommand } from '../support/command-line.ts';
import { freshDatabase } from '../support/database.ts';

const WITHIN_MS = 60_000;
const hasTerminals = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
if (!hasTerminals)
  process.stdout.write('init: no `script` to make a terminal with; those tests are skipped\n');

let folder: string;
let simulator: Simulator;
/** No `ORDER_SYNC_CONFIG`: the file of the folder counts. */
const DEFAULT_FILE = { ORDER_SYNC_CONFIG: '' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'order-sync-init Пример-'));
  simulator = await startSimulator({ orders: 60, days: 10 });
});
afterAll(async () => {
  await simulator.close();
  await rm(folder, { recursive: true, force: true });
});

const login = () => ({ SHOP_URL: simulator.url, SHOP_LOGIN: 'admin', SHOP_API_KEY: 'simulated-key' });

test('init --from-env writes a file for its owner alone, and commands use it beneath the environment', async () => {
  await mkdir(join(folder, '.git'));
  await using database = await freshDatabase();
  const given = { ...DEFAULT_FILE, ...login(), SHOP_TIMEZONE: 'Europe/Berlin', DATABASE_URL: database.url };
  const outcome = await runCommand(['init', '--from-env'], { ...given, SHOP_MAX_RPS: '500' }, folder);
  expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' });
  expect(outcome.stdout).toMatch(/60 orders; .* about \d+ s, \d+ requests and 1 MB .* 500 requests a second/);
  expect(outcome.stdout).toMatch(/added it to .gitignore.*\nNext: order-sync backfill\n$/);
  const path = join(folder, 'order-sync.env');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('/order-sync.env\n');

  const loaded = await runCommand(['backfill', '--json'], DEFAULT_FILE, folder);
  expect(JSON.parse(loaded.stdout)).toMatchObject({ shop: 'default', status: 'ok' });
  const renamed = await runCommand(
    ['check', '--json', '--config', 'order-sync.env'],
    { SHOP_KEY: 'other' },
    folder,
  );
  expect(JSON.parse(renamed.stdout)).toMatchObject({ shop: 'other' });

  const again = await runCommand(['init', '--from-env'], given, folder);
  expect(again).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/exists already; --force/),
  });
  const forced = await runCommand(['init', '--from-env', '--force'], given, folder);
  expect(forced.stdout).not.toMatch(/gitignore/);
  expect(await readFile(path, 'utf8')).not.toMatch(/SHOP_MAX_RPS/);
});

test('init writes nothing that the shop refuses, and asks for a zone that it does not know', async () => {
  const given = { ...login(), ORDER_SYNC_CONFIG: 'refused.env' };
  const wrong = await runCommand(
    ['init', '--from-env'],
    { ...given, SHOP_TIMEZONE: 'UTC', SHOP_API_KEY: 'canary-key' },
    folder,
  );
  expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/HTTP 401/) });
  expect(wrong.stderr).not.toMatch(/canary-key/);
  const unknown = await runCommand(['init', '--from-env'], given, folder);
  expect(unknown).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/SHOP_TIMEZONE is not set; perhaps \S+:/),
  });
  const silent = await runCommand(['init'], given, folder);
  expect(silent).toMatchObject({ code: 2, stderr: expect.stringMatching(/needs a terminal; --from-env/) });
  expect(await readdir(folder)).not.toContain('refused.env');
});

test('a settings file that is asked for must exist and be readable', async () => {
  const absent = await runCommand(['status', '--config', 'absent.env'], {}, folder);
  expect(absent).toMatchObject({ code: 2, stderr: expect.stringMatching(/absent.env: it does not exist/) });
  const closed = join(folder, 'folder.env');
  await mkdir(closed);
  const unreadable = await runCommand(['status'], { ORDER_SYNC_CONFIG: closed }, folder);
  expect(unreadable).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/folder.env: it cannot be read/),
  });
  expect((await runCommand(['status', '--help'], { ORDER_SYNC_CONFIG: closed }, folder)).code).toBe(0);
});

test.skipIf(!hasTerminals)(
  'init asks on a terminal until the shop lets it in, and does not show the key',
  async () => {
    const { output, code } = await answer(
      ['init', '--config', 'asked.env'],
      [
        ['Address', 'shop.example\r'],
        ['must be an address', `\u0015${simulator.url}\r`],
        ['login', 'admin\r'],
        ['API key', 'wrong-key\r'],
        ['HTTP 401', ''],
        ['Address', '\r'],
        ['login', '\r'],
        ['API key', 'simulated-key\r'],
        ['Time zone', '\u0015Europe/Berlin\r'],
      ],
    );
    expect(output).toMatch(/60 orders/);
    expect(output).not.toMatch(/wrong-key|simulated-key/);
    expect(code).toBe(0);
    const file = await readFile(join(folder, 'asked.env'), 'utf8');
    expect(file).toMatch(/SHOP_API_KEY='simulated-key'\nSHOP_TIMEZONE='Europe\/Berlin'\n$/);
  },
);

test.skipIf(!hasTerminals)('Ctrl-C ends the questions and writes nothing', async () => {
  const { output, code } = await answer(['init', '--config', 'left.env'], [['Address', '\u0003']]);
  expect(output).toMatch(/Cancelled; nothing was written/);
  expect(code).toBe(130);
  expect(await readdir(folder)).not.toContain('left.env');
});

/** Runs a command in a terminal of 80 columns, and types each answer when its question is on the screen. */
async function answer(args: readonly string[], steps: readonly (readonly [string, string])[]) {
  const command = [process.execPath, mainScript(), ...args].map((part) => `'${part}'`).join(' ');
  const child = spawn('script', ['-qec', `stty cols 80 rows 24; exec ${command}`, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TERM: 'xterm' },
    signal: AbortSignal.timeout(WITHIN_MS),
  });
  let [output, seen] = ['', 0];
  const left = [...steps];
  child.stdout.on('data', (chunk: Buffer) => {
    output += stripVTControlCharacters(chunk.toString());
    for (let next = left[0]; next !== undefined; next = left[0]) {
      const at = output.indexOf(next[0], seen);
      if (at === -1) return;
      seen = at + next[0].length;
      left.shift();
      child.stdin.write(next[1]);
    }
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  expect(left, output).toEqual([]);
  return { output, code };
}
