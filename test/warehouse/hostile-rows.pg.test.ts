/** Whatever a shop sends, what the normalizers make of it is what PostgreSQL holds. */
import { sql } from 'drizzle-orm';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { isJsonObject, type JsonObject, parseJson } from '../../src/model/json.ts';
import { normalizeOrder } from '../../src/normalize/order.ts';
import { normalizeLines } from '../../src/normalize/lines.ts';
import { keepAll } from '../../src/normalize/privacy/privacy.ts';
import { joinContent, joinOrder } from '../../src/normalize/privacy/records.ts';
import { loadOrders, type OrderToLoad } from '../../src/warehouse/orders/load-orders.ts';
import { readRawOrders } from '../../src/warehouse/raw/raw-records.ts';
import { recordRejections } from '../../src/warehouse/ops/rejections.ts';
import { LINE_FIELDS, ORDER_FIELDS } from '../normalize/hostile/fields.ts';
import { TIMEZONE } from '../normalize/hostile/good-values.ts';
import { samples } from '../normalize/hostile/samples.ts';
import { SEEN } from '../support/rows.ts';
import { openTestWarehouse } from './test-warehouse.ts';
import { IS_LONG } from '../support/long.ts';

const ORDERS = IS_LONG ? 20_000 : 250;
const BATCH = 100;
const shop = { timezone: TIMEZONE };
const context = { ...shop, guestSecret: 'a key' };
const privacy = keepAll(context.guestSecret, shop);

/** As it comes from the shop: what no double holds keeps its digits. */
function received(sent: JsonObject): JsonObject {
  const parsed = parseJson(JSON.stringify(sent));
  if (!isJsonObject(parsed)) throw new Error('an object was sent');
  return parsed;
}

function prepared(sent: JsonObject, line: JsonObject, index: number) {
  // Spoilt identifiers make no row, and equal ones are one order: neither is what is tried here.
  const payload = { ...sent, order_id: String(2n ** 62n + BigInt(index)) };
  const read = privacy.order(payload);
  const { row, person, rejections } = read;
  if (row === undefined || person === null)
    throw new Error('an order with an identifier has a row and a person');
  const answer = { ordercontent: [line, 'no line', line], note: sent };
  const lines = normalizeLines(row.order_id, answer.ordercontent);
  const books = {
    seenAt: SEEN,
    observedAt: SEEN,
    fingerprint: privacy.fingerprint(payload),
  };
  const parts = {
    row,
    person,
    payload: read.payload,
    lines: {
      kind: 'fetched' as const,
      fetchedAt: SEEN,
      ...privacy.lines(row.order_id, answer, answer.ordercontent, read),
    },
  };
  return {
    order: { ...books, ...parts },
    sent: payload,
    answer,
    rejections: [...rejections, ...lines.rejections],
  };
}

test(`${ORDERS} hostile orders with their lines, payloads and rejections are stored as they were normalized`, async () => {
  await using warehouse = await openTestWarehouse();
  const shopId = await warehouse.newShop();
  const sent = fc.sample(fc.tuple(samples(ORDER_FIELDS), samples(LINE_FIELDS)), ORDERS);
  const all = sent.map(([order, line], index) =>
    prepared(received(order.payload), received(line.payload), index),
  );
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
    SELECT order_id, order_sum, paid_amount, delivery_price, discount_percent, weight, item_count, buyer_oid, delivery_id, status_code,
      currency, comment, buyer_name, to_char(created_local, 'YYYY-MM-DD"T"HH24:MI:SS') AS created_local,
      to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS updated_at, created_on::text AS created_on
    FROM tested.orders JOIN core.order_persons USING (shop_id, order_id) ORDER BY order_id`);
  const columns = all.map(({ order }) => ({ ...order.row, ...order.person }));
  const differing = held.filter((row, index) =>
    Object.entries(row).some(
      ([column, value]) => String(Reflect.get(columns[index] ?? {}, column)) !== String(value),
    ),
  );
  expect(held).toHaveLength(ORDERS);
  expect(differing).toEqual([]);

  let compared = 0;
  // What is stored in parts makes the same row and person as what was sent, and the same lines.
  for (let after: string | undefined, seen = 0; seen < ORDERS; seen += BATCH) {
    const raw = await readRawOrders(warehouse.db, shopId, { after, limit: BATCH });
    after = raw.at(-1)?.key;
    for (const [at, { payload, person, content }] of raw.entries()) {
      const { order, answer, sent: whole } = all[seen + at] ?? {};
      if (!isJsonObject(payload) || person === null)
        throw new Error(`order ${seen + at} has no payload or person`);
      const again = normalizeOrder(joinOrder(payload, person, person.rest), context);
      const first = normalizeOrder(whole ?? {}, context);
      // PostgreSQL writes out numbers with an exponent.
      if (/[:[,]-?[\d.]+e/i.test(JSON.stringify([whole, answer]))) continue;
      compared += 1;
      expect({ ...again, rejections: again.rejections.length }).toEqual({
        ...first,
        rejections: first.rejections.length,
      });
      const stored = isJsonObject(content) ? content : {};
      const { ordercontent } = joinContent(stored, person.content_rest);
      const { rows } = normalizeLines(
        String(order?.row.order_id),
        Array.isArray(ordercontent) ? ordercontent : [],
      );
      const sentLines = answer?.['ordercontent'];
      const wanted = normalizeLines(String(order?.row.order_id), Array.isArray(sentLines) ? sentLines : []);
      expect(rows).toEqual(wanted.rows);
    }
  }
  expect(compared).toBeGreaterThan(ORDERS / 2);
});
