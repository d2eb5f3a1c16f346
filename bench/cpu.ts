/** What a load costs where the shop answers at once: client and server time per order, beside bare ky. */
import { join } from 'node:path';

import { openBenchServer } from './database.ts';
import { runMeasured, type Usage } from './support/measured-command.ts';
import type { Report } from './support/report.ts';
import { startShop } from './support/shop-process.ts';
import { interleaved, median } from './support/statistics.ts';
import { measureLoad } from './support/warehouse-runs.ts';

type Cost = Usage & { readonly postgresMs: number | undefined };

const SIZES = [5_000, 20_000];
const ROUNDS = 3;
const BARE_KY = join(import.meta.dirname, 'peers/bare-ky.ts');

export async function run(): Promise<Report> {
  await using server = await openBenchServer();
  const rows: string[][] = [];
  for (const orders of SIZES) {
    await using shop = await startShop({ orders });
    const { load, ky } = await interleaved<'load' | 'ky', Cost>(ROUNDS, {
      load: () => measureLoad(server, shop),
      ky: async () => ({ ...(await runMeasured([], shop.env, BARE_KY)), postgresMs: undefined }),
    });
    const perOrder = (values: readonly number[]) => (median(values) / orders).toFixed(2);
    const rate = (values: readonly { wallMs: number }[]) =>
      orders / (median(values.map((one) => one.wallMs)) / 1_000);
    rows.push([
      orders.toLocaleString('en'),
      rate(load).toFixed(0),
      rate(ky).toFixed(0),
      `${((rate(load) / rate(ky)) * 100).toFixed(0)} %`,
      perOrder(load.map(({ cpuMs }) => cpuMs)),
      perOrder(load.map(({ postgresMs = Number.NaN }) => postgresMs)),
      (median(load.map(({ peakBytes }) => peakBytes)) / 1e6).toFixed(0),
    ]);
  }
  return {
    title: 'Loads from a shop without latency',
    intro: `16 requests in flight, the whole process. Bare ky asks for the list and every content, and does nothing with them. Medians of ${ROUNDS} runs by turns.`,
    columns: [
      'orders',
      'orders/s',
      'bare ky',
      'of bare ky',
      'client ms/order',
      'PostgreSQL ms/order',
      'peak RSS MB',
    ],
    rows,
  };
}
