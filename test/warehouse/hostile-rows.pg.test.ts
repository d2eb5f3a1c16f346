/** Whatever a shop sends, what the normalizers make of it is what PostgreSQL holds. */
import { sql } from 'drizzle-orm';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { isJsonObject, type JsonObject, parseJson } from '../../src/model/json.ts';
import { normalizeLines } from '../../src/normalize/lines.ts';
import { keepAll } from '../../src/normalize/privacy/privacy.ts';
import { storeGroups } from '../../src/warehouse/directory/groups.ts';
import { storeUsers } from '../../src/warehouse/directory/users.ts';
import { loadOrders, type OrderToLoad } from '../../src/warehouse/orders/load-orders.ts';
import { recordRejections } from '../../src/warehouse/ops/rejections.ts';
import { GROUP_FIELDS, LINE_FIELDS, ORDER_FIELDS, USER_FIELDS } from '../normalize/hostile/fields.ts';
import { TIMEZONE } from '../normalize/hostile/good-values.ts';
import { samples } from '../normalize/hostile/samples.ts';
import { SEEN } from '../support/rows.ts';
import { openTestWarehouse } from './test-warehouse.ts';
import { IS_LONG } from '../support/long.ts';

const ORDERS = IS_LONG ? 20_000 : 250;
const BATCH = 100;
const privacy = keepAll('a key', { timezone: TIMEZONE });

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
  const divided = privacy.lines(row.order_id, answer, answer.ordercontent, read);
  const lines = { kind: 'fetched' as const, fetchedAt: SEEN, ...divided };
  const books = { seenAt: SEEN, observedAt: SEEN, fingerprint: privacy.fingerprint(payload) };
  const ofLines = normalizeLines(row.order_id, answer.ordercontent).rejections;
  return {
    order: { ...books, row, person, payload: read.payload, lines },
    rejections: [...rejections, ...ofLines],
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
});

test(`${ORDERS} hostile groups and accounts are held as they were normalized`, async () => {
  await using warehouse = await openTestWarehouse();
  const shopId = await warehouse.newShop();
  const sent = fc.sample(fc.tuple(samples(GROUP_FIELDS), samples(USER_FIELDS)), ORDERS);
  const read = sent.map(([group, user], at) => {
    const oid = String(at + 1);
    const ofOwn = (payload: JsonObject) => received({ ...payload, oid });
    return {
      group: { groupOid: oid, fetchedAt: SEEN, ...privacy.group(ofOwn(group.payload)) },
      user: {
        userOid: oid,
        fetchedAt: SEEN,
        fetchState: 'ok' as const,
        ...privacy.user(oid, ofOwn(user.payload)),
      },
    };
  });
  await warehouse.write(async (tx) => {
    await storeGroups(
      tx,
      shopId,
      read.map(({ group }) => group),
    );
    await storeUsers(
      tx,
      shopId,
      read.map(({ user }) => user),
    );
  });
  const plain = (rows: readonly object[]) => JSON.parse(JSON.stringify(rows));
  const groups = await warehouse.db.execute(sql`SELECT * FROM tested.user_groups ORDER BY group_oid`);
  expect(plain(groups.rows)).toMatchObject(plain(read.map(({ group }) => group.row ?? {})));
  const users = await warehouse.db.execute(sql`
    SELECT * FROM tested.users JOIN tested.user_persons USING (shop_id, user_oid) ORDER BY user_oid`);
  const sentUsers = read.map(({ user }) => {
    // PostgreSQL writes out numbers with an exponent.
    const { images: _images, content: _content, rest: _rest, ...person } = { ...user.person };
    return { ...user.row, ...person };
  });
  expect(plain(users.rows)).toMatchObject(plain(sentUsers));
});
