/** What a load costs the visitors of a shop, and how much of the shop's spare time it uses. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Bench, sizeOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { percent } from './support/format.ts';
import { MAIN } from './support/measured-command.ts';
import { type PhpShop, type PhpWorkers, startPhpShop } from './support/php-shop.ts';
import { plot, thinned } from './support/plot.ts';
import { startShop } from './support/shop-process.ts';
import { mean } from './support/statistics.ts';

const SECONDS = 60;
/** In which the pace is found. */
const SETTLING_MS = 10_000;
const PLOTTED = 24;
const FIVE_WORKERS: PhpWorkers = { workers: 5, serviceMs: 80, visitorsPerSecond: 25 };
const FIFTY_WORKERS: PhpWorkers = { ...FIVE_WORKERS, workers: 50 };
const FIXED = (concurrency: string) => ({ SHOP_MAX_CONCURRENCY: concurrency, SHOP_MAX_RPS: '1000' });
const CASES = [
  ['5 workers', 'the defaults', FIVE_WORKERS, {}],
  ['5 workers', 'at most 1 at once', FIVE_WORKERS, FIXED('1')],
  ['50 workers', 'the defaults', FIFTY_WORKERS, {}],
  ['50 workers', 'at most 16 at once', FIFTY_WORKERS, FIXED('16')],
] as const;

export const visitors: Bench = {
  title: () => "Beside the shop's visitors",
  intro: ({ seconds }) =>
    `A shop whose PHP workers take ${FIVE_WORKERS.serviceMs} ms for an answer has ${FIVE_WORKERS.visitorsPerSecond} requests of visitors a ` +
    `second. A backfill runs for ${seconds ?? SECONDS} seconds. *Visitors* is the 95th percentile of what visitors wait, without ` +
    'and with it; *spare time* is what the workers have left beside the visitors. The goal is at most 2.0 times as long at 60 % of ' +
    'the spare time or more in the weak shop, and the maximum within two seconds in the strong one. *Over time* shows the ' +
    'requests of each second, the highest block being the most of a second.',
  columns: [
    'shop',
    'settings',
    'visitors ms',
    'with a backfill',
    'times',
    'requests/s',
    'of the spare time',
    'all slots after s',
    'over time',
  ],
  async run(options) {
    await using server = await openBenchServer();
    await using shop = await startShop({ orders: sizeOr(options, 20_000) });
    const rows: string[][] = [];
    for (const [name, settings, workers, limits] of CASES) {
      await using php = await startPhpShop(String(shop.env['SHOP_URL']), workers);
      await using database = await server.emptyDatabase();
      const watchedMs = (options.seconds ?? SECONDS) * 1000;
      const alone = await watch(php, watchedMs);
      const { SHOP_MAX_CONCURRENCY: _, SHOP_MAX_RPS: __, ...login } = shop.env;
      const env = { ...login, SHOP_URL: php.url, DATABASE_URL: database.url, ...limits };
      const child = spawn(process.execPath, [MAIN, 'backfill', '--json'], { env, stdio: 'ignore' });
      const start = await watchStart(php);
      const beside = await watch(php, watchedMs);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const { workers: count, serviceMs, visitorsPerSecond } = workers;
      const spare = (count * 1000) / serviceMs - visitorsPerSecond;
      rows.push([
        name,
        settings,
        alone.p95.toFixed(0),
        beside.p95.toFixed(0),
        (beside.p95 / alone.p95).toFixed(2),
        mean(beside.perSecond).toFixed(1),
        percent(mean(beside.perSecond) / spare),
        settledAfter(start, workers),
        plot(
          thinned(
            [...thinned(start, start.length / 2).map((half) => 2 * half), ...beside.perSecond],
            PLOTTED,
          ),
        ),
      ]);
    }
    return { rows };
  },
};

async function watch(php: PhpShop, ms: number) {
  php.visits();
  const perSecond = await answersPer(php, 1000, ms);
  const waits = php.visits().toSorted((a, b) => a - b);
  return { p95: waits[Math.floor(waits.length * 0.95)] ?? Number.NaN, perSecond };
}

/** The requests of a load that were answered in each part of a time. */
async function answersPer(php: PhpShop, partMs: number, ms: number): Promise<readonly number[]> {
  const began = performance.now();
  const counts = [php.answered()];
  while (counts.length * partMs <= ms) {
    await sleep(began + counts.length * partMs - performance.now());
    counts.push(php.answered());
  }
  return counts.slice(1).map((count, index) => count - (counts[index] ?? 0));
}

async function watchStart(php: PhpShop): Promise<readonly number[]> {
  while (php.answered() === 0) await sleep(20);
  return answersPer(php, 500, SETTLING_MS);
}

/** @returns seconds from the first answer until as many are answered in a second as will be; empty where that is not seen */
function settledAfter(perHalf: readonly number[], { workers }: PhpWorkers): string {
  if (workers < 16) return '';
  const most = Math.max(...perHalf);
  return (0.5 * (perHalf.findIndex((count) => count > 0.9 * most) + 1)).toFixed(1);
}
