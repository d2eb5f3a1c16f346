/** Every mart against the shop's true state, to the cent. */
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Db } from '../../src/warehouse/db/database.ts';
import { showFields } from '../support/show-fields.ts';
import { biCohortsMonthly, biCustomerRfm, biCustomers } from '../support/views/customers.ts';
import { biOrders } from '../support/views/orders.ts';
import { biDataQuality } from '../support/views/quality.ts';
import { biBasket, biDailySales, biSalesByField } from '../support/views/sales.ts';
import { asSet, money, sum } from './exact.ts';
import { type Fact, factsOf, salesOf } from './facts.ts';
import { DELETED, type LoadedShop, openLoadedShop, SHOPS } from './loaded-shop.ts';
import { cohorts, customers, rfm } from './oracle-customers.ts';
import { basket, dailySales, salesByField } from './oracle-sales.ts';

let loaded: LoadedShop;
let db: Db;
let facts: readonly Fact[];

beforeAll(async () => {
  loaded = await openLoadedShop();
  db = loaded.warehouse.db;
  facts = factsOf(loaded.simulator.shop.orders());
});
afterAll(() => loaded[Symbol.asyncDispose]());

/** Each of the two equal shops has exactly the expected rows, but for the columns left out. */
async function agree(
  read: (shop: string) => PromiseLike<readonly object[]>,
  expected: readonly object[],
  leftOut: readonly string[] = [],
): Promise<void> {
  expect(expected.length).toBeGreaterThan(0);
  for (const shop of SHOPS) {
    const rows = (await read(shop)).map((row) =>
      Object.fromEntries(
        Object.entries(row).filter(([name]) => !['shop_id', 'shop', ...leftOut].includes(name)),
      ),
    );
    expect(asSet(rows)).toEqual(asSet(expected));
  }
}

test('the shop has orders of every kind', () => {
  const kinds = Map.groupBy(facts, ({ kind }) => kind);
  expect([...kinds.keys()].toSorted()).toEqual(['cancelled', 'draft', 'other', 'returned', 'sale']);
  const statuses = new Set(facts.map(({ order }) => order.status));
  expect([...statuses]).toEqual(expect.arrayContaining(['', 'X1', 'C', 'F', 'R', 'U']));
  expect(new Set(salesOf(facts).map(({ currency }) => currency))).toEqual(
    new Set(['RUB', 'BYN', 'EUR', 'USD', 'KZT', null]),
  );
  expect(salesOf(facts).filter(({ customer }) => customer.startsWith('order ')).length).toBeGreaterThan(1);
});

test('a deleted order is held, marked, and no sale', async () => {
  const rows = await db.select().from(biOrders).where(eq(biOrders.is_deleted, true));
  expect(rows).toHaveLength(DELETED * SHOPS.length);
  expect(rows.filter(({ is_sale, status_code }) => is_sale || status_code !== 'C')).toEqual([]);
});

test('each day sold what the shop sold, to new and to returning customers, also when clocks change', async () => {
  const expected = dailySales(facts);
  await agree((shop) => db.select().from(biDailySales).where(eq(biDailySales.shop, shop)), expected);
  const customersEver = new Set(salesOf(facts).map(({ customer }) => customer)).size;
  expect(sum(expected.map((row) => row.new_customers))).toBe(customersEver);
  const longDay = expected.filter(({ order_date }) => order_date === '2025-10-26');
  expect(sum(longDay.map(({ orders }) => orders))).toBeGreaterThanOrEqual(4);
});

test('a filter on the day gives the same rows as all days do', async () => {
  const month = (date: string) => date >= '2025-10-01' && date < '2025-11-01';
  await agree(
    (shop) =>
      db
        .select()
        .from(biDailySales)
        .where(sql`shop = ${shop} AND order_date >= '2025-10-01' AND order_date < '2025-11-01'`),
    dailySales(facts).filter(({ order_date }) => month(order_date)),
  );
});

