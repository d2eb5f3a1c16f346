/** The same shop into the same server by order-sync, by a plain script and by dlt, by turns. */
import { type Bench, roundsOr, sizeOr } from './support/benchmark.ts';
import { type BenchServer, openBenchServer } from './support/bench-server.ts';
import { count, megabytes, seconds } from './support/format.ts';
import type { Usage } from './support/measured-command.ts';
import { installDlt, runDlt, runScript } from './support/peer-commands.ts';
import { type ShopProcess, startShop } from './support/shop-process.ts';
import { interleaved, median } from './support/statistics.ts';
import { measureLoad, withPostgresCpu } from './support/warehouse-runs.ts';

const ORDERS = 5_000;
const ROUNDS = 3;
const LATENCIES_MS = [50, 0];
const OWN = 'order-sync';

type Cost = Usage & { readonly postgresMs: number | undefined };

export const peers: Bench = {
  title: () => 'Peers',
  intro: (options) =>
    `${count(sizeOr(options, ORDERS))} orders with their contents and buyers, 16 requests in flight, into empty databases on one server; whole processes. The plain ` +
    'script is an afternoon of work: lists by offset, contents by ky, bulk upserts. It proves nothing, resumes nothing and loses ' +
    'rows that shift between two pages. dlt is a Python library for loading data, with its own parallel requests and merge. The goal ' +
    'is 1.0 times the speed of the script and 1.2 times that of dlt if a response takes 50 ms, and 3 times that of dlt without ' +
    `latency. Medians of ${roundsOr(options, ROUNDS)} alternating runs.`,
  columns: [
    'response time',
    'reader',
    's',
    'orders/s',
    'time, order-sync = 1',
    'client CPU s',
    'PostgreSQL CPU s',
    'peak RSS MB',
  ],
  async run(options) {
    const hasDlt = installDlt();
    const orders = sizeOr(options, ORDERS);
    await using server = await openBenchServer();
    const rows: (readonly string[])[] = [];
    for (const latencyMs of LATENCIES_MS) {
      await using shop = await startShop({ orders, latencyMs });
      const contestants: Readonly<Record<string, () => Promise<Cost>>> = {
        [OWN]: () => measureLoad(server, shop),
        'a plain script': () => measurePeer(server, shop, runScript),
        ...(hasDlt ? { dlt: () => measurePeer(server, shop, runDlt) } : {}),
      };
      const results: Readonly<Record<string, readonly Cost[]>> = await interleaved(
        roundsOr(options, ROUNDS),
        contestants,
      );
      const ownMs = median((results[OWN] ?? []).map(({ wallMs }) => wallMs));
      for (const [name, costs] of Object.entries(results)) {
        rows.push([`${latencyMs} ms`, name, ...cells(costs, orders, ownMs)]);
      }
    }
    return {
      rows,
      notes: hasDlt ? [] : ['dlt was skipped: Python 3 with venv and pip, or dlt itself, was not available.'],
    };
  },
};

function cells(costs: readonly Cost[], orders: number, ownMs: number): readonly string[] {
  const wallMs = median(costs.map((cost) => cost.wallMs));
  return [
    seconds(wallMs),
    count(orders / (wallMs / 1_000)),
    (wallMs / ownMs).toFixed(2),
    seconds(median(costs.map(({ cpuMs }) => cpuMs))),
    seconds(median(costs.map(({ postgresMs = Number.NaN }) => postgresMs))),
    megabytes(median(costs.map(({ peakBytes }) => peakBytes))),
  ];
}

type Env = Readonly<Record<string, string>>;

async function measurePeer(
  server: BenchServer,
  { env }: ShopProcess,
  run: (env: Env) => Promise<Usage>,
): Promise<Cost> {
  await using database = await server.emptyDatabase();
  const settings = { ...env, DATABASE_URL: database.url };
  const { measured, postgresMs } = await withPostgresCpu(database.url, () => run(settings));
  return { ...measured, postgresMs };
}
