/** Whether a sync that finds nothing changed costs more where more history is held. */
import type { Client } from 'pg';

import { openDatabase } from '../src/warehouse/db/database.ts';
import { withClient } from '../test/support/database-clients.ts';
import { type Bench, roundsOr, sizesOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { fillWarehouse, refreshAll } from './support/fill-warehouse.ts';
import { count, seconds } from './support/format.ts';
import { makeDue } from './support/ledger.ts';
import { type ShopProcess, startShop } from './support/shop-process.ts';
import { startStatementCounter } from './support/statement-counter.ts';
import { median, repeated } from './support/statistics.ts';
import { measureRun } from './support/warehouse-runs.ts';
import { readWrittenRows, type WrittenRows, writtenSince } from './support/written-rows.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const ROUNDS = 5;
/** Of the days that the shop lists: today and yesterday. */
const RECENT_ORDERS = 500;
/** Where the history begins that the shop is not asked for. */
const HISTORY_ENDS_DAYS_AGO = 3;
const FIRST_HISTORY_ID = 1_000_000_000;

export const growth: Bench = {
  title: () => 'A sync that finds nothing changed',
  intro: (options) =>
    'Whole processes of `sync`, with only the newest day due, on warehouses of several sizes. The newest days are synced from a shop of ' +
    `${RECENT_ORDERS} orders without latency; two years of history, with every day verified, were written directly into the tables. ` +
    "A run writes the shop's lease and state, and when the day was verified. The goal is no row beyond these, none " +
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
      await using shop = await startShop({ orders: RECENT_ORDERS, days: 1 });
      await using database = await server.emptyDatabase();
      await measureRun('backfill', database.url, shop);
      await addHistory(database.url, orders);
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

async function addHistory(databaseUrl: string, orders: number): Promise<void> {
  await using database = await openDatabase(databaseUrl);
  await withClient(databaseUrl, async (client) => {
    const span = { endsDaysAgo: HISTORY_ENDS_DAYS_AGO, firstOrderId: FIRST_HISTORY_ID };
    await fillWarehouse(client, { orders, ...span });
    // Or the shop would be asked for them, which knows nothing of these orders.
    await client.query(`UPDATE core.orders SET lines_state = 'ok' WHERE lines_state <> 'ok'`);
    await refreshAll(client, database.db);
  });
}

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
