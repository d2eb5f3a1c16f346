/** A column that a view shows as it is stored shows that column, and not the one beside it. */
import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';

import { fileWarehouse } from '../warehouse/test-warehouse.ts';
import { lineOf, loadShop, order } from '../warehouse/views/views-load.ts';

const warehouse = fileWarehouse();
let shopId: number;

/** What other columns, other tables or rules of the table depend on. */
const KEPT: ReadonlySet<string> = new Set(
  (
    'shop_id order_id line_no seq user_oid status_code pay_status_code buyer_oid customer_key is_guest group_oid lines_state ' +
    'missing_since deleted_at fetch_state created_on created_local created_at observed_until fields order_sum paid_amount'
  ).split(' '),
);
const FILLED = ['orders', 'order_lines', 'order_history', 'order_persons', 'users', 'user_persons'];

/** Gives every other column of a table a value of its own. */
async function fill(table: string): Promise<void> {
  const columns = await warehouse.rows(sql`
    SELECT column_name AS name, ordinal_position AS at, data_type AS type FROM information_schema.columns
    WHERE table_schema = 'core' AND table_name = ${table} AND data_type <> 'boolean' AND is_generated = 'NEVER'`);
  const set = columns.flatMap(({ name, at, type }) => {
    if (KEPT.has(String(name))) return [];
    const text = String(type);
    const time = `timestamptz '2026-03-05' + ${String(at)} * interval '1 hour'`;
    const value = text.startsWith('timestamp')
      ? time
      : text === 'text'
        ? `'the ${String(name)}'`
        : String(at);
    return [`${String(name)} = ${text === 'jsonb' ? `to_jsonb('the ${String(name)}'::text)` : value}`];
  });
  await warehouse.rows(
    sql`UPDATE ${sql.raw(`core.${table}`)} SET ${sql.raw(set.join(', '))} WHERE shop_id = ${shopId}`,
  );
}

beforeAll(async () => {
  const lines = [lineOf({ sku: 'M', cents: 1_000, listCents: 1_100 })];
  shopId = await loadShop(warehouse.db, 'plain', [
    order({ lines, paidCents: 300 }),
    order({ lines, status: 'A' }),
    order({ lines, status: 'R' }),
  ]);
  await warehouse.rows(sql`
    INSERT INTO core.order_persons (shop_id, order_id, fields)
    SELECT shop_id, order_id, '{"source": {"value": "Ads"}}' FROM core.orders WHERE shop_id = ${shopId}`);
  await warehouse.rows(sql`INSERT INTO core.user_persons (shop_id, user_oid) VALUES (${shopId}, 1)`);
  await warehouse.rows(sql`
    INSERT INTO core.order_history
      (shop_id, order_id, seq, status_code, pay_status_code, order_sum, paid_amount, observed_at, is_initial)
    SELECT shop_id, order_id, 1, status_code, 'S', order_sum, paid_amount, now(), false
    FROM core.orders WHERE shop_id = ${shopId}`);
  for (const table of FILLED) await fill(table);
  // Neither the day of the order nor the name of a code can be taken for what is beside it.
  await warehouse.rows(sql`
    UPDATE core.orders SET created_at = created_at + interval '3 days' WHERE shop_id = ${shopId}`);
  for (const table of ['order_statuses', 'payment_statuses']) {
    await warehouse.rows(
      sql`UPDATE ${sql.raw(`core.${table}`)} SET name_local = 'Own ' || name WHERE shop_id = ${shopId}`,
    );
  }
});

type Pair = readonly [view: string, source: string, keys: readonly string[], others?: readonly string[]];
const BY_ORDER = ['shop_id', 'order_id'];
/** `others`: columns of the same name that mean something else. */
const PAIRS: readonly Pair[] = [
  // Currencies are shown in capitals.
  ['bi.orders', 'core.orders', BY_ORDER, ['currency']],
  ['bi.order_lines', 'core.order_lines', [...BY_ORDER, 'line_no']],
  ['bi.order_history', 'core.order_history', [...BY_ORDER, 'seq']],
  ['bi_pii.order_contacts', 'core.order_persons', BY_ORDER],
  ['bi_pii.users', 'core.users', ['shop_id', 'user_oid']],
  ['bi_pii.users', 'core.user_persons', ['shop_id', 'user_oid']],
  [
    'bi.order_lines',
    'bi.orders',
    BY_ORDER,
    ['discount_percent', 'discount_raw', 'lines_total', 'list_total', 'order_discount', 'units'],
  ],
  ...[
    ...'order_history order_fields status_periods data_quality delivery_times open_orders returns payments'
      .split(' ')
      .map((view) => `bi.${view}`),
    'bi_pii.order_contacts',
  ].map((view): Pair => [view, 'bi.orders', BY_ORDER]),
];

test.for(PAIRS)('%s shows what is in %s', async ([view, source, keys, others = []]) => {
  const joined = keys.map((key) => `v.${key} = s.${key}`).join(' AND ');
  const found = await warehouse.rows(sql`
    SELECT key, count(*) FILTER (WHERE shown <> stored)::int AS different FROM (
      SELECT key, to_jsonb(v) -> key AS shown, to_jsonb(s) -> key AS stored
      FROM ${sql.raw(view)} v JOIN ${sql.raw(source)} s ON ${sql.raw(joined)}, jsonb_object_keys(to_jsonb(v)) key
      WHERE v.shop_id = ${shopId} AND to_jsonb(s) ? key
    ) c GROUP BY key ORDER BY key`);
  const same = found.filter(({ key }) => !others.includes(String(key)));
  expect(same.filter(({ different }) => different !== 0)).toEqual([]);
  expect(same.length).toBeGreaterThan(6);
});
