/**
 * How fast every view of `bi` answers at a million orders, restricted as an analyst would, and whole.
 *
 *   npm run bench:views               prints the table; fails where a restricted question takes longer than it may
 *   npm run bench:views -- --write    writes its part of docs/benchmarks.md
 *
 * BENCH_ORDERS sets another size.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';

import { type Database, openDatabase } from '../src/warehouse/db/database.ts';
import { runMigrations } from '../src/warehouse/db/run-migrations.ts';
import { registerShop } from '../src/warehouse/directory/registered-shops.ts';
import { refreshSummaries } from '../src/warehouse/ops/refresh-summaries.ts';
import { COMPARED, createPlainViews } from '../test/warehouse/views/plain-views.ts';
import { openBenchServer } from './database.ts';
import { fillShop } from './fill-a-million.ts';
import { timeLoads } from './time-loads.ts';
import { type Timing, timeQuestion } from './time-questions.ts';
import { type Question, QUESTIONS } from './view-questions.ts';
import { reportOf } from './views-report.ts';
import { FIRST_STATE } from '../test/support/first-state.ts';

const ORDERS = Number(process.env['BENCH_ORDERS'] ?? 1_000_000);
const RUNS = 5;
const SHOWN_SETTINGS = ['shared_buffers', 'work_mem', 'random_page_cost', 'jit', 'fsync'];

await using server = await openBenchServer();
await using emptied = await server.emptyDatabase();
await using database = await openDatabase(emptied.url);
await runMigrations(database);
const shop = { shopKey: 'shop', baseUrl: 'https://shop.example', timezone: 'Europe/Berlin' };
const shopId = await registerShop(database.db, shop, FIRST_STATE);
await using client = await connect(database);

// PostgreSQL takes the disk for a spinning one unless told otherwise.
await client.query('SET random_page_cost = 1.1');
say(`filling ${ORDERS} orders`);
await timed(() => fillShop(client, ORDERS));
const marked = 'UPDATE core.orders SET order_sum = order_sum + 1 WHERE order_id % 10000 = 7';
await client.query('SELECT ops.mark_everything()');
const refreshAllMs = await timed(() => refreshSummaries(database.db));
await client.query('VACUUM ANALYZE');
await client.query(marked);
const refreshFewMs = await timed(() => refreshSummaries(database.db));
await client.query('VACUUM ANALYZE ops.stale_days, ops.stale_customers');

const timings = await ask(QUESTIONS);
await createPlainViews({ rows: async (query) => (await database.db.execute(query)).rows });
const plain = await ask(
  QUESTIONS.filter(({ view }) => COMPARED.includes(view.slice('bi.'.length))).map((question) => ({
    ...question,
    view: question.view.replace('bi.', 'plain.'),
  })),
);
say('loading orders');
const loads = await timeLoads(client, database.db, shopId, 10_000_000);

const counted = await client.query<{ lines: string; version: string }>(
  `SELECT (SELECT count(*) FROM core.order_lines WHERE order_id < 10000000) AS lines, current_setting('server_version') AS version`,
);
const report = reportOf({
  orders: ORDERS,
  lines: Number(counted.rows[0]?.lines),
  serverVersion: counted.rows[0]?.version ?? '',
  settings: await settings(),
  timings,
  plain,
  refreshAllMs,
  refreshFewMs,
  loads,
  loadAverage: loadavg()[1] ?? 0,
});
if (process.argv.includes('--write')) {
  const path = join(import.meta.dirname, '..', 'docs', 'benchmarks.md');
  // What other benches measured stands below, and stays.
  const others = /\n## (?!The views at)[^]*/.exec(await readFile(path, 'utf8'))?.[0] ?? '';
  await writeFile(path, report + others);
} else {
  say(report);
}
const slow = timings.filter(({ question, bestMs }) => bestMs > (question.withinMs ?? Infinity));
for (const { question, bestMs } of slow) {
  say(`too slow: ${question.view}, ${question.restriction}: ${Math.round(bestMs)} ms`);
}
if (slow.length > 0) process.exitCode = 1;

async function connect(from: Database) {
  const opened = await from.connect();
  return Object.assign(opened, { [Symbol.asyncDispose]: () => opened.end() });
}

async function ask(questions: readonly Question[]): Promise<readonly Timing[]> {
  const answered: Timing[] = [];
  for (const question of questions) {
    const timing = await timeQuestion(client, question, RUNS);
    say(
      `${question.view.padEnd(22)} ${question.restriction.padEnd(30)} ${timing.bestMs.toFixed(0).padStart(7)} ms ${timing.rows} rows`,
    );
    answered.push(timing);
  }
  return answered;
}

async function settings(): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; value: string }>(
    'SELECT name, current_setting(name) AS value FROM pg_settings WHERE name = ANY ($1) ORDER BY name',
    [SHOWN_SETTINGS],
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
