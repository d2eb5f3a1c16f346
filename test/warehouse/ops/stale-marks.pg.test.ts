/** Whatever somebody changes of an order by hand, the views show it at once: each column that sums depend on makes them stale. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import { refreshSummaries } from '../../../src/warehouse/ops/refresh-summaries.ts';
import { orderToLoad, SEEN } from '../../support/rows.ts';
import { openTestWarehouse, type TestWarehouse } from '../test-warehouse.ts';

let warehouse: TestWarehouse;
let shopId: number;

beforeAll(async () => {
  warehouse = await openTestWarehouse();
  shopId = await warehouse.newShop();
  const seen = [
    { seenAt: SEEN, lastSeenAt: undefined, row: { status_code: 'N' } },
    { seenAt: SEEN.add({ hours: 1 }), lastSeenAt: SEEN, row: { status_code: 'A' } },
  ];
  for (const given of seen) {
    await warehouse.write((tx) =>
      loadOrders(tx, shopId, [
        orderToLoad('1', given),
        orderToLoad('2', { ...given, row: { customer_key: 'u:7', buyer_oid: '7' } }),
      ]),
    );
  }
});
afterAll(() => warehouse[Symbol.asyncDispose]());

/** Days and customers whose sums are recomputed after a change of order 1. */
const touchedBy = async (table: string, change: string) =>
  touchedByStatement(`UPDATE ${table} SET ${change} WHERE shop_id = $shop AND order_id = 1`);

/** @param statement with `$shop` for the shop */
async function touchedByStatement(statement: string): Promise<unknown> {
  await refreshSummaries(warehouse.db);
  await warehouse.rows(sql.raw(statement.replaceAll('$shop', String(shopId))));
  const [marks] = await warehouse.rows(sql`
    SELECT (SELECT array_agg(DISTINCT day::text ORDER BY day::text) FROM ops.stale_sums WHERE shop_id = ${shopId} AND day IS NOT NULL) AS days,
      (SELECT array_agg(DISTINCT customer_key ORDER BY customer_key) FROM ops.stale_sums
        WHERE shop_id = ${shopId} AND customer_key IS NOT NULL) AS customers`);
  return marks;
}

const DAY = ['2026-03-01'];
const CUSTOMER = ['u:42'];

test.each([
  ["status_code = 'C'", DAY, CUSTOMER],
  ["currency = 'USD'", DAY, CUSTOMER],
  ['order_sum = 7', DAY, CUSTOMER],
  ['paid_amount = 7', DAY, CUSTOMER],
  ['units = 7', DAY, CUSTOMER],
  ['lines_total = 7', DAY, CUSTOMER],
  ['list_total = 7', DAY, CUSTOMER],
  ['delivery_price = 7', DAY, CUSTOMER],
  ["discount_raw = '7'", DAY, CUSTOMER],
  ['discount_percent = 7', DAY, CUSTOMER],
  ["created_at = created_at - interval '1 hour'", DAY, CUSTOMER],
  ['is_guest = true', DAY, CUSTOMER],
  ['buyer_oid = 7', DAY, CUSTOMER],
  ['missing_since = now(), deleted_at = now()', DAY, CUSTOMER],
  ['deleted_at = NULL', DAY, CUSTOMER],
  ["customer_key = 'u:43'", DAY, ['u:42', 'u:43']],
  ["customer_key = 'u:42'", DAY, ['u:42', 'u:43']],
  ["created_on = '2026-03-02'", ['2026-03-01', '2026-03-02'], CUSTOMER],
  ["created_on = '2026-03-01'", ['2026-03-01', '2026-03-02'], CUSTOMER],
  ["color = 'red', views = 9, item_count = 7", null, null],
])('an order: %s', async (change, days, customers) => {
  expect(await touchedBy('core.orders', change)).toEqual({ days, customers });
});

test.each([
  ['core.order_lines', 'product_oid = 77', DAY],
  ['core.order_lines', "sku = 'M'", DAY],
  ['core.order_lines', 'quantity = 9', null],
  ['core.order_persons', `fields = '{"source": {"value": "Ads"}}'`, DAY],
  ['core.order_persons', "comment = 'call me', buyer_name = NULL", null],
  // Its past alone: what it is now, the order itself says.
  ['core.order_history', "status_code = 'V'", DAY],
  ['core.order_history', 'order_sum = 9', null],
])('of %s: %s', async (table, change, days) => {
  expect(await touchedBy(table, change)).toEqual({ days, customers: null });
});

const OF_FIRST = 'WHERE shop_id = $shop AND order_id = 1';
const PERSON = 'INSERT INTO core.order_persons (shop_id, order_id, fields) VALUES';
const ENTRY = 'shop_id, order_id, seq, status_code, pay_status_code, observed_at, observed_until, is_initial';

test.each([
  ['a line goes', `DELETE FROM core.order_lines ${OF_FIRST} AND line_no = 2`, DAY],
  [
    'a line comes',
    'INSERT INTO core.order_lines (shop_id, order_id, line_no, product_oid) VALUES ($shop, 1, 2, 8)',
    DAY,
  ],
  ['a person goes', `DELETE FROM core.order_persons ${OF_FIRST}`, DAY],
  ['a person comes with a source', `${PERSON} ($shop, 1, '{"source": {"value": "Ads"}}')`, DAY],
  [
    'a person without a source goes',
    'DELETE FROM core.order_persons WHERE shop_id = $shop AND order_id = 2',
    null,
  ],
  ['a person comes without a source', `${PERSON} ($shop, 2, '{"gift": {"value": "yes"}}')`, null],
  ['what it was goes', `DELETE FROM core.order_history ${OF_FIRST} AND seq = 1`, DAY],
  [
    'what it was comes',
    `INSERT INTO core.order_history (${ENTRY}) VALUES ($shop, 1, 1, 'N', 'S', now(), now(), true)`,
    DAY,
  ],
])('%s', async (_what, statement, days) => {
  expect(await touchedByStatement(statement)).toEqual({ days, customers: null });
});
