/** How long a person waits for commands that do little. */
import { type Bench, roundsOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { megabytes, seconds } from './support/format.ts';
import { runMeasured, type Usage } from './support/measured-command.ts';
import { startShop } from './support/shop-process.ts';
import { median, repeated } from './support/statistics.ts';

const ROUNDS = 7;
const ORDERS = 300;

export const startUp: Bench = {
  title: () => 'Start-up',
  intro: (options) =>
    'Whole processes of the built program. The goals are 0.15 s for `--help`, 0.5 s for `status`, 0.6 s for a `sync` with nothing ' +
    `due, and 1 s for the migrations of an empty database. Medians of ${roundsOr(options, ROUNDS)} runs.`,
  columns: ['command', 's', 'peak RSS MB'],
  async run(options) {
    await using server = await openBenchServer();
    await using shop = await startShop({ orders: ORDERS });
    await using database = await server.emptyDatabase();
    const env = { ...shop.env, DATABASE_URL: database.url };
    await runMeasured(['backfill'], env);
    const commands: Readonly<Record<string, () => Promise<Usage>>> = {
      '`--help`': () => runMeasured(['--help'], env),
      '`status`': () => runMeasured(['status'], env),
      '`sync`, nothing due': () => runMeasured(['sync'], env),
      '`migrate`, empty database': async () => {
        await using empty = await server.emptyDatabase();
        return await runMeasured(['migrate'], { DATABASE_URL: empty.url });
      },
    };
    const rows: string[][] = [];
    for (const [name, command] of Object.entries(commands)) {
      const runs = await repeated(roundsOr(options, ROUNDS), command);
      const wallMs = median(runs.map((run) => run.wallMs));
      rows.push([name, seconds(wallMs, 2), megabytes(median(runs.map(({ peakBytes }) => peakBytes)))]);
    }
    return { rows };
  },
};
