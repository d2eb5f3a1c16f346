/** How fast every view of `bi` is at a million orders, restricted as an analyst would, and whole. */
import type { Client } from 'pg';

import type { Database } from '../src/warehouse/db/database.ts';
import { maintainSummaries } from '../src/warehouse/ops/refresh-summaries.ts';
import { withClient } from '../test/support/database-clients.ts';
import { type Bench, type BenchOptions, type Findings, roundsOr, sizeOr } from './support/benchmark.ts';
import { type BenchServer, openBenchServer } from './support/bench-server.ts';
import { fillWarehouse, refreshAll, usersOf } from './support/fill-warehouse.ts';
import { count, seconds } from './support/format.ts';
import { openWarehouse } from './support/open-warehouse.ts';
import { DOCUMENTED_ORDERS, DOCUMENTED_WITHIN_MS, timeDocumented } from './views/documented.ts';
import { type Question, QUESTIONS, statementOf, WITHIN_MS } from './views/questions.ts';
import { type Timing, timeQuestion } from './views/time-question.ts';

const ORDERS = 1_000_000;
const ROUNDS = 5;
const SHOWN_SETTINGS = ['shared_buffers', 'work_mem', 'random_page_cost', 'jit', 'fsync'];
/** Orders of all months that change between two refreshes. */
const CHANGED = 100;

export const views: Bench = {
  title: (options) => `The views at ${count(sizeOr(options, ORDERS))} orders`,
  intro: (options) =>
    `A database is filled with one shop's two years: ${count(sizeOr(options, ORDERS))} orders of about three lines and three history entries, ${count(usersOf(sizeOr(options, ORDERS)))} users, ` +
    'two currencies. Autovacuum is off, so the only statistics are those that order-sync gathers itself; one VACUUM stands for its other work. Then each view gets ' +
    `typical queries of an analyst; the goal is ${WITHIN_MS / 1_000} s for restricted ones. Times are the fastest of ${roundsOr(options, ROUNDS)} runs, on the server, ` +
    `including the conversion of every row to text. The questions of [questions.md](questions.md) are asked at ${count(DOCUMENTED_ORDERS)} orders with PostgreSQL's default settings, each to be answered within ${DOCUMENTED_WITHIN_MS / 1_000} s.`,
  columns: ['view', 'restricted to', 'ms', 'rows'],
  async run(options) {
    await using server = await openBenchServer();
    const documented = await inWarehouse(server, async (client, { db }) => {
      await fillWarehouse(client, { orders: DOCUMENTED_ORDERS });
      await refreshAll(client, db);
      await client.query('VACUUM');
      return timeDocumented(client, roundsOr(options, ROUNDS));
    });
    return await inWarehouse(server, (client, warehouse) => measure(client, warehouse, documented, options));
  },
};

async function inWarehouse<Result>(
  server: BenchServer,
  use: (client: Client, warehouse: Database) => Promise<Result>,
): Promise<Result> {
  await using empty = await server.emptyDatabase();
  await using warehouse = await openWarehouse(empty.url);
  return await withClient(empty.url, (client) => use(client, warehouse));
}

async function measure(
  client: Client,
  { db }: Database,
  documented: readonly Timing[],
  options: BenchOptions,
): Promise<Findings> {
  const orders = sizeOr(options, ORDERS);
  // PostgreSQL takes the disk for a spinning one unless told otherwise.
  await client.query('SET random_page_cost = 1.1');
  console.log(`filling ${count(orders)} orders`);
  await fillWarehouse(client, { orders });
  const allMs = await timed(() => refreshAll(client, db));
  // Only then are rows that everybody sees not looked up once more.
  await client.query('VACUUM');
  await client.query('UPDATE core.orders SET order_sum = order_sum + 1 WHERE order_id % $1 = 7 % $1', [
    Math.ceil(orders / CHANGED),
  ]);
  const fewMs = await timed(() => maintainSummaries(db));
  const timings = [...documented, ...(await ask(client, QUESTIONS, options))];
  const slow = timings.filter(({ question, bestMs }) => bestMs > (question.withinMs ?? Infinity));
  return {
    rows: timings.map(rowOf),
    notes: [
      'The views read stored sums of days, months and customers. A write marks the sums that it affects, and queries recompute what ' +
        'is marked until a refresh stores it: the figures are exact at any time. Computing all sums, statistics included, took ' +
        `${seconds(allMs)} s; after ${CHANGED} changed orders, spread over all months, a refresh took ${seconds(fewMs)} s.`,
      `${await settings(client)}; all others are defaults. \`random_page_cost = 1.1\` is right for solid-state disks; the compose file and the embedded ` +
        'server set it. With the default of 4 PostgreSQL scans whole order tables instead of using an index.',
    ],
    failures: slow.map(
      ({ question, bestMs }) =>
        `too slow: ${question.view}, ${question.restriction}: ${Math.round(bestMs)} ms`,
    ),
  };
}

async function ask(
  client: Client,
  questions: readonly Question[],
  options: BenchOptions,
): Promise<readonly Timing[]> {
  const answered: Timing[] = [];
  for (const question of questions) {
    const timing = await timeQuestion(client, question, statementOf(question), roundsOr(options, ROUNDS));
    console.log(`${question.view}, ${question.restriction}: ${timing.bestMs.toFixed(0)} ms`);
    answered.push(timing);
  }
  return answered;
}

function rowOf({ question: { view, restriction }, bestMs, rows }: Timing): readonly string[] {
  return [`\`${view}\``, restriction, count(bestMs), count(rows)];
}

async function settings(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string; value: string; version: string }>(
    `SELECT name, current_setting(name) AS value, current_setting('server_version') AS version
    FROM pg_settings WHERE name = ANY ($1) ORDER BY name`,
    [SHOWN_SETTINGS],
  );
  const texts = rows.map(({ name, value }) => `\`${name} = ${value}\``);
  return `PostgreSQL ${rows[0]?.version ?? ''} with ${texts.join(', ')}`;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
