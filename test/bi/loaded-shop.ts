/** A warehouse that holds a shop with every kind of order, and a twin of it: what is counted by shop must not double. */
import { sql } from 'drizzle-orm';

import type { Simulator } from '../../src/simulator/server.ts';
import { makeShopInProcess } from '../support/in-process-shop.ts';
import type { OrderChange } from '../../src/simulator/shop/sim-order.ts';
import { sweepOnce, testClock, withoutGroups } from '../support/sweep.ts';
import { openTestWarehouse, type TestWarehouse } from '../warehouse/test-warehouse.ts';
import type { Tx } from '../../src/warehouse/db/database.ts';
import { IS_LONG } from '../support/long.ts';
import { groups } from './exact.ts';

/** Three weeks after the clocks of Berlin went back, on 2025-10-26. */
const PRESENT = Temporal.Instant.from('2025-11-16T12:00:00Z');
const LARGE = { orders: IS_LONG ? 300 : 120, days: 100 };
/** Some of each kind, for what does not depend on how many there are. */
export const SMALL: typeof LARGE = { orders: 100, days: 40 };
export const SHOPS: readonly string[] = ['test', 'twin'];
const DELETED = 4;

export type LoadedShop = AsyncDisposable & {
  readonly warehouse: TestWarehouse;
  readonly simulator: Simulator;
};

export async function openLoadedShop(size = LARGE): Promise<LoadedShop> {
  await using opening = new AsyncDisposableStack();
  const dialect = { statuses: 'custom' } as const;
  const simulator = opening.use(makeShopInProcess({ ...size, seed: 11, now: PRESENT, dialect }));
  const warehouse = opening.use(await openTestWarehouse());
  for (const order of SPECIAL) simulator.shop.insertOrder(order);
  const clock = testClock(PRESENT);
  const sweep = async () => {
    const means = { now: clock.now, through: withoutGroups };
    await sweepOnce(simulator, warehouse.db, { kind: 'backfill', force: true }, {}, means);
    clock.pass({ minutes: 6 });
  };
  await sweep();
  for (const orderId of firstSales(simulator)) simulator.shop.deleteOrder(orderId);
  // The first sweep finds them missing, the second is sure, five minutes later.
  await sweep();
  await sweep();
  await addTwin(warehouse);
  await addGroups(warehouse, simulator);
  // As autovacuum would, some time later.
  await warehouse.db.execute(sql`ANALYZE`);
  const opened = opening.move();
  return { warehouse, simulator, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const NOBODY = { buyerOid: 6, fio: '', email: '', phone: '', address: '' };
const at = (text: string) => ({ createdLocal: Temporal.PlainDateTime.from(text) });

/**
 * Around the hour that happens twice; guests who left nothing; no currency, no status; a customer of two currencies, who
 * ordered in both in one minute; discounts of both kinds; one who skipped a month.
 */
const SPECIAL: readonly OrderChange[] = [
  { ...at('2025-10-25T23:59'), status: 'C' },
  { ...at('2025-10-26T00:00'), status: 'C' },
  { ...at('2025-10-26T02:30'), status: 'A', ...NOBODY },
  { ...at('2025-10-26T02:31'), status: 'A', ...NOBODY },
  { ...at('2025-10-26T23:59'), status: 'Q' },
  { ...at('2025-10-27T00:00'), status: 'F' },
  { ...at('2025-11-01T10:00'), status: 'C', currency: '' },
  { ...at('2025-11-01T10:00'), status: '', currency: '' },
  { ...at('2025-11-02T10:00'), status: 'C', currency: 'USD', ...NOBODY, email: 'two@mail.example' },
  { ...at('2025-11-02T10:00'), status: 'C', currency: 'EUR', ...NOBODY, email: 'Two@Mail.Example' },
  { ...at('2025-11-02T10:00'), status: 'R', currency: 'EUR', ...NOBODY, email: 'two@mail.example' },
  { ...at('2025-11-03T10:00'), status: 'C', discount: '100' },
  { ...at('2025-11-03T10:00'), status: 'C', payStatus: 'HP', discount: '7%' },
  { ...at('2025-05-05T10:00'), status: 'C', ...NOBODY, email: 'early@mail.example' },
  { ...at('2025-09-05T10:00'), status: 'C', currency: 'KZT', ...NOBODY, email: 'rare@mail.example' },
  { ...at('2025-11-05T10:00'), status: 'C', currency: 'KZT', ...NOBODY, email: 'rare@mail.example' },
];

/** The first orders of customers who came back, so that another sale becomes their first one. */
function firstSales({ shop }: Simulator): readonly number[] {
  const returning = groups(
    shop.orders().filter(({ status, buyerOid }) => status === 'C' && buyerOid !== 6),
    ({ buyerOid }) => [buyerOid],
  ).filter((orders) => orders.length > 2);
  return returning.slice(0, DELETED).map(([first]) => first.orderId);
}

/** As a sweep would load them, but for the many requests. */
async function addGroups({ db }: TestWarehouse, { shop }: Simulator): Promise<void> {
  const rows = shop.groups().map(({ oid, parentOid, name }) => ({ oid, parent_oid: parentOid, name }));
  await db.execute(sql`
    INSERT INTO tested.user_groups (shop_id, group_oid, parent_oid, name)
    SELECT shop_id, oid, parent_oid, name
    FROM tested.shops, json_to_recordset(${JSON.stringify(rows)}::json) AS g(oid bigint, parent_oid bigint, name text)`);
}

async function addTwin({ db }: TestWarehouse): Promise<void> {
  await db.execute(sql`
    INSERT INTO tested.shops (shop_key, base_url, timezone) SELECT 'twin', base_url, timezone FROM tested.shops`);
  await db.transaction(async (tx) => {
    for (const table of ['order_statuses', 'payment_statuses', 'users', 'user_persons', 'orders'])
      await copyToTwin(tx, table);
    // No trigger is to change what it copies.
    await tx.execute(sql`
      DELETE FROM core.order_history WHERE shop_id IN (SELECT shop_id FROM tested.shops WHERE shop_key = 'twin')`);
    await tx.execute(sql`SET LOCAL session_replication_role = replica`);
    for (const table of ['order_persons', 'order_lines', 'order_history']) await copyToTwin(tx, table);
  });
}

/** Rows as they are, but for their shop. */
async function copyToTwin(tx: Tx, table: string): Promise<void> {
  const { rows } = await tx.execute<{ name: string }>(sql`
      SELECT quote_ident(attname) AS name FROM pg_attribute
      WHERE attrelid = ${`core.${table}`}::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`);
  const columns = rows.map(({ name }) => name);
  await tx.execute(sql`
      INSERT INTO ${sql.raw(`core.${table} (${columns.join(', ')})`)}
      SELECT ${sql.raw(columns.map((name) => `twin.${name}`).join(', '))} FROM ${sql.raw(`tested.${table}`)} own,
        LATERAL jsonb_populate_record(own, jsonb_build_object('shop_id',
          (SELECT shop_id FROM tested.shops WHERE shop_key = 'twin'))) twin`);
}
