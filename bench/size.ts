/** How large a warehouse gets: by its orders, and by the time that it is watched. */
import type { Client } from 'pg';

import { openDatabase } from '../src/warehouse/db/database.ts';
import { takeLease } from '../src/warehouse/ops/lease.ts';
import { pruneRecords } from '../src/warehouse/ops/prune-records.ts';
import { withClient } from '../test/support/database-clients.ts';
import { type Bench, sizeOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { count } from './support/format.ts';
import { startShop } from './support/shop-process.ts';
import { measureRun } from './support/warehouse-runs.ts';

const ORDERS = 20_000;
const SCALE = 100_000;
const DAYS = 365;
const SYNCS_PER_DAY = 24 * 60;
const KEPT_DAYS = 90;
/** Of a table, at most, once an hour: see `sync/sweep/prune-old.ts`. */
const PRUNED_PER_DAY = 24 * 500;
/** Tables that stay below have a fixed size. */
const MIN_SHOWN_MB = 0.45;

export const size: Bench = {
  title: () => 'Size',
  intro: (options) =>
    `Sizes of tables with their indexes and TOAST, in MB (10^6 bytes). A backfill loads ${count(sizeOr(options, ORDERS))} simulated orders of a year; ` +
    `the table shows what that is for ${count(SCALE)} of them. Then a year of syncs passes, one a minute, each of which finds a ` +
    `changed order and so records itself, while runs are kept for ${KEPT_DAYS} days and autovacuum does its work once a day: the most that ` +
    'the books of one shop can take. Syncs that find nothing add nothing.',
  columns: ['table', `MB per ${count(SCALE)} orders`, 'MB per shop after a year'],
  async run(options) {
    const orders = sizeOr(options, ORDERS);
    await using server = await openBenchServer();
    await using database = await server.emptyDatabase();
    await using shop = await startShop({ orders, days: DAYS });
    await measureRun('backfill', database.url, shop);
    return await withClient(database.url, async (client) => {
      await client.query('VACUUM ANALYZE');
      const loaded = await readSizes(client);
      await passYear(client, database.url);
      const passed = await readSizes(client);
      const rows = [...loaded].flatMap(([table, bytes]) => {
        const [perOrders, perYear] = [
          (bytes * SCALE) / orders / 1e6,
          ((passed.get(table) ?? 0) - bytes) / 1e6,
        ];
        const isShown = Math.max(perOrders, perYear) >= MIN_SHOWN_MB;
        return isShown
          ? [{ table, perOrders, perYear: table === 'ops.runs' ? perYear : Math.max(0, perYear) }]
          : [];
      });
      const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
      const total = {
        table: 'all of these',
        perOrders: sum(rows.map(({ perOrders }) => perOrders)),
        perYear: sum(rows.map(({ perYear }) => perYear)),
      };
      const shown = [...rows.toSorted((a, b) => b.perOrders - a.perOrders), total];
      return { rows: shown.map((row) => [row.table, row.perOrders.toFixed(1), row.perYear.toFixed(1)]) };
    });
  },
};

async function readSizes(client: Client): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `SELECT format('%s.%s', n.nspname, c.relname) AS name, pg_total_relation_size(c.oid) AS bytes
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname IN ('core', 'raw', 'ops')`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

/** As the syncs of a year write the books, day by day. */
async function passYear(client: Client, databaseUrl: string): Promise<void> {
  await using database = await openDatabase(databaseUrl);
  const answer = await takeLease(database.db, 1, 'bench');
  if (answer.kind !== 'taken') throw new Error('the lease is not free');
  const end = Temporal.Now.instant();
  for (let day = DAYS; day > 0; day--) {
    const now = end.subtract({ hours: 24 * day });
    await client.query(
      `INSERT INTO ops.runs (shop_id, kind, status, started_at, finished_at, requests, list_requests, days_verified,
         orders_seen, orders_changed, version)
       SELECT 1, 'sync', 'ok', at, at + interval '1 second', 3, 2, 2, 500, 1, '0.1.0'
       FROM generate_series($1::timestamptz, $1::timestamptz + interval '23 h 59 min', $2::interval) at`,
      [now.toString(), `${86_400 / SYNCS_PER_DAY} seconds`],
    );
    const cutoff = now.subtract({ hours: 24 * KEPT_DAYS });
    await pruneRecords(database.db, answer.lease, cutoff, PRUNED_PER_DAY);
    await client.query('VACUUM ops.runs');
  }
}
