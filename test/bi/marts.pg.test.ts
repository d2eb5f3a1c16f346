/** Every mart against the shop's true state, to the cent. */
import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';

import type { Db } from '../../src/warehouse/db/database.ts';
import { showFields } from '../support/show-fields.ts';
import { OF_TESTED } from '../warehouse/test-warehouse.ts';
import { asSet, average, money, sum } from './exact.ts';
import { type Fact, factsOf, salesOf } from './facts.ts';
import { openLoadedShop, SHOPS } from './loaded-shop.ts';
import { cohortRevenue, cohorts, customerCurrencies, customers } from './oracle-customers.ts';
import { derivedColumns, groupSales, openOrders, products, returns, salesByHour } from './oracle-orders.ts';
import { basket, dailySales, salesByField } from './oracle-sales.ts';
import { viewRows } from '../support/view-rows.ts';
import { forFile } from '../support/for-file.ts';

const loaded = forFile(() => openLoadedShop());
let db: Db;
let facts: readonly Fact[];

beforeAll(() => {
  db = loaded.warehouse.db;
  facts = factsOf(loaded.simulator.shop.orders());
});

/** Each of the two equal shops has exactly the expected rows, in the columns that are expected. */
async function agree(view: string, expected: readonly object[], which = sql`true`): Promise<void> {
  expect(expected.length).toBeGreaterThan(0);
  const names = Object.keys(expected[0] ?? {});
  for (const shop of SHOPS) {
    const rows = await viewRows(db, view, sql`shop = ${shop} AND ${which}`);
    const shown = rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));
    expect(asSet(shown)).toEqual(asSet(expected));
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

test('each day sold what the shop sold, to new and to returning customers, also when clocks change', async () => {
  const expected = dailySales(facts);
  await agree('bi.daily_sales', expected);
  const customersEver = new Set(salesOf(facts).map(({ customer }) => customer)).size;
  expect(sum(expected.map((row) => row.new_customers))).toBe(customersEver);
  const longDay = expected.filter(({ order_date }) => order_date === '2025-10-26');
  expect(sum(longDay.map(({ orders }) => orders))).toBeGreaterThanOrEqual(4);
});

test('a filter on the day gives the same rows as all days do', async () => {
  const month = (date: string) => date >= '2025-10-01' && date < '2025-11-01';
  await agree(
    'bi.daily_sales',
    dailySales(facts).filter(({ order_date }) => month(order_date)),
    sql`order_date >= '2025-10-01' AND order_date < '2025-11-01'`,
  );
});

test('customers have their own orders and revenue', async () => {
  await agree('bi.customers', customers(facts));
  const registered = new Map(
    loaded.simulator.shop
      .users()
      .map((user) => [`u:${user.oid}`, user.createdLocal.toPlainDate().toString()]),
  );
  const rows = await viewRows<{ customer_key: string; registered_on: string | null }>(
    db,
    'bi.customers',
    sql`shop = 'test'`,
  );
  expect(rows.filter(({ registered_on: day }) => day !== null).length).toBeGreaterThan(5);
  expect(rows.map((row) => [row.customer_key, row.registered_on])).toEqual(
    rows.map(({ customer_key: key }) => [key, registered.get(key) ?? null]),
  );
});

test('customers have their sums in each currency', async () => {
  const expected = customerCurrencies(facts).map(({ customer: _customer, cents, ...row }) => ({
    ...row,
    lifetime_revenue: money(cents),
    avg_order_value: average(cents, row.orders),
  }));
  expect(expected.length).toBeGreaterThan(customers(facts).length);
  await agree('bi.customer_currencies', expected);
});

test('all views agree on how many customers there are', async () => {
  const { rows } = await db.execute(sql`
    SELECT c.shop,
      count(*)::int AS customers,
      (SELECT count(*)::int FROM bi.customer_rfm r WHERE r.shop = c.shop) AS scored,
      (SELECT sum(new_customers)::int FROM bi.daily_sales d WHERE d.shop = c.shop) AS new,
      (SELECT sum(cohort_customers)::int FROM bi.cohorts_monthly m WHERE m.shop = c.shop AND months_since = 0) AS cohorts,
      (SELECT count(*)::int FROM bi.orders o WHERE o.shop = c.shop AND is_first_order) AS first_orders,
      (SELECT count(DISTINCT customer_key)::int FROM bi.customer_currencies y WHERE y.shop = c.shop) AS in_currencies
    FROM bi.customers c WHERE c.shop_id IN (SELECT shop_id FROM tested.shops) GROUP BY c.shop`);
  const all = new Set(salesOf(facts).map(({ customer }) => customer)).size;
  expect(rows).toHaveLength(SHOPS.length);
  for (const { shop: _shop, ...counts } of rows)
    expect(new Set(Object.values(counts))).toEqual(new Set([all]));
});

