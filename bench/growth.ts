/** Whether a sync that finds nothing changed costs more where more history is held. */
import type { Client } from 'pg';

import { withClient } from '../test/support/database-clients.ts';
import { type Bench, roundsOr, sizesOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { count, seconds } from './support/format.ts';
import { makeDue } from './support/ledger.ts';
import { type ShopProcess, startShop } from './support/shop-process.ts';
import { startStatementCounter } from './support/statement-counter.ts';
import { median, repeated } from './support/statistics.ts';
import { measureRun } from './support/warehouse-runs.ts';
import { readWrittenRows, type WrittenRows, writtenSince } from './support/written-rows.ts';

const SIZES = [1_000, 10_000, 100_000];
const ROUNDS = 5;

export const growth: Bench = {
  title: () => 'A sync that finds nothing changed',
  intro: (options) =>
    'Whole processes of `sync`, with only the newest day due, on warehouses of several sizes, loaded from shops without latency. ' +
    "A run writes the shop's lease and state, when the day was verified, and its own row, which goes again. The goal is no row beyond these, none " +
    'at all in `core` and `raw`, and a time that does not grow with the history. Statements include BEGIN and COMMIT. ' +
    `Medians of ${roundsOr(options, ROUNDS)} runs; statements and rows are those of one run.`,
  columns: [
    'orders held',
    's',
    'PostgreSQL ms',
    'requests',
    'statements',
    'rows written in `core` and `raw`',
    'in `ops`',
  ],
  async run(options) {
    await using server = await openBenchServer();
    const rows: string[][] = [];
    for (const orders of sizesOr(options, SIZES)) {
      await using shop = await startShop({ orders });
      await using database = await server.emptyDatabase();
      await measureRun('backfill', database.url, shop);
      const beDue = () => withClient(database.url, (client) => makeDue(client, 'newest'));
      const syncs = await repeated(roundsOr(options, ROUNDS), async () => {
        await beDue();
        return await measureRun('sync', database.url, shop);
      });
      await beDue();
      const counted = await withClient(database.url, (client) => countSync(client, database.url, shop));
      rows.push([
        count(orders),
        seconds(median(syncs.map(({ wallMs }) => wallMs)), 2),
        count(median(syncs.map(({ postgresMs = Number.NaN }) => postgresMs))),
        count(median(syncs.map(({ result }) => result.requests))),
        count(counted.statements),
        count(sumOf(counted.written, (name) => !name.startsWith('ops.'))),
        opsText(counted.written),
      ]);
    }
    return { rows };
  },
};

/** One sync, with what it asks the database and writes there. */
async function countSync(
  client: Client,
  databaseUrl: string,
  shop: ShopProcess,
): Promise<{ readonly statements: number; readonly written: WrittenRows }> {
  const before = await readWrittenRows(client);
  await using counter = await startStatementCounter(databaseUrl);
  await measureRun('sync', counter.url, shop);
  return { statements: counter.count(), written: writtenSince(before, await readWrittenRows(client)) };
}

function sumOf(written: WrittenRows, isCounted: (name: string) => boolean): number {
  return [...written].filter(([name]) => isCounted(name)).reduce((sum, [, rows]) => sum + rows, 0);
}

/** Such as `4 (leases 2, days 1, shop_state 1)`. */
function opsText(written: WrittenRows): string {
  const tables = [...written].filter(([name]) => name.startsWith('ops.'));
  const ordered = tables.toSorted(([one], [other]) => one.localeCompare(other));
  const parts = ordered.map(([name, rows]) => `${name.slice('ops.'.length)} ${rows}`);
  return `${sumOf(written, (name) => name.startsWith('ops.'))} (${parts.join(', ')})`;
}
