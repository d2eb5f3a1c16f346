/** A warehouse of its own for a test file, and shops in it for each test. */
import { sql } from 'drizzle-orm';

import { type Database, type Db, openDatabase, type Tx } from '../../src/warehouse/db/database.ts';
import { loadOrders } from '../../src/warehouse/orders/load-orders.ts';
import { registerShop } from '../../src/warehouse/directory/registered-shops.ts';
import { freshDatabase } from '../support/database.ts';
import { forFile } from '../support/for-file.ts';
import { FIRST_STATE } from '../support/first-state.ts';
import { untilLocked, WAITING_FOR_LOCK } from '../support/until.ts';

export type TestWarehouse = AsyncDisposable & {
  readonly url: string;
  readonly database: Database;
  readonly db: Db;
  /** Registers another shop. */
  newShop(): Promise<number>;
  /** Runs a write as a transaction of its own. */
  write<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** Loads orders of a shop in a transaction of its own. */
  load(shopId: number, ...how: Loading): ReturnType<typeof loadOrders>;
  /** The rows of a query. */
  rows(query: ReturnType<typeof sql>): Promise<readonly Record<string, unknown>[]>;
};

type Loading = Parameters<typeof loadOrders> extends [unknown, unknown, ...infer How] ? How : never;

/** @param make the database; one without the bystander is for the documentation of a single shop */
export async function openTestWarehouse(make = freshDatabase): Promise<TestWarehouse> {
  await using opening = new AsyncDisposableStack();
  const { url } = opening.use(await make());
  const database = opening.use(await openDatabase(url, 4));
  const { db } = database;
  const opened = opening.move();
  let shops = 0;
  return {
    url,
    database,
    db,
    async newShop() {
      shops += 1;
      const shop = {
        shopKey: `shop-${shops}`,
        baseUrl: 'https://shop.example',
        timezone: 'Europe/Berlin',
      };
      return registerShop(db, shop, FIRST_STATE);
    },
    write: (work) => db.transaction(work),
    load: (shopId, ...how) => db.transaction((tx) => loadOrders(tx, shopId, ...how)),
    async rows(query) {
      const { rows } = await db.execute(query);
      // Of several statements there are none.
      return Array.isArray(rows) ? rows.map(asWritten) : [];
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** One for all tests of a file, open while they run. */
export const fileWarehouse = (make = freshDatabase): TestWarehouse => forFile(() => openTestWarehouse(make));

/** Instants as PostgreSQL writes them. */
const asWritten = (row: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Temporal.Instant ? value.toString().replace('T', ' ').replace('Z', '+00') : value,
    ]),
  );

/** A condition on `shop_id`: rows of the test's own shops, not of the bystander. */
export const OF_TESTED = sql`shop_id IN (SELECT shop_id FROM tested.shops)`;

/** The version of each row of some tables: it differs when a row was written, even with the values it had. */
export async function rowVersions(
  warehouse: TestWarehouse,
  tables: readonly string[],
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const versions: Record<string, readonly unknown[]> = {};
  for (const table of tables) {
    versions[table] = await warehouse.rows(sql`SELECT xmin, ctid::text FROM ${sql.raw(table)} ORDER BY ctid`);
  }
  return versions;
}

/** How many of the rows, as `rowVersions` gives them, were not written in between. */
export function countKept(before: readonly unknown[] = [], after: readonly unknown[] = []): number {
  const known = new Set(before.map((row) => JSON.stringify(row)));
  return after.filter((row) => known.has(JSON.stringify(row))).length;
}

/** Settles once so many connections to the warehouse wait for a lock. @throws Error when they do not */
export async function untilWaiting({ db }: Pick<TestWarehouse, 'db'>, connections = 1): Promise<void> {
  await untilLocked(connections, () => db.execute(sql.raw(WAITING_FOR_LOCK)));
}

export const CORE_TABLES: readonly string[] = [
  'core.order_statuses',
  'core.payment_statuses',
  'core.user_groups',
  'core.users',
  'core.user_persons',
  'core.orders',
  'core.order_persons',
  'core.order_lines',
  'core.order_history',
];
