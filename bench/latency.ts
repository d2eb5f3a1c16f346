/** How full the request slots are: the time of a load, where each answer takes 50 ms, against the least possible one. */
import { join } from 'node:path';

import { type Bench, roundsOr, sizesOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { count, percent, seconds } from './support/format.ts';
import { runMeasured } from './support/measured-command.ts';
import { startShop } from './support/shop-process.ts';
import { interleaved, median } from './support/statistics.ts';
import { measureLoad } from './support/warehouse-runs.ts';

const LATENCY_MS = 50;
const SLOTS = 16;
const ROUNDS = 3;
const SIZES = [5_000, 20_000];
const BARE_KY = join(import.meta.dirname, 'peers/bare-ky.ts');

export const latency: Bench = {
  title: () => 'Loads from a slow shop',
  intro: (options) =>
    `Each response takes ${LATENCY_MS} ms, with ${SLOTS} requests in flight. The time is that of the whole process, including start-up, ` +
    'migrations, users and summaries. It is compared with two limits for the same number of requests. The ideal is ' +
    `requests x ${LATENCY_MS} ms / ${SLOTS}; no program quite reaches it, because timers fire late and responses have to be read. The bare ` +
    'loop has the request rate of bare ky, without its start-up: it fetches the list and every content from the same shop, ' +
    `${SLOTS} at once, and discards them. The goal is 85 % of the ideal at 5,000 orders and 95 % at 20,000. Medians of ` +
    `${roundsOr(options, ROUNDS)} alternating runs.`,
  columns: ['orders', 's', 'orders/s', 'ideal s', 'of the ideal', 'bare loop s', 'of the bare loop'],
  async run(options) {
    await using server = await openBenchServer();
    const rows: string[][] = [];
    for (const orders of sizesOr(options, SIZES)) {
      await using shop = await startShop({ orders, latencyMs: LATENCY_MS });
      const { load, bare } = await interleaved<'load' | 'bare', Asked>(roundsOr(options, ROUNDS), {
        load: async () => {
          const { wallMs, result } = await measureLoad(server, shop);
          return { ms: wallMs, requests: result.requests };
        },
        bare: async () => JSON.parse((await runMeasured([], shop.env, BARE_KY)).output) as Asked,
      });
      const ms = median(load.map((run) => run.ms));
      const requests = median(load.map((run) => run.requests));
      const idealMs = (requests * LATENCY_MS) / SLOTS;
      const bareMs = requests * median(bare.map((run) => run.ms / run.requests));
      rows.push([
        count(orders),
        seconds(ms),
        count(orders / (ms / 1_000)),
        seconds(idealMs),
        percent(idealMs / ms),
        seconds(bareMs),
        percent(bareMs / ms),
      ]);
    }
    return { rows };
  },
};

type Asked = { readonly requests: number; readonly ms: number };
