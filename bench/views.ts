/** How fast every view of `bi` answers at a million orders, restricted as an analyst would, and whole. */
import type { Client } from 'pg';

import type { Database } from '../src/warehouse/db/database.ts';
import { refreshSummaries } from '../src/warehouse/ops/refresh-summaries.ts';
import { withClient } from '../test/support/database-clients.ts';
import { COMPARED, createPlainViews } from '../test/warehouse/views/plain-views.ts';
import { type Bench, type BenchOptions, type Findings, roundsOr, sizeOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { fillWarehouse, refreshAll, usersOf } from './support/fill-warehouse.ts';
import { count, seconds } from './support/format.ts';
import { openWarehouse } from './support/open-warehouse.ts';
import { type Question, QUESTIONS, WITHIN_MS } from './views/questions.ts';
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
    'two currencies. No autovacuum runs, so that it has the statistics that order-sync gathers itself and no others. Then each view ' +
    `is asked what an analyst would ask; the goal is ${WITHIN_MS / 1_000} s where it is restricted. Times are of the fastest of ${roundsOr(options, ROUNDS)} runs, on the server, ` +
    'with making text of every row; "plain" is the same question to a definition of the view that counts every order.',
  columns: ['view', 'restricted to', 'plain, ms', 'ms', 'rows'],
  async run(options) {
    await using server = await openBenchServer();
    await using empty = await server.emptyDatabase();
    await using warehouse = await openWarehouse(empty.url);
    return await withClient(empty.url, (client) => measure(client, warehouse, options));
  },
};

async function measure(client: Client, { db }: Database, options: BenchOptions): Promise<Findings> {
  const orders = sizeOr(options, ORDERS);
  // PostgreSQL takes the disk for a spinning one unless told otherwise.
  await client.query('SET random_page_cost = 1.1');
  console.log(`filling ${count(orders)} orders`);
  await fillWarehouse(client, { orders });
  const allMs = await timed(() => refreshAll(client, db));
  await client.query('UPDATE core.orders SET order_sum = order_sum + 1 WHERE order_id % $1 = 7 % $1', [
    Math.ceil(orders / CHANGED),
  ]);
  const fewMs = await timed(() => refreshSummaries(db));
  const timings = await ask(client, QUESTIONS, options);
  await createPlainViews({ rows: async (query) => (await db.execute(query)).rows });
  const compared = QUESTIONS.filter(({ view }) => COMPARED.includes(view.slice('bi.'.length)));
  const plain = await ask(
    client,
    compared.map((question) => ({ ...question, view: question.view.replace('bi.', 'plain.') })),
    options,
  );
  const slow = timings.filter(({ question, bestMs }) => bestMs > (question.withinMs ?? Infinity));
  return {
    rows: timings.map((timing) => rowOf(timing, plain)),
    notes: [
      'The views answer from sums of days, months and customers. A write marks what it touches, and what is marked is recomputed by ' +
        'whoever asks, until a refresh writes it down: the figures are exact at every moment. Computing all sums, statistics included, took ' +
        `${seconds(allMs)} s; after ${CHANGED} changed orders, spread over all months, a refresh took ${seconds(fewMs)} s, since it recomputes the ` +
        'products of every month with a change.',
      `${await settings(client)}; all others PostgreSQL's own. \`random_page_cost = 1.1\` is what PostgreSQL should be told on solid-state ` +
        'disks; the compose file and the embedded server do so. At its default of 4 it reads every line of an order table where an ' +
        'index would do.',
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
    const timing = await timeQuestion(client, question, roundsOr(options, ROUNDS));
    console.log(`${question.view}, ${question.restriction}: ${timing.bestMs.toFixed(0)} ms`);
    answered.push(timing);
  }
  return answered;
}

function rowOf(timing: Timing, plain: readonly Timing[]): readonly string[] {
  const nameOf = ({ question }: Timing) => `${question.view.split('.')[1]} ${question.restriction}`;
  const before = plain.find((other) => nameOf(other) === nameOf(timing));
  const { view, restriction } = timing.question;
  const plainMs = before === undefined ? '' : count(before.bestMs);
  return [`\`${view}\``, restriction, plainMs, count(timing.bestMs), count(timing.rows)];
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