test('orders tell the local hour, the place among the sales of the customer, sums of lines, discount and what is owed', async () => {
  const expected = derivedColumns(facts);
  expect(new Set(expected.map((row) => row.order_number_of_customer)).size).toBeGreaterThan(3);
  expect(expected.map((row) => row.order_discount)).toContain('100.00');
  await agree('bi.orders', expected, sql`NOT is_deleted`);
});

test('sales by the hour and by the group of buyers', async () => {
  await agree('bi.sales_by_hour', salesByHour(facts));
  const { shop } = loaded.simulator;
  const groupOf = new Map(shop.users().map(({ oid, groupOid }) => [oid, groupOid]));
  const expected = groupSales(facts, shop.groups(), groupOf);
  expect(new Set(expected.map((row) => row.user_group)).size).toBeGreaterThan(3);
  await agree('bi.group_sales', expected);
});

test('products have one name, their article numbers and the days of their sales', async () => {
  const expected = products(facts);
  expect(expected.filter(({ skus }) => skus !== null).length).toBeGreaterThan(0);
  await agree('bi.products', expected);
});

test('open orders and returns equal those of the shop', async () => {
  const open = openOrders(facts);
  expect(new Set(open.map(({ stage }) => stage))).toEqual(new Set(['open', 'fulfilment']));
  await agree('bi.open_orders', open);
  await agree('bi.returns', returns(facts));
});

test('a shop has the currency of most of its sales, and its first and latest day', async () => {
  const days = facts.map(({ day }) => day).toSorted();
  const rows = await viewRows(db, 'bi.shops', OF_TESTED);
  const expected = {
    timezone: 'Europe/Berlin',
    currency: 'RUB',
    first_order_date: days[0],
    last_order_date: days.at(-1),
    orders: salesOf(facts).length,
    paused_at: null,
  };
  expect(rows).toMatchObject(SHOPS.map(() => expected));
});

test('cohorts keep their customers by the month, months without a sale included', async () => {
  const expected = cohorts(facts);
  expect(expected.filter(({ customers }) => customers === 0).length).toBeGreaterThan(0);
  await agree('bi.cohorts_monthly', expected);
  const revenues = cohortRevenue(facts);
  await agree('bi.cohort_revenue', revenues);
  const revenue = sum(revenues.map((row) => Number(row.revenue.replace('.', ''))));
  expect(money(revenue)).toBe(money(sum(salesOf(facts).map(({ cents }) => cents))));
});

test('the basket shows products bought together, and how much more often than by chance', async () => {
  const expected = basket(facts);
  expect(Math.max(...expected.map(({ orders_together }) => orders_together))).toBeGreaterThan(1);
  await agree('bi.basket', expected);
  const names = new Map(
    facts.flatMap(({ order }) => order.lines.map(({ productOid, name }) => [String(productOid), name])),
  );
  const rows = await viewRows(db, 'bi.basket', OF_TESTED);
  const misnamed = rows.filter(
    ({ with_product_name: name, with_product_oid: oid }) => name !== names.get(String(oid)),
  );
  expect(misnamed).toEqual([]);
});

test('sales by field add up, and hidden fields are left out', async () => {
  const decided = new Map([
    ['source', true],
    ['delivery_time', true],
    ['company', false],
  ]);
  const { rows: shops } = await db.execute<{ shop_id: number }>(sql`SELECT shop_id FROM tested.shops`);
  for (const { shop_id } of shops) {
    await showFields(db, shop_id, ...decided.keys());
    await db.execute(sql`
      UPDATE core.order_form_fields SET is_shown = false WHERE shop_id = ${shop_id} AND field_key = 'company'`);
  }
  const expected = salesByField(facts, decided);
  expect(new Set(expected.map(({ field_key }) => field_key)).size).toBeGreaterThan(1);
  await agree('bi.sales_by_field', expected);
});

test('every order agrees with its lines and delivery, as it does in the shop', async () => {
  await agree(
    'bi.data_quality',
    facts.map(({ id, cents }) => ({ order_id: String(id), order_sum: money(cents), difference: '0.00' })),
  );
});
