/**
 * Two weeks of a small shop, as its owner lives them: orders come, change and go, some hours have a sync every five minutes,
 * and all commands are used, on terminals and piped. It fails where one of them crashes, writes a figure that is none, or ends
 * otherwise than docs/commands.md says.
 */
import { stripVTControlCharacters } from 'node:util';

import { afterEach, expect, test, vi } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { Random } from '../../src/simulator/shop/random.ts';
import type { SimulatedShop } from '../../src/simulator/shop/simulated-shop.ts';
import { settingsFor } from '../support/command-line.ts';
import { listCommands } from '../support/command-list.ts';
import { freshDatabase } from '../support/database.ts';
import { withClient } from '../support/database-clients.ts';
import { IS_LONG } from '../support/long.ts';
import { testTimeoutMs } from '../support/patience.ts';
import { type InProcess, runInProcess } from '../support/run-in-process.ts';
import { openFolder } from '../support/scratch-folder.ts';
import { testClock } from '../support/sweep.ts';
import { differences } from '../support/truth.ts';

/** In the last night, clocks change. No clock stops at whole milliseconds. */
const START = Temporal.Instant.from('2026-03-16T06:58:01.234567Z');
const FIVE_MINUTES = { minutes: 5, microseconds: 1 };
/** How often it is synced, by day: in some hours every five minutes, while the shop changes in between. */
const SYNCS = [12, 1, 1, 1, 1, 1, 1, 1, 1, 5, 1, 1, 1, 1];
const CHANGED_EVERY = 4;

type Screen = number | 'piped' | '--json';
const SCREENS: readonly Screen[] = [80, 'piped', 110, '--json'];
/** What a request seems to take: a terminal shows progress with each, a pipe after some. */
const REQUEST_MS = { terminal: 150, pipe: 600 };

/** These ask questions, go on until they are stopped, only have others below them, or change the whole server. */
const NOT_HERE = ['init', 'worker', 'db', 'simulate', 'demo', 'fetch', 'db login'];
const QUERY = 'SELECT * FROM bi.daily_sales ORDER BY 2 DESC LIMIT 3';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** What is used on one day after the other, or, in `npm run test:long`, all each day. @param day counts from 0 */
function linesOf(day: number, shop: SimulatedShop, folder: string): readonly string[] {
  const [order, user] = [shop.orders()[day]?.orderId ?? 0, shop.users()[day]?.email ?? ''];
  const since = shop.orders().at(-9)?.createdLocal.toPlainDate().toString() ?? '';
  const format = day % 2 === 0 ? 'csv' : 'parquet';
  const turns = [
    ['verify --repair', `verify --lines --from ${since}`, 'backfill'],
    [
      'fields',
      'fields show source --shop default',
      'fields hide source --shop default',
      'rejections',
      'migrate',
    ],
    ['statuses', `statuses set A --name Accepted${day} --shop default`, 'sql', 'sql --views', 'replay'],
    ['shops', 'shops pause default', 'shops resume default', 'shops set-timezone default Europe/Berlin'],
    [`fetch order ${order}`, 'fetch orders --limit 3', `fetch user ${user}`, 'fetch groups', 'verify'],
    [`sync --order ${order}`, `login-link --email ${user}`, 'shops delete default'],
    [
      `forget --dry-run --email ${user}`,
      `export --view daily_sales --format ${format} --to ${folder}/${format}`,
    ],
  ];
  return ['status', 'check', ...turns.filter((_, turn) => IS_LONG || turn === day % turns.length).flat()];
}

/** What commands end with; the others with 0. */
const CODES: Readonly<Record<string, readonly number[]>> = {
  verify: [0, 3, 4],
  'shops set-timezone': [2],
  'shops delete': [1],
};

