import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { runCommand } from '../support/command-line.ts';
import { freshDatabase } from '../support/database.ts';
import { forFile } from '../support/for-file.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { openFolder } from '../support/scratch-folder.ts';
import { runOnTerminal, WITH_SCRIPT } from '../support/terminal.ts';

/** No `ORDER_SYNC_CONFIG`: the file of the folder counts. */
const DEFAULT_FILE = { ORDER_SYNC_CONFIG: '' };

const folder = forFile(() => openFolder('init Пример'));
const simulator = forFile(() => startSimulator({ orders: 20, days: 5 }));

const login = () => ({ SHOP_URL: simulator.url, SHOP_LOGIN: 'admin', SHOP_API_KEY: 'simulated-key' });

test('init --from-env writes a file for its owner alone, and commands use it beneath the environment', async () => {
  await using database = await freshDatabase();
  const given = { ...DEFAULT_FILE, ...login(), SHOP_TIMEZONE: 'Europe/Berlin', DATABASE_URL: database.url };
  const outcome = await runCommand(['init', '--from-env'], { ...given, SHOP_MAX_RPS: '500' }, folder.path);
  expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' });
  expect(outcome.stdout).toMatch(/20 orders; .* about \d+ s, 1 MB .* \d+ requests, .* 500 requests a second/);
  expect(outcome.stdout).toMatch(/\nReports hide .*: order-sync fields\.\nNext: order-sync backfill\n$/);
  const path = join(folder.path, 'order-sync.env');
  expect((await stat(path)).mode & 0o777).toBe(0o600);

  const loaded = await runCommand(['backfill', '--json'], DEFAULT_FILE, folder.path);
  expect(JSON.parse(loaded.stdout)).toMatchObject({ shop: 'default', status: 'ok' });
  const renamed = await runInProcess(['check', '--json', '--config', path], { SHOP_KEY: 'other' });
  expect(JSON.parse(renamed.stdout)).toMatchObject({ shop: 'other' });

  const again = await runInProcess(['init', '--from-env', '--config', path], given);
  expect(again).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/exists already; --force/),
  });
  await runInProcess(['init', '--from-env', '--force', '--config', path], given);
  expect(await readFile(path, 'utf8')).not.toMatch(/SHOP_MAX_RPS/);
});

test('init writes no settings that the shop refuses, and asks for a missing time zone', async () => {
  const given = { ...login(), ORDER_SYNC_CONFIG: join(folder.path, 'refused.env') };
  const wrong = await runInProcess(['init', '--from-env'], {
    ...given,
    SHOP_TIMEZONE: 'UTC',
    SHOP_API_KEY: 'canary-key',
  });
  expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/HTTP 401/) });
  expect(wrong.stderr).not.toMatch(/canary-key/);
  const unknown = await runInProcess(['init', '--from-env'], given);
  expect(unknown).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("SHOP_TIMEZONE is not set: the zone of the shop's times"),
  });
  const silent = await runInProcess(['init'], given);
  expect(silent).toMatchObject({ code: 2, stderr: expect.stringMatching(/needs a terminal; --from-env/) });
  expect(await readdir(folder.path)).not.toContain('refused.env');
});

test('init refuses a time zone that the newest order disproves, unless it is forced, and says which command comes next', async () => {
  const path = join(folder.path, 'other shop.env');
  await using fresh = await startSimulator({ orders: 10, days: 5, timezone: 'Europe/Berlin' });
  const now = Temporal.Now.zonedDateTimeISO('Europe/Berlin').toPlainDateTime();
  fresh.shop.insertOrder({ createdLocal: now.round({ smallestUnit: 'minute', roundingMode: 'floor' }) });
  const given = { ...login(), SHOP_URL: fresh.url, SHOP_TIMEZONE: 'America/New_York' };
  const init = (options: readonly string[], env: Readonly<Record<string, string>> = given) =>
    runInProcess(['init', '--from-env', '--config', path, ...options], env);
  const refused = await init([]);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(
    /the time zone is set to America\/New_York, but the newest order is [67] h ahead; the shop's zone is \S+ or one east of it; --force/,
  );
  expect(await readdir(folder.path)).not.toContain('other shop.env');
  const forced = await init(['--force']);
  expect(forced).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Warning: .* ahead; the shop's zone .* east of it\.\n$/),
  });
  expect(forced.stdout).not.toContain('in this folder use it');
  expect(forced.stdout.endsWith(`\nNext: order-sync backfill --config '${path}'\n`), forced.stdout).toBe(
    true,
  );
  expect(await init(['--force'], { ...given, SHOP_TIMEZONE: 'Europe/Berlin' })).toMatchObject({
    code: 0,
    stderr: '',
  });
});

test(
  'init asks on a terminal until the shop accepts the login, and does not show the key',
  WITH_SCRIPT,
  async () => {
    await using database = await freshDatabase();
    const { output, code } = await answer(
      ['init', '--config', 'asked.env'],
      [
        ['Address', 'ftp://shop.example\r'],
        ['must be an address', `\u0015${simulator.url}\r`],
        ['login', 'admin\r'],
        ['API key', 'wrong-key\r'],
        ['HTTP 401', ''],
        ['Administrator login', '\r'],
        ['API key', 'simulated-key\r'],
        ['Time zone', 'Berlin\r'],
        ['did you mean Europe/Berlin?', '\u0015EET\r'],
        ['did you mean Europe/Athens?', '\u0015UTC\r'],
        // Whoever does not read the question is asked again.
        ['Right?', '\r'],
        ['Time zone', '\u0015Europe/Berlin\r'],
        ['Right?', 'y'],
        ['Short name', '\u0015North\r'],
        ['must be lower-case', '\u0015north\r'],
        ['for an embedded one', 'mysql://127.0.0.1/orders\r'],
        ['must look like', '\u0015postgres://u:hidden-word@127.0.0.1:9/orders\r'],
        ['nothing is listening there', ''],
        ['for an embedded one', `${database.url}\r`],
      ],
    );
    expect(output).toMatch(/20 orders/);
    expect(output).not.toMatch(/wrong-key|simulated-key|hidden-word|postgres:\/\/[^U]/);
    expect(code).toBe(0);
    const file = await readFile(join(folder.path, 'asked.env'), 'utf8');
    expect(file).toMatch(
      /^SHOP_KEY='north'\nSHOP_URL=.*\nSHOP_LOGIN='admin'\nSHOP_API_KEY='simulated-key'$/m,
    );
    expect(file).toContain(`SHOP_TIMEZONE='Europe/Berlin'\nDATABASE_URL='${database.url}'\n`);
  },
);

test('Ctrl-C ends the questions and writes nothing', WITH_SCRIPT, async () => {
  const { output, code } = await answer(['init', '--config', 'left.env'], [['Address', '\u0003']]);
  expect(output).toMatch(/Nothing was written/);
  expect(code).toBe(130);
  expect(await readdir(folder.path)).not.toContain('left.env');
});

/** Runs a command on a terminal, and types each answer when its question is on the screen. */
async function answer(args: readonly string[], steps: readonly (readonly [string, string])[]) {
  const { code, lines } = await runOnTerminal(
    args,
    DEFAULT_FILE,
    async ({ write, until }) => {
      for (const [question, keys] of steps) {
        await until(question);
        write(keys);
      }
    },
    folder.path,
  );
  return { code, output: lines.join('\n') };
}
