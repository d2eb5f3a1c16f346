import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { type Line, loadShop, order, type Order, putInGroup } from './views-load.ts';
import { fileWarehouse } from '../test-warehouse.ts';
import { viewRows } from '../../support/view-rows.ts';

const warehouse = fileWarehouse();

const MUG: Line = { product: '7', name: 'Mug', sku: 'M1', quantity: 2, cents: 1_800, listCents: 2_000 };
const RENAMED: Line = { ...MUG, name: 'Big mug', quantity: 1, cents: 1_000, listCents: 0 };
const NAMELESS: Line = {
  product: null,
  name: 'Gift wrap',
  sku: null,
  quantity: 1,
  cents: 99,
  listCents: null,
};

const [FIRST, SECOND, THIRD] = ['2026-03-01', '2026-03-02', '2026-03-03'];
const NORTH: readonly Order[] = [
  order({ cents: 10_000, paidCents: 10_000, items: 2, lines: [MUG, MUG, NAMELESS] }),
  order({ cents: 5_050, status: 'A', customer: 'g:abc', lines: [RENAMED, { ...NAMELESS, name: 'Card' }] }),
  order({ cents: 99_900, status: 'F', customer: 'u:2', lines: [MUG] }),
  order({ status: 'R' }),
  order({ status: 'K' }),
  order({ status: 'U', customer: 'o:6' }),
  order({ cents: 7_000, customer: 'u:3', isDeleted: true, lines: [MUG] }),
  order({ cents: 2_000, currency: 'USD', lines: [MUG, { ...MUG, sku: 'M2' }] }),
  order({
    cents: 3_000,
    day: SECOND,
    lines: [{ ...MUG, cents: null }, { ...MUG, quantity: null }, MUG],
  }),
  order({ cents: 1_234, day: SECOND, customer: 'o:10' }),
  order({ cents: 500, day: SECOND, customer: 'o:11', isMissing: true }),
  order({ cents: 800, day: SECOND, customer: 'g:abc' }),
  order({ day: SECOND, status: '' }),
  order({ day: SECOND, status: '?' }),
  order({ cents: 4_000, day: null, customer: 'u:4', lines: [MUG] }),
  order({ cents: 6_000, day: THIRD, customer: 'u:2' }),
  order({ cents: 1_500, day: THIRD, customer: 'u:3' }),
  order({
    cents: 2_500,
    day: THIRD,
    customer: 'u:4',
    lines: [MUG, { ...MUG, name: 'Big mug' }, { ...MUG, name: null }],
  }),
  order({ cents: null, paidCents: null, items: null, day: THIRD, currency: null }),
  // As many sales in each currency: the main one is that of the latest, or else the first by name.
  ...['2026-04-01', '2026-04-03'].map((day) => order({ day, customer: 'u:20' })),
  ...[1, 2].map(() => order({ day: '2026-04-02', customer: 'u:20', currency: 'USD' })),
  ...['USD', 'EUR'].map((currency) => order({ currency, customer: 'u:21', day: '2026-04-03' })),
  ...[null, 'USD'].map((currency) => order({ currency, customer: 'u:22', day: '2026-04-03', cents: null })),
];
const SOUTH = [order({ cents: 1_100, day: SECOND }), order({ day: THIRD, status: 'F', customer: 'u:2' })];

test('the days of a shop with every kind of order have the figures that one works out by hand', async () => {
  await loadShop(warehouse.db, 'north', NORTH);
  await loadShop(warehouse.db, 'south', SOUTH);
  const rows = await viewRows(warehouse.db, 'bi.daily_sales', sql`shop = 'north'`);
  const row = (day: string | null, currency: string | null) =>
    rows.find(({ order_date, currency: its }) => order_date === day && its === currency);
  expect(row(FIRST, 'EUR')).toMatchObject({
    orders: 2,
    revenue: '150.50',
    paid: '100.00',
    avg_order_value: '75.25',
  });
  expect(row(FIRST, 'EUR')).toMatchObject({
    cancelled_orders: 1,
    returned_orders: 2,
    draft_orders: 1,
    items: '7.000',
  });
  expect(row(FIRST, 'USD')).toMatchObject({ orders: 1, revenue: '20.00', new_customers: 1 });
  expect(row(SECOND, 'EUR')).toMatchObject({ orders: 4, customers: 4, new_customers: 2, other_orders: 2 });
  expect(row(THIRD, 'EUR')).toMatchObject({ orders: 3, revenue: '100.00', new_customers: 3 });
  expect(row(THIRD, null)).toMatchObject({
    orders: 1,
    revenue: '0.00',
    avg_order_value: null,
    new_customers: 0,
  });
  expect(row(null, 'EUR')).toMatchObject({ orders: 1, revenue: '40.00', new_customers: 0 });
  const [line] = await viewRows(
    warehouse.db,
    'bi.order_lines',
    sql`shop = 'north' ORDER BY order_id, line_no`,
  );
  expect(line).toMatchObject({ order_date: FIRST, currency: 'EUR', line_discount: '2.00' });
});

test("names come in the shop's own words where somebody entered them, and groups only for registered buyers", async () => {
  const shopId = await loadShop(warehouse.db, 'wording', [order({}), order({ customer: 'o:1' })]);
  await putInGroup(warehouse.db, shopId, 'Wholesale', ['1', '6']);
  await warehouse.db.execute(
    sql`UPDATE core.order_statuses SET name_local = 'Geliefert' WHERE shop_id = ${shopId} AND status_code = 'C'`,
  );
  await warehouse.db.execute(
    sql`UPDATE core.payment_statuses SET name_local = 'Bar' WHERE shop_id = ${shopId} AND pay_status_code = 'HP'`,
  );
  await warehouse.db.execute(
    sql`UPDATE core.orders SET pay_status_code = 'HP' WHERE shop_id = ${shopId} AND customer_key = 'o:1'`,
  );
  expect(await viewRows(warehouse.db, 'bi.orders', sql`shop_id = ${shopId} ORDER BY order_id`)).toMatchObject(
    [
      { status: 'Geliefert', pay_status: 'Not paid', user_group: 'Wholesale' },
      { status: 'Geliefert', pay_status: 'Bar', user_group: null },
    ],
  );
  expect(
    await viewRows(warehouse.db, 'bi.customers', sql`shop_id = ${shopId} ORDER BY customer_key`),
  ).toMatchObject([
    { customer_key: 'o:1', user_group: null },
    { customer_key: 'u:1', user_group: 'Wholesale' },
  ]);
});
