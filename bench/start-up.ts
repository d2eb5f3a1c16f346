/** How long a person waits for commands that do little. */
import { openBenchServer } from './database.ts';
import { runMeasured } from './support/measured-command.ts';
import type { Report } from './support/report.ts';
import { startShop } from './support/shop-process.ts';
import { median } from './support/statistics.ts';

const ROUNDS = 7;

export async function run(): Promise<Report> {
  await using server = await openBenchServer();
  await using shop = await startShop({ orders: 300 });
  await using database = await server.emptyDatabase();
  const env = { ...shop.env, DATABASE_URL: database.url };
  await runMeasured(['backfill'], env);
  const commands: Readonly<Record<string, () => Promise<{ wallMs: number; peakBytes: number }>>> = {
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
    const runs = [];
    for (let round = 0; round < ROUNDS; round += 1) runs.push(await command());
    const seconds = median(runs.map(({ wallMs }) => wallMs)) / 1_000;
    rows.push([name, seconds.toFixed(2), (median(runs.map(({ peakBytes }) => peakBytes)) / 1e6).toFixed(0)]);
  }
  return {
    title: 'Start-up',
    intro: `Whole processes of the built program. Medians of ${ROUNDS} runs.`,
    columns: ['command', 's', 'peak RSS MB'],
    rows,
  };
}
