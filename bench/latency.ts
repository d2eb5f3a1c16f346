/** How full the request slots are: the time of a load, where each answer takes 50 ms, against the least possible one. */
import { openBenchServer } from './database.ts';
import type { Report } from './support/report.ts';
import { startShop } from './support/shop-process.ts';
import { median } from './support/statistics.ts';
import { measureLoad } from './support/warehouse-runs.ts';

const LATENCY_MS = 50;
const SLOTS = 16;
const ROUNDS = 3;

export async function run(): Promise<Report> {
  await using server = await openBenchServer();
  const rows: string[][] = [];
  for (const orders of [5_000, 20_000]) {
    await using shop = await startShop({ orders, latencyMs: LATENCY_MS });
    const loads = [];
    for (let round = 0; round < ROUNDS; round += 1) loads.push(await measureLoad(server, shop));
    const seconds = median(loads.map(({ wallMs }) => wallMs)) / 1_000;
    const least = (median(loads.map(({ result }) => result.requests)) * LATENCY_MS) / SLOTS / 1_000;
    const cells = [seconds.toFixed(1), least.toFixed(1), `${((least / seconds) * 100).toFixed(0)} %`];
    rows.push([orders.toLocaleString('en'), ...cells, (orders / seconds).toFixed(0)]);
  }
  return {
    title: 'Loads from a slow shop',
    intro:
      `Each answer takes ${LATENCY_MS} ms, ${SLOTS} requests are in flight. The time is that of the whole process, with start-up, ` +
      `migrations and sums; the least is requests x ${LATENCY_MS} ms / ${SLOTS}. Medians of ${ROUNDS} runs.`,
    columns: ['orders', 's', 'least s', 'of the limit', 'orders/s'],
    rows,
  };
}
