/** What a change of the tables leaves to do: sums to recompute, orders that views show otherwise, and what reports said until then. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { loadShop, order } from '../views/views-load.ts';
import { fileWarehouse } from '../test-warehouse.ts';

/** Changes, each by itself, and in the line below them what each leaves to do. */
const CASES = readFileSync(join(import.meta.dirname, 'left-to-do.txt'), 'utf8').matchAll(
  /^((?:\S.*\n)+) {2}(.*)$/gm,
);

const warehouse = fileWarehouse();
let client: Client;
let shopId: number;

const LINE = { product: '7', name: 'Mug', sku: 'M', quantity: 1, cents: 500, listCents: 500 };
/** Of the buyer 1: sales, an earlier order that was cancelled, one without a date, and an earlier one that was deleted. */
const ORDERS = [
  order({ id: 1, day: '2026-03-01', lines: [LINE] }),
  order({ id: 2, day: '2026-03-02' }),
  order({ id: 3, day: '2026-03-03', status: 'A' }),
  order({ id: 4, day: '2026-03-01', customer: 'u:2' }),
  order({ id: 5, day: '2026-02-01', status: 'F' }),
  order({ id: 6, day: null, lines: [LINE] }),
  order({ id: 7, day: '2026-03-01', customer: 'u:3' }),
  order({ id: 8, day: '2026-02-02', isDeleted: true }),
];
const FIXTURE = `
  INSERT INTO core.order_history (shop_id, order_id, seq, status_code, pay_status_code, observed_at, observed_until, is_initial)
  SELECT shop_id, order_id, seq, CASE seq WHEN 1 THEN 'N' ELSE status_code END, CASE seq WHEN 1 THEN 'HP' ELSE 'S' END,
    now(), CASE seq WHEN 1 THEN now() END, seq = 1
  FROM core.orders, generate_series(1, 2) AS seq WHERE shop_id = $shop AND order_id < 7;
  INSERT INTO core.order_persons (shop_id, order_id, fields)
  SELECT shop_id, order_id, jsonb_build_object(CASE order_id WHEN 2 THEN 'gift' ELSE 'source' END, '{"value": "yes"}'::jsonb)
  FROM core.orders WHERE shop_id = $shop AND order_id < 7;
  INSERT INTO core.user_groups (shop_id, group_oid, name) VALUES ($shop, 8, 'Other'), ($shop, 9, 'Group');
  UPDATE core.users SET group_oid = CASE user_oid WHEN 2 THEN 8 ELSE 9 END WHERE shop_id = $shop;
  UPDATE core.orders SET created_at = created_on + time '10:00', units = 1, stored_at = '2026-03-09', observed_at = '2026-03-08',
    changed_at = '2026-03-10' WHERE shop_id = $shop;
  SELECT * FROM ops.refresh_summaries();
  DELETE FROM ops.view_changes WHERE shop_id = $shop; DELETE FROM core.order_versions WHERE shop_id = $shop`;

const MOVED = "changed_at = changed_at + interval '1 day' WHERE shop_id = $shop AND order_id IN ($1)";
/** What is written short: a change by the shop or by a replay, a copy of an order, what was noted, and what comes of it. */
const SHORT: readonly (readonly [RegExp, string])[] = [
  [/^edit (.*): (.*)/, `UPDATE core.orders SET $2, observed_at = changed_at + interval '1 day', ${MOVED}`],
  [/^reread (.*): (.*)/, `UPDATE core.orders SET $2, ${MOVED}`],
  [
    /^copy (.*): (\d+), (.*)/,
    `CREATE TEMP TABLE copied AS SELECT * FROM core.orders WHERE shop_id = $shop AND order_id = $1;
     UPDATE copied SET order_id = $2, $3; INSERT INTO core.orders SELECT * FROM copied`,
  ],
  [/^mean (.*): (.*)/, "UPDATE core.order_statuses SET $2 WHERE shop_id = $shop AND status_code = '$1'"],
  [
    /^show (.*)/,
    `INSERT INTO core.order_form_fields (shop_id, field_key, is_shown) VALUES ($shop, '$1', true);
     DELETE FROM ops.stale_sums WHERE shop_id = $shop; DELETE FROM ops.view_changes WHERE shop_id = $shop`,
  ],
  [
    /^note (\S+) (\S+) ?(.*)/,
    `INSERT INTO ops.view_changes (shop_id, kind, key, since) VALUES ($shop, '$1', '$2', nullif('$3', '')::timestamptz)`,
  ],
  [/^spread$/, 'SELECT ops.spread_view_changes($shop)'],
];

const LEFT = `
  SELECT 'day ' || day || CASE WHEN count(month) > 0 OR EXISTS (
    SELECT FROM ops.stale_sums m WHERE m.shop_id = $shop AND m.day IS NULL AND m.month = date_trunc('month', s.day::timestamp))
    THEN ' and products' ELSE '' END AS left
  FROM ops.stale_sums s WHERE shop_id = $shop AND day IS NOT NULL GROUP BY day
  UNION SELECT 'customer ' || customer_key FROM ops.stale_sums WHERE shop_id = $shop AND customer_key IS NOT NULL
  UNION ALL SELECT concat_ws(' ', 'shown', kind, key, to_char(since AT TIME ZONE 'UTC', 'MM-DD HH24:MI'))
  FROM ops.view_changes WHERE shop_id = $shop
  UNION ALL SELECT concat_ws(' ', 'was', order_id, created_on, to_char(created_at AT TIME ZONE 'UTC', 'HH24:MI'), currency,
    status_code, customer_key, order_sum, paid_amount, units, CASE WHEN is_deleted THEN 'deleted' END,
    CASE WHEN is_reread THEN 'reread' END, to_char(valid_from AT TIME ZONE 'UTC', '"from "MM-DD'),
    CASE WHEN valid_until <= now() THEN to_char(valid_until AT TIME ZONE 'UTC', '"to "MM-DD') END)
  FROM core.order_versions WHERE shop_id = $shop
  UNION ALL SELECT concat_ws(' ', 'meant', status_code, stage, is_sale, CASE WHEN valid_from > '-infinity' THEN 'after ' || (
    SELECT count(*) FROM core.status_versions b
    WHERE b.shop_id = v.shop_id AND b.status_code = v.status_code AND b.valid_until <= v.valid_from) END)
  FROM core.status_versions v WHERE shop_id = $shop ORDER BY 1`;

/** @param statements with `$shop` for the shop @returns the rows of the last one */
async function run(statements: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const results = await client.query(statements.join(';\n').replaceAll('$shop', String(shopId)));
  return [results].flat().at(-1)?.rows ?? [];
}

beforeAll(async () => {
  client = await warehouse.database.connect();
  shopId = await loadShop(warehouse.db, 'left to do', ORDERS);
  await run([FIXTURE]);
});
afterAll(() => client.end());

test.each(
  [...CASES].flatMap(([, changes = '', left = '']) =>
    changes
      .trim()
      .split('\n')
      .map((change) => ({ change, left })),
  ),
)('$change', async ({ change, left }) => {
  const statements = change.split('; ').map((text) => {
    const [short, full] = SHORT.find(([known]) => known.test(text)) ?? [text, text];
    return text.replace(short, full);
  });
  try {
    const rows = await run(['BEGIN', ...statements, LEFT]);
    expect(rows.map((row) => row['left'])).toEqual(left === 'nothing' ? [] : left.split('; '));
  } finally {
    await client.query('ROLLBACK');
  }
});
