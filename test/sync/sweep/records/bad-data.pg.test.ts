import { expect, test } from 'vitest';
import type { Client } from 'pg';

import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import { daysThatAre, FORCED, openShop } from '../../../support/shop.ts';

test('bad fields never cost an order: it is loaded, the field is NULL or best effort, the rejection is kept', async () => {
  const { client, rows, shop, sweep } = await openShop({ orders: 40, days: 10, seed: 11 });
  const ids = shop.orders().map((order) => order.orderId);
  const [date = 0, status = 0, fields = 0, nul = 0, id = 0, sum = 0, lines = 0] = ids;
  shop.setRaw(date, { updated: '2025-02-31 10:00:00', time: '25:61' });
  shop.setRaw(status, { status: 'X7', pay_status: 'ZZ' });
  shop.setRaw(fields, { fields: 'a:1:{s:3:"cut' });
  shop.setRaw(nul, { comment: 'before\0after' });
  shop.setRaw(id, { delivery_id: '12345678901234567890', master_oid: '99999999999999999999' });
  shop.setRaw(sum, { summ: '1 234,50', paid: 'NaN', weight: 'heavy' });
  shop.setRawContent(lines, [{ oid: '1_a', count: 'many', price: '5', total: '1e400' }, 'not a line']);

  const result = await sweep();
  expect(result).toMatchObject({ status: 'partial', orders_new: 40, days_verified: result.days_due });
  const held = async (orderId: number, columns: string) => {
    return (
      await rows(
        `SELECT ${columns} FROM tested.orders JOIN tested.order_persons USING (shop_id, order_id) WHERE order_id = $1`,
        orderId,
      )
    )[0];
  };
  expect(await held(date, 'updated_local, created_on IS NOT NULL AS placed')).toEqual({
    updated_local: null,
    placed: true,
  });
  expect(await held(status, 'status_code, pay_status_code')).toEqual({
    status_code: 'X7',
    pay_status_code: 'ZZ',
  });
  expect(await held(fields, 'fields')).toEqual({ fields: null });
  expect(await held(nul, 'comment')).toEqual({ comment: 'beforeafter' });
  expect(await held(id, 'delivery_id, buyer_oid, is_guest')).toEqual({
    delivery_id: null,
    buyer_oid: null,
    is_guest: true,
  });
  expect(await held(sum, 'order_sum, paid_amount, weight')).toEqual({
    order_sum: '1234.50',
    paid_amount: null,
    weight: null,
  });
  expect(
    await rows('SELECT quantity, unit_price, line_total FROM tested.order_lines WHERE order_id = $1', lines),
  ).toEqual([{ quantity: null, unit_price: '5.00', line_total: null }]);
  const { rows: unknown } = await client.query(
    `SELECT stage, is_sale, is_documented FROM tested.order_statuses WHERE status_code = 'X7'`,
  );
  expect(unknown).toEqual([{ stage: 'unknown', is_sale: false, is_documented: false }]);
  expect(await rows('SELECT kind, code, orders FROM tested.bi_unclassified_statuses ORDER BY kind')).toEqual([
    { kind: 'order', code: 'X7', orders: '1' },
    { kind: 'payment', code: 'ZZ', orders: '1' },
  ]);

  const { rows: rejections } = await client.query(
    'SELECT resource, source_key, field FROM tested.rejections ORDER BY source_key::bigint, resource, field',
  );
  const expected = [
    { resource: 'order', source_key: String(date), field: 'time' },
    { resource: 'order', source_key: String(date), field: 'updated' },
    { resource: 'order', source_key: String(fields), field: 'fields' },
    { resource: 'order', source_key: String(nul), field: 'comment' },
    { resource: 'order', source_key: String(id), field: 'delivery_id' },
    { resource: 'order', source_key: String(id), field: 'master_oid' },
    { resource: 'order', source_key: String(sum), field: 'paid' },
    { resource: 'order', source_key: String(sum), field: 'weight' },
    { resource: 'content', source_key: String(lines), field: 'count' },
    { resource: 'content', source_key: String(lines), field: 'total' },
    { resource: 'content', source_key: String(lines), field: 'ordercontent' },
  ];
  expect(rejections.map((row) => JSON.stringify(row)).toSorted()).toEqual(
    expected.map((row) => JSON.stringify(row)).toSorted(),
  );
  expect(result.rejections).toBe(expected.length);
});

test('an order whose created date does not exist is loaded, and the original is kept with its person', async () => {
  const { rows, shop, sweep } = await openShop({ orders: 30, days: 10, seed: 12 });
  const orderId = shop.orders()[15]?.orderId ?? 0;
  shop.setRaw(orderId, { created: '31.02.2025' });
  expect(await sweep()).toMatchObject({ status: 'partial', orders_new: 30 });
  expect(
    await rows(
      `SELECT o.created_on, o.created_local, p.rest ->> 'created' AS sent FROM tested.orders o
       JOIN tested.order_persons p USING (shop_id, order_id) WHERE order_id = $1`,
      orderId,
    ),
  ).toEqual([{ created_on: null, created_local: null, sent: '31.02.2025' }]);
  const unchanged = { orders_new: 0, orders_changed: 0, content_requests: 0, orders_missing: 0 };
  expect(await sweep(FORCED)).toMatchObject({ status: 'ok', ...unchanged });
});