test('two weeks of daily use', { timeout: 5 * testTimeoutMs() }, async () => {
  const clock = testClock(START);
  vi.spyOn(Temporal.Now, 'instant').mockImplementation(clock.now);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  await using simulator = await startSimulator({ orders: 300, days: 60, now: START });
  const { shop } = simulator;
  await using database = await freshDatabase();
  await using folder = await openFolder('two-weeks');
  const env = settingsFor(simulator, database.url);
  const listed = await listCommands();
  const used = new Set(NOT_HERE);
  const problems: string[] = [];
  let screen: Screen = 80;
  simulator.requests.onRequest(() => {
    try {
      vi.advanceTimersByTime(typeof screen === 'number' ? REQUEST_MS.terminal : REQUEST_MS.pipe);
    } catch (error) {
      problems.push(`progress on ${screen}: ${String(error)}`);
    }
  });
  let [day, turn] = [0, 0];
  const run = async (words: string) => {
    const command = listed.findLast(({ name }) => words === name || words.startsWith(`${name} `));
    used.add(command?.name ?? '');
    turn += 1;
    screen = SCREENS[turn % SCREENS.length] ?? 80;
    if (screen === '--json' && command?.help.includes('--json') !== true) screen = 'piped';
    const args = [
      ...(words === 'sql' ? ['sql', QUERY] : words.split(' ')),
      ...(screen === '--json' ? [screen] : []),
    ];
    const columns = typeof screen === 'number' ? screen : undefined;
    const outcome = await runInProcess(args, env, undefined, undefined, columns);
    const { stdout, stderr } = outcome;
    const isDocumented = (CODES[command?.name ?? ''] ?? [0]).includes(outcome.code);
    const wrong = isDocumented ? [] : [`ends with ${outcome.code}: ${stderr}${stdout}`];
    for (const problem of [...wrong, ...findProblems(outcome, columns)])
      problems.push(`day ${day}, ${words}, ${screen}: ${problem}`);
  };

  await run('backfill');
  const random = new Random('two weeks');
  for (const syncs of SYNCS) {
    for (let sync = 0; sync < syncs; sync++) {
      if (sync % CHANGED_EVERY === 0) change(random, shop, clock.now());
      clock.pass(FIVE_MINUTES);
      await run('sync');
    }
    for (const line of linesOf(day, shop, folder.path)) await run(line);
    clock.pass({ hours: 23 });
    day += 1;
  }
  await run('verify --repair');
  expect(problems).toEqual([]);
  await withClient(database.url, async (client) => {
    expect(await differences(client, shop)).toEqual([]);
  });
  expect(listed.filter(({ name }) => !used.has(name)).map(({ name }) => name)).toEqual([]);
});

/** Orders come, one of them late; others change, wherever they are; one is deleted. */
function change(random: Random, shop: SimulatedShop, now: Temporal.Instant): void {
  const some = () => random.pick(shop.orders());
  shop.tick(now, { newOrders: 2, edits: 1 });
  for (const status of ['F', 'C', 'K']) shop.editOrder(some().orderId, { status });
  shop.insertOrder({ createdLocal: some().createdLocal.add({ minutes: 3 }) });
  shop.deleteOrder(some().orderId);
}

/** What a person is not to read. */
const NO_FIGURE =
  /\b(?:NaN|Infinity|undefined|null|Invalid \w+)\b|\[object|bug in order-sync|(?<![\d-])-\d+ (?:%|d|h|min|s|days?|orders?)\b/;
const SHARE = /(\d+(?:\.\d+)?) ?%/g;
const PART = /([\d,]+)\/([\d,]+) (?:orders|days|records|files)/g;

function findProblems({ stdout, stderr }: InProcess, columns: number | undefined): readonly string[] {
  const lines = stripVTControlCharacters(`${stderr}\n${stdout}`).split(/[\r\n]+/);
  return lines.filter((line) => {
    if (line.startsWith('{')) return /"\w*[A-Z]\w*":/.test(line);
    const parts = [...line.matchAll(PART)].map((match) =>
      match.slice(1).map((part) => Number(part.replaceAll(',', ''))),
    );
    return (
      NO_FIGURE.test(line) ||
      [...line.matchAll(SHARE)].some(([, share]) => Number(share) > 100) ||
      parts.some(([part = 0, all = 0]) => part > all) ||
      (/[█░]/.test(line) && line.length >= (columns ?? Infinity))
    );
  });
}
