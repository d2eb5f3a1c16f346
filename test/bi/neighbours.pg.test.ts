/** Shops with the same numbers of orders, buyers, groups and products: what one has changes nothing that is said of the other. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { openTestWarehouse, type TestWarehouse } from '../warehouse/test-warehouse.ts';
import { enterFields, type Line, loadShop, order } from '../warehouse/views/views-load.ts';

const MUG: Line = { product: '1', name: 'Mug', sku: 'M', quantity: 1, cents: 500, listCents: 600 };
const BOWL: Line = { ...MUG, product: '2', name: 'Bowl', sku: null };
/** Both shops have these, with the same numbers. */
const ORDERS = [
  order({ lines: [MUG, BOWL] }),
  order({ status: 'A', customer: 'g:a', lines: [BOWL] }),
  order({ status: 'R', day: '2026-02-03' }),
  order({ status: '?', currency: null, day: null, customer: 'u:2' }),
  order({ status: 'P', customer: 'u:2', isMissing: true }),
];

/** Everything besides orders that the views look up, worded as the shop's own. */
async function addDetails(warehouse: TestWarehouse, shopId: number, word: string): Promise<void> {
  await warehouse.rows(sql`
    INSERT INTO core.user_groups (shop_id, group_oid, parent_oid, name)
    VALUES (${shopId}, 8, NULL, ${`${word} top`}), (${shopId}, 9, 8, ${`${word} group`})`);
  await warehouse.rows(sql`UPDATE core.users SET group_oid = 9 WHERE shop_id = ${shopId}`);
  await warehouse.rows(sql`
    INSERT INTO core.user_persons (shop_id, user_oid, name)
    SELECT shop_id, user_oid, ${`${word} buyer`} FROM core.users WHERE shop_id = ${shopId}`);
  await warehouse.rows(sql`
    UPDATE core.order_statuses SET name_local = ${word} || status_code WHERE shop_id = ${shopId} AND status_code <> '?'`);
  await warehouse.rows(
    sql`UPDATE core.payment_statuses SET name_local = ${word} || pay_status_code WHERE shop_id = ${shopId}`,
  );
  await warehouse.rows(sql`
    UPDATE core.order_lines SET product_name = ${word} || product_name WHERE shop_id = ${shopId}`);
  await warehouse.rows(sql`
    INSERT INTO core.order_history
      (shop_id, order_id, seq, status_code, pay_status_code, order_sum, paid_amount, observed_at, observed_until, is_initial)
    SELECT shop_id, order_id, seq, CASE seq WHEN 1 THEN 'N' ELSE status_code END, 'S', 10, 10 * seq,
      first_seen_at + ${word.length} * seq * interval '1 day',
      CASE seq WHEN 1 THEN first_seen_at + ${word.length} * 2 * interval '1 day' END, seq = 1
    FROM core.orders, generate_series(1, 2) AS seq WHERE shop_id = ${shopId}`);
  await warehouse.rows(sql`
    INSERT INTO ops.days (shop_id, day, verified_at, orders_seen, attempts)
    VALUES (${shopId}, '2026-03-01', '2026-03-09T10:00:00Z', ${word.length}, ${word.length})`);
  await warehouse.rows(sql`
    INSERT INTO ops.rejections (shop_id, resource, reason, digest)
    SELECT ${shopId}, 'order', 'bad', n::text FROM generate_series(1, ${word.length}) AS n`);
  await warehouse.rows(sql`
    INSERT INTO ops.runs (shop_id, kind, status, started_at, finished_at, version)
    VALUES (${shopId}, 'sync', 'ok', '2026-03-09'::timestamptz + ${word.length} * interval '1 day', now(), 'test')`);
  await warehouse.rows(sql`UPDATE ops.shop_state SET looked_at = NULL WHERE shop_id = ${shopId}`);
  await enterFields(warehouse.db, shopId, FIELDS);
}

const FIELDS = {
  source: { value: 'Ads', name: 'Source', label: 'Where from' },
  gift: { value: 'yes', name: 'Gift', label: 'Gift' },
};

/** All rows that the views have of a shop, by view. */
async function rowsOf(
  warehouse: TestWarehouse,
  shopId: number,
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const views = await warehouse.rows(sql`
    SELECT table_schema || '.' || table_name AS name FROM information_schema.columns
    WHERE table_schema IN ('bi', 'bi_pii') AND column_name = 'shop_id' ORDER BY 1`);
  const found = new Map<string, readonly unknown[]>();
  for (const name of views.map((view) => String(view['name']))) {
    const told = await warehouse.rows(sql`
      SELECT v::text AS row FROM ${sql.raw(name)} v WHERE shop_id = ${shopId} ORDER BY 1`);
    found.set(
      name,
      told.map(({ row }) => row),
    );
  }
  return found;
}

test('data and settings of another shop change no view of this one', async () => {
  await using warehouse = await openTestWarehouse();
  const { db } = warehouse;
  const shopId = await loadShop(db, 'own', ORDERS);
  await addDetails(warehouse, shopId, 'own');
  await warehouse.rows(sql`
    INSERT INTO core.order_form_fields (shop_id, field_key, is_shown) VALUES (${shopId}, 'gift', true)`);
  const before = await rowsOf(warehouse, shopId);
  expect(before.size).toBeGreaterThan(25);
  const empty = [...before].filter(([, told]) => told.length === 0).map(([name]) => name);
  expect(empty).toEqual([]);

  const other = await loadShop(db, 'neighbour', ORDERS, 'Pacific/Kiritimati');
  await addDetails(warehouse, other, 'neighbour');
  await warehouse.rows(
    sql`UPDATE core.order_statuses SET is_sale = NOT is_sale, stage = 'delivered' WHERE shop_id = ${other}`,
  );
  await warehouse.rows(
    sql`UPDATE core.orders SET is_guest = true, order_sum = 77, currency = 'USD' WHERE shop_id = ${other}`,
  );
  await warehouse.rows(sql`
    INSERT INTO core.order_form_fields (shop_id, field_key, is_shown) VALUES (${other}, 'source', true)`);
  await warehouse.rows(sql`UPDATE ops.shop_state SET freshness = '[]' WHERE shop_id = ${other}`);
  await warehouse.rows(sql`SELECT * FROM ops.refresh_summaries()`);
  expect(await rowsOf(warehouse, shopId)).toEqual(before);

  // The neighbour's next changes make its own sums stale, and no other's.
  await warehouse.rows(sql`UPDATE core.orders SET order_sum = 78 WHERE shop_id = ${other}`);
  await warehouse.rows(sql`UPDATE core.daily_sums SET revenue = 7 WHERE shop_id = ${shopId}`);
  const [kept] = await warehouse.rows(
    sql`SELECT DISTINCT revenue FROM bi.daily_sales WHERE shop_id = ${shopId} AND order_date IS NOT NULL`,
  );
  expect(kept).toEqual({ revenue: '7.00' });
});