test('customers have the orders and the revenue that are theirs', async () => {
  await agree((shop) => db.select().from(biCustomers).where(eq(biCustomers.shop, shop)), customers(facts), [
    'customer_key',
    'group_oid',
    'user_group',
  ]);
});

test('customers are scored against the others in their currency, equals alike', async () => {
  const expected = rfm(facts);
  await agree((shop) => db.select().from(biCustomerRfm).where(eq(biCustomerRfm.shop, shop)), expected, [
    'customer_key',
    'recency_days',
  ]);
  const segments = new Set(expected.map(({ segment }) => segment));
  expect(segments.size).toBeGreaterThan(5);
  expect(segments).toContain(null);
  const { rows } = await db.execute(sql`
    SELECT DISTINCT recency_days - ((now() AT TIME ZONE 'Europe/Berlin')::date - last_order_date) AS off
    FROM bi.customer_rfm`);
  expect(rows).toEqual([{ off: 0 }]);
});

test('cohorts keep their customers by the month, months without a sale included', async () => {
  const expected = cohorts(facts);
  expect(expected.filter(({ customers }) => customers === 0).length).toBeGreaterThan(0);
  await agree((shop) => db.select().from(biCohortsMonthly).where(eq(biCohortsMonthly.shop, shop)), expected);
  const revenue = sum(expected.map((row) => Number(row.revenue.replace('.', ''))));
  expect(money(revenue)).toBe(money(sum(salesOf(facts).map(({ cents }) => cents))));
});

test('the basket tells what is bought together, and how much more often than by chance', async () => {
  const expected = basket(facts);
  expect(Math.max(...expected.map(({ orders_together }) => orders_together))).toBeGreaterThan(2);
  await agree((shop) => db.select().from(biBasket).where(eq(biBasket.shop, shop)), expected, [
    'product_name',
    'with_product_name',
  ]);
  const names = new Map(
    facts.flatMap(({ order }) => order.lines.map(({ productOid, name }) => [String(productOid), name])),
  );
  const rows = await db.select().from(biBasket);
  expect(rows.filter((row) => row.with_product_name !== names.get(row.with_product_oid))).toEqual([]);
});

test('sales by field add up, and values that few customers share are one row', async () => {
  const peers = 5;
  const { rows: shops } = await db.execute<{ shop_id: number }>(sql`SELECT shop_id FROM core.shops`);
  for (const { shop_id } of shops) await showFields(db, shop_id, peers);
  const expected = salesByField(facts, peers);
  expect(new Set(expected.map(({ field_key }) => field_key)).size).toBeGreaterThan(1);
  expect(new Set(expected.map(({ is_hidden }) => is_hidden)).size).toBe(2);
  await agree((shop) => db.select().from(biSalesByField).where(eq(biSalesByField.shop, shop)), expected);
});

test('every order agrees with its lines and delivery, as it does in the shop', async () => {
  await agree(
    async (shop) => {
      const rows = await db.select().from(biDataQuality).where(eq(biDataQuality.shop, shop));
      return rows.map(({ order_id, order_sum, difference }) => ({ order_id, order_sum, difference }));
    },
    facts.map(({ id, cents }) => ({ order_id: String(id), order_sum: money(cents), difference: '0.00' })),
  );
});

test('a filter on the day reaches the orders, or the sums of days, through every view that has one', async () => {
  const { rows } = await db.execute<{ view: string }>(sql`
    SELECT table_name AS view FROM information_schema.columns
    WHERE table_schema = 'bi' AND column_name = 'order_date' ORDER BY 1`);
  expect(rows.length).toBeGreaterThanOrEqual(9);
  for (const { view } of rows) {
    const plan = await db.execute(
      sql`EXPLAIN (FORMAT JSON) SELECT * FROM ${sql.raw(`bi.${view}`)} WHERE order_date = '2025-11-01'`,
    );
    const text = JSON.stringify(plan.rows);
    expect(text, view).toMatch(
      /"(Index Cond|Recheck Cond|Filter)":"[^"]*(created_on|day) = '2025-11-01'::date/,
    );
    expect(text, `${view} is filtered where rows are read`).not.toContain('order_date =');
  }
});