test('an order without an identifier affects no other order and no day but its own, even alone in its window', async () => {
  const { client, rows, shop, sweep } = await openShop({ orders: 40, days: 10, seed: 12 });
  const alone = shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from('2020-02-03T04:05') });
  shop.setRaw(alone.orderId, { order_id: '' });
  const result = await sweep();
  expect(result).toMatchObject({ status: 'partial', new_rejections: 1 });
  expect(result).toMatchObject({ orders_new: 40, days_verified: result.days_due - 1 });
  expect(await rows('SELECT reason FROM tested.rejections WHERE resolved_at IS NULL')).toEqual([
    { reason: 'the element has no usable order_id' },
  ]);
  // Known by now, and still there.
  const again = await sweep(FORCED);
  expect(again).toMatchObject({ status: 'partial', new_rejections: 0, rejections: 1 });
  expect(await daysThatAre('open', client)).toEqual(['2020-02-03']);
});

test('a shop whose list contains no usable order does not count as empty', async () => {
  const { rows, shop, sweep } = await openShop({ orders: 12, days: 3, seed: 13 });
  await sweep();
  for (const { orderId } of shop.orders()) shop.setRaw(orderId, { order_id: 'x' });
  const result = await sweep(FORCED);
  expect(result).toMatchObject({ status: 'partial', days_verified: 0, orders_missing: 0 });
  expect(await rows('SELECT DISTINCT last_error FROM tested.days WHERE last_error IS NOT NULL')).toEqual([
    { last_error: expect.stringContaining('has a usable order_id') },
  ]);
});

/** What is open: `order summ`, or `order` where nothing of one was understood. */
async function open(client: Client): Promise<readonly unknown[]> {
  const { rows } = await client.query(
    `SELECT DISTINCT concat_ws(' ', resource, field) AS what FROM tested.rejections WHERE resolved_at IS NULL ORDER BY 1`,
  );
  return rows.map((row) => row['what']);
}

const ALL = ['content count', 'group sort', 'order', 'order summ', 'user created'];

test('a rejection is resolved when its record is read without the problem, or is deleted', async () => {
  // They are resolved by the database's clock.
  const now = () => Temporal.Now.instant();
  const { client, shop, ...ground } = await openShop({ orders: 12, days: 3, seed: 8, now: now() });
  const [priced = 0, counted = 0, nameless = 0] = shop.orders().map(({ orderId }) => orderId);
  const shows = { badUsers: true, badGroup: true };
  shop.setRaw(priced, { summ: 'free' });
  shop.setRawContent(counted, [{ oid: '1_a', count: 'many' }]);
  shop.setRaw(nameless, { order_id: 'none' });
  const through = (api: ShopApi): ShopApi => ({
    ...api,
    async userResponse(key, signal) {
      if (!shows.badUsers) return api.userResponse('2147483646', signal);
      const { kind, found } = await api.userResponse(key, signal);
      return { kind, found: found && { ...found, raw: { ...found.raw, created: 'once' } } };
    },
    async groups({ parentOid }) {
      if (parentOid !== '0') return [];
      const kept = { groupOid: '1', raw: { oid: 1 } };
      return shows.badGroup ? [kept, { groupOid: '2', raw: { oid: 2, sort: 'first' } }] : [kept];
    },
  });

  const sweep = async () => {
    // An age of nothing would have users read for ever in one sweep.
    await client.query(`UPDATE tested.users SET fetch_state = 'pending' WHERE fetch_state <> 'guest'`);
    return ground.sweep(FORCED, { groupsMaxAgeMs: 0 }, { now, through });
  };
  const first = await sweep();
  expect(first.new_rejections).toBeGreaterThanOrEqual(ALL.length);
  expect(first.rejections, 'all are new').toBe(first.new_rejections);
  expect(await open(client)).toEqual(ALL);

  // Read again as they are, all of them stay.
  expect(await sweep()).toMatchObject({ new_rejections: 0 });
  expect(await open(client)).toEqual(ALL);

  shop.setRaw(priced, undefined);
  shop.editOrder(priced, { sumCents: 5 });
  shows.badGroup = false;
  await sweep();
  expect(await open(client)).toEqual(['content count', 'order', 'user created']);

  shows.badUsers = false;
  shop.setRawContent(counted, undefined);
  shop.editOrder(counted, { sumCents: 6 });
  shop.setRaw(nameless, undefined);
  expect(await sweep()).toMatchObject({ status: 'ok', new_rejections: 0 });
  expect(await open(client)).toEqual([]);
});
