/** The most memory that a process held, and whether it grows with the shop. */
import { type Bench, roundsOr, sizesOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { count, megabytes } from './support/format.ts';
import { runMeasured } from './support/measured-command.ts';
import { startShop } from './support/shop-process.ts';
import { median, repeated } from './support/statistics.ts';
import { measureLoad, measureRun } from './support/warehouse-runs.ts';

const SIZES = [300, 5_000, 20_000];
const LONG_SIZES = [...SIZES, 200_000];
const ROUNDS = 3;

export const memory: Bench = {
  title: () => 'Memory',
  intro: (options) =>
    'Peak resident memory of whole processes: of `status` on a loaded warehouse, and of initial loads from a shop without latency, ' +
    '16 requests in flight, where the client is furthest ahead of the database. Queues bound it, so it should not grow with the ' +
    'shop: the goal is under 200 MB at 20,000 and at 200,000 orders, and a last ratio of at most 1.10. `--long` loads ' +
    `200,000 orders. Medians of ${roundsOr(options, ROUNDS)} runs.`,
  columns: ['command', 'peak RSS MB', 'of the row before'],
  async run(options) {
    await using server = await openBenchServer();
    const rounds = roundsOr(options, ROUNDS);
    const sizes = sizesOr(options, options.isLong ? LONG_SIZES : SIZES);
    const peaks: { readonly command: string; readonly bytes: number }[] = [];
    for (const [index, orders] of sizes.entries()) {
      await using shop = await startShop({ orders });
      if (index === 0) {
        await using database = await server.emptyDatabase();
        await measureRun('backfill', database.url, shop);
        const runs = await repeated(rounds, () => runMeasured(['status'], { DATABASE_URL: database.url }));
        peaks.push({ command: '`status`', bytes: median(runs.map(({ peakBytes }) => peakBytes)) });
      }
      const loads = await repeated(rounds, () => measureLoad(server, shop));
      const bytes = median(loads.map(({ peakBytes }) => peakBytes));
      peaks.push({ command: `\`backfill\`, ${count(orders)} orders`, bytes });
    }
    const rows = peaks.map(({ command, bytes }, index) => {
      const before = peaks[index - 1]?.bytes;
      return [command, megabytes(bytes), before === undefined ? '' : (bytes / before).toFixed(2)];
    });
    return { rows };
  },
};
