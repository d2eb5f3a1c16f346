/** Whatever a shop sends, what the normalizers make of it is what PostgreSQL holds. */
import { sql } from 'drizzle-orm';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { JsonObject } from '../../src/json.ts';
import { fingerprint } from '../../src/normalize/fingerprint.ts';
import { normalizeLines } from '../../src/normalize/lines.ts';
import { normalizeOrder } from '../../src/normalize/order.ts';
import { loadOrders, type OrderToLoad } from '../../src/warehouse/orders/load-orders.ts';
import { recordRejections } from '../../src/warehouse/ops/record-rejections.ts';
import { LINE_FIELDS, ORDER_FIELDS } from '../normalize/hostile/fields.ts';
import { TIMEZONE } from '../normalize/hostile/good-values.ts';
import { samples } from '../normalize/hostile/samples.ts';
import { cleared } from '../support/cleared.ts';
import { fetched, SEEN } from '../support/rows.ts';
import { openTestWarehouse } from './test-warehouse.ts';

const ORDERS = (process.env['TEST_LONG'] ?? '') === '' ? 600 : 20_000;
const BATCH = 100;
const context = { timezone: TIMEZONE, guestSecret: 'a key' };

function prepared(sent: JsonObject, line: JsonObject, index: number) {
  // Spoilt identifiers make no row, and equal ones are one order: neither is what is tried here.
  const payload = { ...sent, order_id: String(2n ** 62n + BigInt(index)) };
  const { row, rejections } = normalizeOrder(payload, context);
  if (row === undefined) throw new Error('an order with an identifier has a row');
  const ordercontent = [line, 'no line', line];
  const lines = normalizeLines(row.order_id, ordercontent);
  const books = { seenAt: SEEN, changedAt: SEEN, lastSeenAt: undefined, fingerprint: fingerprint(payload) };
  const order = {
    ...books,
    row: cleared(row),
    payload: cleared(payload),
    lines: { ...fetched(lines.rows), payload: cleared({ ordercontent }) },
  };
  return { order, rejections: [...rejections, ...lines.rejections] };
}

test(`${ORDERS} hostile orders with their lines, payloads and rejections are held as they were normalized`, async () => {
  await using warehouse = await openTestWarehouse();
  const shopId = await warehouse.newShop();
  const sent = fc.sample(fc.tuple(samples(ORDER_FIELDS), samples(LINE_FIELDS)), ORDERS);
  const all = sent.map(([order, line], index) => prepared(order.payload, line.payload, index));
  const rejections = all.flatMap((order) => order.rejections);
  process.stdout.write(`hostile rows: ${ORDERS} orders, ${rejections.length} rejections\n`);

  for (let start = 0; start < ORDERS; start += BATCH) {
    const batch = all.slice(start, start + BATCH);
    const orders: readonly OrderToLoad[] = batch.map(({ order }) => order);
    await warehouse.write(async (tx) => {
      await loadOrders(tx, shopId, orders);
      await recordRejections(
        tx,
        shopId,
        [],
        batch.flatMap((order) => order.rejections),
      );
    });
  }

  const counts = await warehouse.rows(sql`
    SELECT (SELECT count(*)::int FROM tested.orders) AS orders, (SELECT count(*)::int FROM tested.order_lines) AS lines,
      (SELECT count(*)::int FROM tested.raw_orders) AS payloads, (SELECT count(*)::int FROM tested.raw_order_contents) AS contents`);
  expect(counts).toEqual([{ orders: ORDERS, lines: 2 * ORDERS, payloads: ORDERS, contents: ORDERS }]);
  const [kept] = await warehouse.rows(
    sql`SELECT count(*)::int AS rejections, sum(seen_count)::int AS seen FROM tested.rejections`,
  );
  expect(kept?.['seen']).toBe(rejections.length);
  expect(rejections.length).toBeGreaterThan(ORDERS);

  // As JSON on both sides: what came back must be what went in, to the last digit and character.
  const held = await warehouse.rows(sql`
    SELECT order_sum, paid_amount, delivery_price, discount_percent, weight, item_count, buyer_oid, delivery_id, status_code,
      currency, comment, buyer_name, users_raw, to_char(created_local, 'YYYY-MM-DD"T"HH24:MI:SS') AS created_local,
      to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS updated_at, created_on::text AS created_on
    FROM tested.orders ORDER BY order_id`);
  const differing = held.filter((row, index) =>
    Object.entries(row).some(([column, value]) => Reflect.get(all[index]?.order.row ?? {}, column) !== value),
  );
  expect(held).toHaveLength(ORDERS);
  expect(differing).toEqual([]);
});
