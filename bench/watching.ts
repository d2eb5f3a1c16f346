/** How long the page, its data and the metrics take where many shops are swept. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Client } from 'pg';

import { type Lab, openLab } from '../test/support/fleet-lab.ts';
import { until } from '../test/support/until.ts';
import { type Bench, roundsOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { count, seconds } from './support/format.ts';
import { median } from './support/statistics.ts';

const SHOPS = 200;
const WORKERS = 3;
const ROUNDS = 15;
const RUN_DAYS = 30;
const RUNS_PER_DAY = 288;
const LEDGER_DAYS = 400;
/** Longer than an answer is given to others. */
const PAUSE_MS = 3_200;
const WITHIN_MS = 300;
const PATHS = ['/', '/status.json', '/metrics'];

export const watching: Bench = {
  title: () => 'Watching many shops',
  intro: (options) =>
    `${SHOPS} shops, each with a ledger of ${LEDGER_DAYS} days and ${RUN_DAYS} days of recorded runs, one every five minutes: ` +
    `${count(SHOPS * RUN_DAYS * RUNS_PER_DAY)} in all, many more than are recorded now. ${WORKERS} workers sweep each shop about once a minute, on ` +
    'the same machine. One worker is asked after the other, and when no earlier answer is fresh, so that the database is read. ' +
    `The goal is a median below ${seconds(WITHIN_MS)} s. ${roundsOr(options, ROUNDS)} requests per path and worker.`,
  columns: ['path', 'median s', 'slowest s', 'kB'],
  async run(options) {
    await using server = await openBenchServer();
    const database = await server.emptyDatabase();
    await using lab = await openLab(
      database,
      SHOPS,
      { orders: 10, days: 10 },
      { freshness: '2d:1m, *:1d', maxRps: 1_000 },
    );
    const urls = await startWorkers(lab);
    await addPast(lab.client);
    const took = new Map(PATHS.map((path) => [path, { times: [] as number[], bytes: 0 }]));
    for (let round = 0; round < roundsOr(options, ROUNDS); round++) {
      for (const [path, { times }] of took) {
        await sleep(PAUSE_MS);
        const answers: Answer[] = [];
        for (const url of urls) answers.push(await ask(`${url}${path}`));
        // Metrics of the shops come from one worker only.
        const whole = answers.filter(
          ({ text }) => path !== '/metrics' || text.includes('order_sync_exporter 1'),
        );
        times.push(...whole.map(({ ms }) => ms));
        took.set(path, { times, bytes: whole[0]?.text.length ?? 0 });
      }
    }
    const medians = [...took].map(([path, { times }]) => ({ path, ms: median(times) }));
    return {
      rows: [...took].map(([path, { times, bytes }]) => [
        `\`${path}\``,
        seconds(median(times), 2),
        seconds(Math.max(...times), 2),
        count(bytes / 1_000),
      ]),
      failures: medians
        .filter(({ ms }) => !(ms < WITHIN_MS))
        .map(({ path, ms }) => `${path} took ${seconds(ms, 2)} s at the median`),
    };
  },
};

async function startWorkers(lab: Lab): Promise<readonly string[]> {
  const workers = Array.from({ length: WORKERS }, () => lab.startWorker({ SYNC_CRON: '* * * * *' }));
  const urls = await Promise.all(workers.map(({ url }) => url));
  await until(
    'every shop is complete',
    async () => {
      const { rows } = await lab.client.query<{ shops: number }>(
        'SELECT count(*)::int AS shops FROM ops.shop_state WHERE completed_at IS NOT NULL',
      );
      return rows[0]?.shops === SHOPS ? true : `${rows[0]?.shops} of ${SHOPS}`;
    },
    900_000,
  );
  return urls;
}

async function addPast(client: Client): Promise<void> {
  await client.query(
    `INSERT INTO ops.runs (shop_id, kind, status, started_at, finished_at, requests, days_verified, version)
     SELECT shop_id, 'sync', 'ok', at, at + interval '2 s', 2, 2, '0.1.0'
     FROM core.shops, generate_series(now() - make_interval(days => $1), now() - interval '1 day', $2::interval) at`,
    [RUN_DAYS + 1, `${86_400 / RUNS_PER_DAY} s`],
  );
  await client.query(
    `INSERT INTO ops.days (shop_id, day, verified_at, orders_seen)
     SELECT shop_id, current_date - n, now(), 20 FROM core.shops, generate_series(11, $1::int) n ON CONFLICT DO NOTHING`,
    [LEDGER_DAYS],
  );
  await client.query('ANALYZE ops.runs');
  await client.query('ANALYZE ops.days');
}

type Answer = { readonly ms: number; readonly text: string };

async function ask(url: string): Promise<Answer> {
  const began = performance.now();
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: HTTP ${response.status}: ${text}`);
  return { ms: performance.now() - began, text };
}
