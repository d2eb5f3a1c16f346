/** Deleted orders of every kind are kept, but in nothing that counts orders or lists what is to be done. */
import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';

import { fileWarehouse } from '../warehouse/test-warehouse.ts';
import { enterFields, lineOf, loadShop, order } from '../warehouse/views/views-load.ts';

const STATUSES = ['A', 'P', 'C', 'R', 'F', 'U', '?'] as const;
const LINES = ['1', '2'].map((product) => lineOf({ product, name: `Product ${product}`, listCents: 500 }));

const LIVE = STATUSES.map((status) => order({ status, lines: LINES }));
const DELETED = STATUSES.map((status) => order({ status, lines: LINES, isDeleted: true }));

const warehouse = fileWarehouse();
let shopId: number;

beforeAll(async () => {
  shopId = await loadShop(warehouse.db, 'deleting', [...LIVE, ...DELETED]);
  // Each was accepted when it was first seen, and then seen in the status that it has.
  await warehouse.rows(sql`
    INSERT INTO core.order_history
      (shop_id, order_id, seq, status_code, pay_status_code, not_before, observed_at, observed_until, is_initial)
    SELECT shop_id, order_id, seq, CASE seq WHEN 1 THEN 'A' ELSE status_code END, 'S',
      CASE seq WHEN 2 THEN created_at + interval '1 day' END, created_at + seq * interval '1 day',
      CASE seq WHEN 1 THEN created_at + interval '2 days' END, seq = 1
    FROM core.orders, generate_series(1, 2) AS seq WHERE shop_id = ${shopId}`);
  await enterFields(warehouse.db, shopId, { source: { value: 'Ads' } });
});

test('a view either marks deleted orders, or does not have them', async () => {
  const views = await warehouse.rows(sql`
    SELECT table_schema || '.' || table_name AS name, bool_or(column_name = 'is_deleted') AS marks
    FROM information_schema.columns WHERE table_schema IN ('bi', 'bi_pii')
    GROUP BY 1 HAVING bool_or(column_name = 'order_id') ORDER BY 1`);
  expect(views.length).toBeGreaterThan(8);
  for (const { name, marks } of views) {
    const isDeleted = marks === true ? sql.raw('is_deleted') : sql`false`;
    const rows = await warehouse.rows(sql`
      SELECT DISTINCT order_id, ${isDeleted} AS marked FROM ${sql.raw(String(name))} WHERE shop_id = ${shopId}`);
    const deleted = rows.filter((row) => DELETED.some(({ id }) => String(id) === row['order_id']));
    expect(rows.length - deleted.length, `${String(name)} has orders`).toBeGreaterThan(0);
    if (marks === true) expect(deleted, String(name)).toHaveLength(DELETED.length);
    expect(
      deleted.filter(({ marked }) => marked !== true),
      String(name),
    ).toEqual([]);
  }
});

test('an order that is missing and may come back is marked as deleted nowhere', async () => {
  const missing = await loadShop(warehouse.db, 'missing', [order({ isMissing: true, lines: LINES })]);
  const views = await warehouse.rows(sql`
    SELECT table_schema || '.' || table_name AS name FROM information_schema.columns
    WHERE table_schema IN ('bi', 'bi_pii') AND column_name = 'is_deleted' AND table_name <> 'user_groups'`);
  let marked = 0;
  for (const { name } of views) {
    const rows = await warehouse.rows(
      sql`SELECT DISTINCT is_deleted FROM ${sql.raw(String(name))} WHERE shop_id = ${missing}`,
    );
    if (rows.length > 0) expect(rows, String(name)).toEqual([{ is_deleted: false }]);
    marked += rows.length;
  }
  expect(marked).toBeGreaterThan(3);
});

test('a deleted order is no sale, and nobody owes anything for it', async () => {
  const rows = await warehouse.rows(sql`
    SELECT is_deleted, count(*)::int AS orders, count(*) FILTER (WHERE is_sale)::int AS sales, sum(outstanding) AS owed,
      count(order_number_of_customer)::int AS numbered, count(*) FILTER (WHERE is_first_order)::int AS first
    FROM bi.orders WHERE shop_id = ${shopId} GROUP BY 1 ORDER BY 1`);
  // Of the seven statuses, A, P and C are sales.
  expect(rows).toEqual([
    { is_deleted: false, orders: 7, sales: 3, owed: '30.00', numbered: 3, first: 1 },
    { is_deleted: true, orders: 7, sales: 0, owed: '0.00', numbered: 0, first: 0 },
  ]);
});

test('the stage of a deleted order is deleted, whatever its last status was, and no amount is due', async () => {
  const rows = await warehouse.rows(sql`
    SELECT stage, is_deleted, count(*)::int AS orders, sum(amount_due) AS due FROM bi.orders
    WHERE shop_id = ${shopId} AND (is_deleted OR stage = 'deleted') GROUP BY 1, 2`);
  expect(rows).toEqual([{ stage: 'deleted', is_deleted: true, orders: 7, due: '0.00' }]);
});

test.each([
  ['bi.daily_sales', 'sum(orders)', 3],
  ['bi.daily_sales', 'sum(orders + cancelled_orders + returned_orders + draft_orders + other_orders)', 7],
  ['bi.sales_by_hour', 'sum(orders)', 3],
  ['bi.group_sales', 'sum(orders)', 3],
  ['bi.product_sales', 'sum(orders)', 6],
  ['bi.products', 'sum(orders)', 6],
  ['bi.basket', 'sum(orders_together)', 6],
  ['bi.customers', 'sum(orders)', 3],
  ['bi.cohorts_monthly', 'sum(orders)', 3],
  ['bi.status_funnel', "sum(orders_now) FILTER (WHERE level = 'stage')", 7],
  ['bi.completeness', 'sum(warehouse_orders)', 7],
  ['bi.sync_freshness', 'sum(orders)', 7],
  ['bi.unclassified_statuses', "sum(orders) FILTER (WHERE kind = 'order')", 1],
])('%s: %s counts live orders alone', async (view, figure, expected) => {
  const [row] = await warehouse.rows(
    sql`SELECT (${sql.raw(figure)})::int AS n FROM ${sql.raw(view)} WHERE shop_id = ${shopId}`,
  );
  expect(row).toEqual({ n: expected });
});

test('a deleted order without a date is in the sums of no product', async () => {
  const undated = await loadShop(warehouse.db, 'undated', [
    order({ day: null, lines: LINES }),
    order({ day: null, lines: LINES, isDeleted: true }),
  ]);
  const rows = await warehouse.rows(sql`
    SELECT orders::int FROM bi.products WHERE shop_id = ${undated}`);
  expect(rows).toEqual([{ orders: 1 }, { orders: 1 }]);
});

test('deleted orders are not what a shop is missing', async () => {
  const rows = await warehouse.rows(sql`
    SELECT c.missing_orders::int AS missing, f.orders_missing::int AS in_all
    FROM bi.completeness c JOIN bi.sync_freshness f USING (shop_id) WHERE c.shop_id = ${shopId}`);
  expect(rows).toEqual([{ missing: 0, in_all: 0 }]);
});
