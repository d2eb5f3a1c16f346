/** What a load costs where the shop answers at once: client and server time per order, beside bare ky. */
import { join } from 'node:path';

import { type Bench, roundsOr, sizesOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { count, megabytes, percent } from './support/format.ts';
import { runMeasured, type Usage } from './support/measured-command.ts';
import { startShop } from './support/shop-process.ts';
import { interleaved, median } from './support/statistics.ts';
import { measureLoad } from './support/warehouse-runs.ts';

type Cost = Usage & { readonly postgresMs: number | undefined };

const SIZES = [5_000, 50_000];
const ROUNDS = 3;
const BARE_KY = join(import.meta.dirname, 'peers/bare-ky.ts');

export const cpu: Bench = {
  title: () => 'Loads from a shop without latency',
  intro: (options) =>
    '16 requests in flight, the whole process. The limit is bare ky, which fetches the list and every content and discards them. ' +
    'The goal is 60 % of its rate, and per order at most 0.55 ms of client time and 0.35 ms of PostgreSQL time, both the same ' +
    `at all sizes within 15 %. Medians of ${roundsOr(options, ROUNDS)} alternating runs.`,
  columns: [
    'orders',
    'orders/s',
    'bare ky',
    'of bare ky',
    'client ms/order',
    'PostgreSQL ms/order',
    'peak RSS MB',
  ],
  async run(options) {
    await using server = await openBenchServer();
    const rows: string[][] = [];
    for (const orders of sizesOr(options, SIZES)) {
      await using shop = await startShop({ orders });
      const { load, ky } = await interleaved<'load' | 'ky', Cost>(roundsOr(options, ROUNDS), {
        load: () => measureLoad(server, shop),
        ky: async () => ({ ...(await runMeasured([], shop.env, BARE_KY)), postgresMs: undefined }),
      });
      const perOrder = (values: readonly number[]) => (median(values) / orders).toFixed(2);
      const rate = (values: readonly Usage[]) => orders / (median(values.map((one) => one.wallMs)) / 1_000);
      rows.push([
        count(orders),
        count(rate(load)),
        count(rate(ky)),
        percent(rate(load) / rate(ky)),
        perOrder(load.map(({ cpuMs }) => cpuMs)),
        perOrder(load.map(({ postgresMs = Number.NaN }) => postgresMs)),
        megabytes(median(load.map(({ peakBytes }) => peakBytes))),
      ]);
    }
    return { rows };
  },
};
