/** How full the request slots are: the time of a load, where each answer takes 50 ms, against the least possible one. */
import { join } from 'node:path';

import { type Bench, roundsOr, sizesOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { count, percent, seconds } from './support/format.ts';
import { type Measured, runMeasured, runTraced, type Traffic } from './support/measured-command.ts';
import { startShop } from './support/shop-process.ts';
import { interleaved, median } from './support/statistics.ts';

const LATENCY_MS = 50;
const SLOTS = 16;
const ROUNDS = 3;
const SIZES = [5_000, 20_000];
/** Parts of a run, to see when slots are idle. */
const PARTS = 10;
const BARE_KY = join(import.meta.dirname, 'peers/bare-ky.ts');

export const latency: Bench = {
  title: () => 'Loads from a slow shop',
  intro: (options) =>
    `Each response takes ${LATENCY_MS} ms, with ${SLOTS} requests in flight. The time is that of the whole process, including start-up, ` +
    'migrations, users and summaries; *first* is the time until the first request. *Busy* says how many requests were in flight in ' +
    `each tenth of the run, on the average, and *gap* how long a connection waits from a response to its next request. The time is ` +
    'compared with two limits for the same number of requests. The ideal is ' +
    `requests x ${LATENCY_MS} ms / ${SLOTS}; no program quite reaches it, because timers fire late and responses have to be read. The bare ` +
    'loop has the request rate of bare ky, without its start-up: it fetches the list and every content from the same shop, ' +
    `${SLOTS} at once, and discards them. The goal is 92 % of the ideal at 5,000 orders and 95 % at 20,000. Medians of ` +
    `${roundsOr(options, ROUNDS)} alternating runs.`,
  columns: ['orders', 's', 'orders/s', 'first s', 'busy', 'gap ms', 'of the ideal', 'of the bare loop'],
  async run(options) {
    await using server = await openBenchServer();
    const rows: string[][] = [];
    for (const orders of sizesOr(options, SIZES)) {
      await using shop = await startShop({ orders, latencyMs: LATENCY_MS });
      const runs: (Measured & Traffic)[] = [];
      const { load, bare } = await interleaved<'load' | 'bare', Requested>(roundsOr(options, ROUNDS), {
        load: async () => {
          await using database = await server.emptyDatabase();
          const run = await runTraced(['backfill', '--json'], { ...shop.env, DATABASE_URL: database.url });
          runs.push(run);
          return {
            ms: run.wallMs,
            requests: (JSON.parse(run.output) as Pick<Requested, 'requests'>).requests,
          };
        },
        bare: async () => JSON.parse((await runMeasured([], shop.env, BARE_KY)).output) as Requested,
      });
      const ms = median(load.map((run) => run.ms));
      const busy = runs.map(busyByPart);
      const requests = median(load.map((run) => run.requests));
      const idealMs = (requests * LATENCY_MS) / SLOTS;
      const bareMs = requests * median(bare.map((run) => run.ms / run.requests));
      rows.push([
        count(orders),
        seconds(ms),
        count(orders / (ms / 1_000)),
        seconds(median(runs.map((run) => Math.min(...run.exchanges.map(({ sentMs }) => sentMs))))),
        Array.from({ length: PARTS }, (_, part) =>
          median(busy.map((parts) => parts[part] ?? 0)).toFixed(0),
        ).join(' '),
        median(runs.flatMap(({ gapsMs }) => gapsMs)).toFixed(1),
        percent(idealMs / ms),
        percent(bareMs / ms),
      ]);
    }
    return { rows };
  },
};

type Requested = { readonly requests: number; readonly ms: number };

/** Requests in flight, on the average of each part of a run. */
function busyByPart({ exchanges, wallMs }: Measured & Traffic): readonly number[] {
  const partMs = wallMs / PARTS;
  return Array.from({ length: PARTS }, (_, part) => {
    const [from, to] = [part * partMs, (part + 1) * partMs];
    const busyMs = exchanges.map(({ sentMs, endedMs }) =>
      Math.max(0, Math.min(to, endedMs) - Math.max(from, sentMs)),
    );
    return busyMs.reduce((sum, ms) => sum + ms, 0) / partMs;
  });
}
