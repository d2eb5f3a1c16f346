/** How much more three workers do than one: the time until every shop of many is complete. */
import { openLab, untilEqual } from '../test/support/fleet-lab.ts';
import { type Bench, sizeOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { count, seconds } from './support/format.ts';

const SHOPS = 36;
const ORDERS = 60;

export const scaleOut: Bench = {
  title: () => 'Several workers',
  intro: (options) =>
    `${SHOPS} shops of ${sizeOr(options, ORDERS)} orders that respond in 50 ms, with at most ten requests per second each, until all are complete. A worker ` +
    'sweeps four shops at once, so its limit is 40 requests per second, and that of three workers three times as much.',
  columns: ['workers', 's', 'requests/s', 'times one worker'],
  async run(options) {
    await using server = await openBenchServer();
    const rows: string[][] = [];
    let oneMs = 0;
    for (const workers of [1, 3]) {
      const shops = { orders: sizeOr(options, ORDERS), days: 30, latencyMs: 50 };
      await using lab = await openLab(await server.emptyDatabase(), SHOPS, shops);
      const began = performance.now();
      const running = Array.from({ length: workers }, () => lab.startWorker());
      await Promise.all(running.map(({ url }) => url));
      await untilEqual(lab, 600_000);
      const tookMs = performance.now() - began;
      if (workers === 1) oneMs = tookMs;
      const requests = lab.shops.reduce((sum, { simulator }) => sum + simulator.requests.count(), 0);
      rows.push([
        String(workers),
        seconds(tookMs),
        count(requests / (tookMs / 1_000)),
        (oneMs / tookMs).toFixed(2),
      ]);
    }
    return { rows };
  },
};
