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
    `Each answer takes ${LATENCY_MS} ms, and ${SLOTS} requests are in flight. The time is that of the whole process, with start-up, ` +
    'migrations, users and summaries. It is held against two limits, both for as many requests as the load made: ' +
    `the ideal one, requests x ${LATENCY_MS} ms / ${SLOTS}, which no program quite reaches, since timers are late and answers have to be ` +
    'read; and a bare loop, the same requests a second as bare ky, which asks for the list and every content of the same ' +
    `shop, ${SLOTS} at once, and does nothing with them, without its start-up. The goal is 85 % of the ideal at 5,000 orders and ` +
    `95 % at 20,000. Medians of ${roundsOr(options, ROUNDS)} runs by turns.`,
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
