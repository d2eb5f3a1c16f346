import { readdir } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { runCommand, settingsFor } from '../support/command-line.ts';
import { jsonLines } from '../support/json-lines.ts';
import { freePort } from '../support/listen.ts';
import { freshDatabase } from '../support/database.ts';
import { type InProcess, runInProcess } from '../support/run-in-process.ts';
import { openFolder } from '../support/scratch-folder.ts';
import { openShop } from '../support/shop-of-commands.ts';

/** What a shop needs beside its address. */
const ACCESS = { SHOP_LOGIN: 'admin', SHOP_API_KEY: 'key', SHOP_TIMEZONE: 'UTC' };

const SHOP_COMMANDS = ['check', 'sync', 'backfill', 'login-link'];
const argsOf = (command: string) => (command === 'login-link' ? [command, '--login', 'someone'] : [command]);

/** All but a few run in this process: a code and a text leave a process in the same way, whatever they say. */
const run = (args: readonly string[], env: Readonly<Record<string, string>>): Promise<InProcess> =>
  runInProcess(args, { ORDER_SYNC_CONFIG: '/dev/null', ...env });

/** One screen, the right code, no stack trace. */
function expectSentence(
  outcome: Pick<InProcess, 'stderr'> & { readonly code: number | null },
  code: number,
): void {
  expect(outcome.code, outcome.stderr).toBe(code);
  expect(outcome.stderr).not.toMatch(/^\s+at /m);
  expect(outcome.stderr.trim().split('\n').length).toBeLessThanOrEqual(20);
}

test.concurrent.each([
  ...['status', 'rejections', 'replay', 'fields', 'statuses', 'shops', 'migrate', 'db'].map((name) => [name]),
  ['sql', 'SELECT 1'],
  ['sql', '--demo', 'SELECT 1'],
  ['export', '--to', 'lake'],
  ['forget', '--email', 'a@b.example'],
  ['shops', 'pause', 'north'],
  ...['sync', 'backfill', 'verify', 'worker', 'check'].map((name) => [name]),
])(
  '%s %s on a terminal, in a folder without settings, says what is missing and creates nothing',
  async (...args) => {
    await using folder = await openFolder('no-settings');
    const env = { ORDER_SYNC_CONFIG: '' };
    const outcome = await runInProcess(args, env, undefined, undefined, 100, folder.path);
    expectSentence(outcome, 2);
    expect(outcome.stdout).toBe('');
    const expected = args.includes('--demo') ? 'no demo in this folder yet' : 'order-sync.env';
    expect(outcome.stderr).toContain(expected);
    expect(await readdir(folder.path)).toEqual([]);
  },
);

test.concurrent('missing settings are named, and nothing else', async () => {
  const none = await runCommand(['sync'], { ORDER_SYNC_CONFIG: '/dev/null' });
  expectSentence(none, 2);
  for (const name of ['SHOP_URL', 'SHOP_LOGIN', 'SHOP_API_KEY', 'SHOP_TIMEZONE'])
    expect(none.stderr).toContain(name);
  for (const command of SHOP_COMMANDS) {
    const half = await run(argsOf(command), { SHOP_URL: 'https://shop.example', SHOP_LOGIN: 'admin' });
    expectSentence(half, 2);
    expect(half.stderr).toMatch(/2 settings[^]*SHOP_API_KEY[^]*SHOP_TIMEZONE/);
    expect(half.stderr).not.toContain('SHOP_LOGIN is');
  }
});

test.concurrent('the reason why a worker cannot start is one line of its log', async () => {
  const shop = { ...ACCESS, SHOP_URL: 'http://127.0.0.1:9' };
  const lines = async (env: Readonly<Record<string, string>>, code: number) => {
    const { stderr, ...outcome } = await run(['worker'], env);
    expect(outcome, stderr).toMatchObject({ code, stdout: '' });
    expect(stderr).not.toMatch(/order-sync (init|demo)|hidden/);
    return stderr
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
  };
  const time = expect.stringMatching(/^\d{4}-/);
  const wrong = 'One setting is missing or wrong: SHOP_TIMEZONE is not set';
  expect(await lines({ ...shop, SHOP_TIMEZONE: '', LOG_LEVEL: 'silent' }, 2)).toEqual([
    { level: 'fatal', time, msg: expect.stringContaining(wrong) },
  ]);
  const away = await lines(
    { ...shop, DATABASE_URL: `postgres://user:hidden@127.0.0.1:${await freePort()}/db` },
    1,
  );
  expect(away).toEqual([
    { level: 'fatal', time, msg: expect.stringContaining('nothing is listening there') },
  ]);
});

test.concurrent.each([
  { args: ['backfill', '--from', '2024-02-31'], says: '--from' },
  { args: ['verify', '--to', '2201-01-01'], says: 'the years 1970 to 2200' },
  { args: ['backfill', '--from', '2024-03-01', '--to', '2024-02-01'], says: 'later' },
  { args: ['login-link'], says: '--email' },
  { args: ['sync', '--fast'], says: '--fast' },
  { args: ['synk'], says: 'synk' },
  { args: ['simulate', '--orders', 'many'], says: '--orders' },
  { args: ['simulate', '--dialect', 'moods=many'], says: 'moods' },
])('wrong usage exits 2 with a reason: $args', async ({ args, says }) => {
  const outcome = await run(args, { ...ACCESS, SHOP_URL: 'http://127.0.0.1:9' });
  expectSentence(outcome, 2);
  expect(outcome.stderr).toContain(says);
});

test.concurrent('a wrong API key is named as the cause, and recorded with the run', async () => {
  await using shop = await openShop({ orders: 20 }, { SHOP_API_KEY: 'not-the-key' });
  for (const command of SHOP_COMMANDS) {
    const outcome = await shop.run(argsOf(command));
    expectSentence(outcome, 1);
    expect(outcome.stderr).toMatch(/does not accept the login and API key.*check both/);
    expect(outcome.stderr).not.toContain('not-the-key');
  }
  expect(jsonLines((await shop.run('status --json')).stdout)).toMatchObject([
    { runs: [{ kind: 'backfill', status: 'failed' }, { kind: 'sync' }] },
  ]);
});

test.concurrent('an unreachable shop is named as the cause, and --debug adds the stack', async () => {
  await using database = await freshDatabase();
  const env = { ...ACCESS, SHOP_URL: `http://127.0.0.1:${await freePort()}`, DATABASE_URL: database.url };
  // Both wait for retries.
  const [outcome, debugged] = await Promise.all([run(['check'], env), run(['--debug', 'check'], env)]);
  expectSentence(outcome, 1);
  expect(outcome.stderr).toMatch(/nothing listens there; check its address/);
  expect(debugged.stderr).toMatch(/^\s+at /m);
  expect(debugged.stderr).not.toMatch(/authorization|Basic /i);
});

test.concurrent('an unreachable database is named as the cause', async () => {
  await using simulator = await startSimulator({ orders: 20 });
  for (const command of ['check', 'migrate', 'sync', 'backfill', 'status']) {
    const outcome = await run([command], settingsFor(simulator, 'postgres://user:hidden@127.0.0.1:9/db'));
    expectSentence(outcome, 1);
    expect(outcome.stderr).toMatch(/database.*nothing is listening there; check DATABASE_URL/i);
    expect(outcome.stderr).not.toContain('hidden');
  }
});
