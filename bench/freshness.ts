/** How soon a change in the shop is seen in `bi.orders` while a worker runs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Client } from 'pg';

import { withClient } from '../test/support/database-clients.ts';
import { measureMany, type Seen, type SeenInMany, SHOPS } from './freshness-of-many.ts';
import { type Bench, roundsOr, sizeOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { count, seconds } from './support/format.ts';
import { MAIN } from './support/measured-command.ts';
import { type ShopProcess, startShop } from './support/shop-process.ts';
import { median, percentile } from './support/statistics.ts';
import { measureRun } from './support/warehouse-runs.ts';

const ORDERS = 5_000;
/** Of each kind. */
const CHANGES = 15;
/** Changes to many shops. */
const SECONDS = 120;
const LATENCY_MS = 50;
/** As often as cron and a policy can say. */
const EVERY_SECOND = { SYNC_CRON: '* * * * * *', FRESHNESS: '2d:1s, *:7d' };
const POLL_MS = 5;
const AT_MOST_MS = 60_000;

export const freshness: Bench = {
  title: () => 'From a change to `bi.orders`',
  intro: (options) =>
    `With the default settings, two workers sync ${SHOPS} small shops that respond in ${LATENCY_MS} ms. For ${options.seconds ?? SECONDS} seconds an order ` +
    'is placed, or changes its status, in a random shop at random times, about five times a second. The goals are a p50 under 40 s and ' +
    'a p99 under 90 s, at two list requests per shop and minute. ' +
    `Then a worker with its shortest intervals (\`SYNC_CRON\` and today's \`FRESHNESS\`: one second) syncs one shop of ${count(sizeOr(options, ORDERS))} orders that ` +
    `responds in ${LATENCY_MS} ms. At random times an order is placed, or the status of one changes, ${roundsOr(options, CHANGES)} times each. The time is ` +
    'measured until a query of `bi.orders` shows it. The wait is the time until the sweep that finds it starts: the time to the next ' +
    'tick, up to a second between two polls of the queue, and the end of the previous sweep, which looked too early. The ' +
    `sweep is the time of order-sync itself; its limit is two sequential requests, the list and the order's lines: ${2 * LATENCY_MS} ms. With so few samples, p99 is the slowest.`,
  columns: ['shops', 'change', 'wait p50 s', 'sweep p50 s', 'all p50 s', 'all p99 s'],
  async run(options) {
    await using server = await openBenchServer();
    const many = await measureMany(server, LATENCY_MS, (options.seconds ?? SECONDS) * 1_000);
    await using shop = await startShop({ orders: sizeOr(options, ORDERS), latencyMs: LATENCY_MS });
    await using database = await server.emptyDatabase();
    await measureRun('backfill', database.url, shop);
    await using _worker = startWorker(database.url, shop);
    return await withClient(database.url, async (client) => {
      // The first sweeps open connections and read code.
      await changeBoth(client, shop);
      const placed: Seen[] = [];
      const changed: Seen[] = [];
      for (let round = 0; round < roundsOr(options, CHANGES); round += 1) {
        const both = await changeBoth(client, shop);
        placed.push(both.placed);
        changed.push(both.changed);
      }
      const rows = [
        rowOf(SHOPS, 'an order is placed', many.placed),
        rowOf(SHOPS, 'a status changes', many.changed),
        rowOf(1, 'an order is placed', placed),
        rowOf(1, 'a status changes', changed),
      ];
      return { rows, notes: [describeMany(many)], failures: missedGoals(many) };
    });
  },
};

const P50_GOAL_S = 40;
const P99_GOAL_S = 90;

function missedGoals({ placed, changed }: SeenInMany): readonly string[] {
  const all = [...placed, ...changed].map(({ waitMs, sweepMs }) => (waitMs + sweepMs) / 1_000);
  const [p50, p99] = [median(all), percentile(all, 0.99)];
  if (p50 < P50_GOAL_S && p99 < P99_GOAL_S) return [];
  return [`p50 ${p50.toFixed(1)} s (goal ${P50_GOAL_S}), p99 ${p99.toFixed(1)} s (goal ${P99_GOAL_S})`];
}

function describeMany({ placed, changed, listRequests, cpu, loadedInS }: SeenInMany): string {
  const part = (seconds: number) => seconds.toFixed(1);
  return (
    `The ${SHOPS} shops saw ${placed.length + changed.length} changes, and ${listRequests.toFixed(2)} list requests per shop and minute. In a minute the two ` +
    `workers used ${part(cpu.workers)} s of CPU together, ${cpu.postgres === undefined ? '' : `PostgreSQL ${part(cpu.postgres)} s, `}and the simulated shops ${part(cpu.shops)} s. ` +
    `The first loads of all shops took ${loadedInS.toFixed(0)} s.`
  );
}

function rowOf(shops: number, name: string, seen: readonly Seen[]): readonly string[] {
  const all = seen.map(({ waitMs, sweepMs }) => waitMs + sweepMs);
  const medians = [seen.map(({ waitMs }) => waitMs), seen.map(({ sweepMs }) => sweepMs), all].map(median);
  return [String(shops), name, ...medians.map((ms) => seconds(ms, 2)), seconds(percentile(all, 0.99), 2)];
}

function startWorker(databaseUrl: string, shop: ShopProcess): AsyncDisposable {
  const env = {
    PATH: process.env['PATH'],
    ...shop.env,
    ...EVERY_SECOND,
    PORT: '0',
    DATABASE_URL: databaseUrl,
  };
  const worker = spawn(process.execPath, [MAIN, 'worker'], { env, stdio: 'ignore' });
  return {
    async [Symbol.asyncDispose]() {
      worker.kill();
      if (worker.exitCode === null) await once(worker, 'exit');
    },
  };
}

async function changeBoth(client: Client, shop: ShopProcess): Promise<{ placed: Seen; changed: Seen }> {
  await atAnyMoment();
  const placedAt = Date.now();
  const { orderId } = await shop.change('POST', 'orders', { status: 'A' });
  const placed = await untilSeen(client, orderId, 'A', placedAt);
  await atAnyMoment();
  const changedAt = Date.now();
  await shop.change('PATCH', `orders/${orderId}`, { status: 'N' });
  return { placed, changed: await untilSeen(client, orderId, 'N', changedAt) };
}

/** Of the schedule's second. */
const atAnyMoment = () => sleep(1_000 * (0.5 + Math.random()));

async function untilSeen(client: Client, orderId: number, status: string, sinceMs: number): Promise<Seen> {
  for (;;) {
    const { rows } = await client.query('SELECT FROM bi.orders WHERE order_id = $1 AND status_code = $2', [
      orderId,
      status,
    ]);
    if (rows.length > 0) break;
    if (Date.now() - sinceMs > AT_MOST_MS) throw new Error(`order ${orderId} was not seen`);
    await sleep(POLL_MS);
  }
  const seenMs = Date.now();
  const { rows } = await client.query<{ began: number }>(
    'SELECT extract(epoch FROM max(started_at))::float8 * 1000 AS began FROM ops.runs',
  );
  // A sweep that had begun before may still have asked late enough.
  const beganMs = Math.max(sinceMs, rows[0]?.began ?? sinceMs);
  return { waitMs: beganMs - sinceMs, sweepMs: seenMs - beganMs };
}
