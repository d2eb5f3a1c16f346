/** What is deleted of the persons of stored orders, and what stays. */
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import { clearFingerprints } from '../../../src/warehouse/orders/compare-orders.ts';
import { forgetOrders, readPersonalOrders } from '../../../src/warehouse/orders/forget-persons.ts';
import { cleared } from '../../support/cleared.ts';
import { orderPerson, orderToLoad } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const PLAIN = 'f'.repeat(32);

const warehouse = fileWarehouse();
let shopId: number;
let other: number;
beforeEach(async () => {
  shopId = await warehouse.newShop();
  other = await warehouse.newShop();
  const person = orderPerson({ buyer_email: 'anna@mail.example', rest: { note: 'a\0b', big: 5 } });
  const payload = cleared({ order_id: '1', master_oid: '42', status: 'A', hash: 'key' });
  const given = [
    orderToLoad('1', { person, payload, fingerprint: PLAIN }),
    orderToLoad('2', { person: null, fingerprint: `p:${PLAIN}` }),
    orderToLoad('3', { fingerprint: `p:${PLAIN}` }),
  ];
  for (const shop of [shopId, other]) await warehouse.load(shop, given);
});

const order = async (shop: number, id = '1') => {
  const [row] = await warehouse.rows(sql`
    SELECT o.fingerprint, o.order_hash, o.buyer_oid, o.customer_key, o.delivery_name, o.lines_state, o.observed_at, r.payload, p.buyer_email
    FROM core.orders o JOIN raw.orders r USING (shop_id, order_id) LEFT JOIN core.order_persons p USING (shop_id, order_id)
    WHERE o.shop_id = ${shop} AND o.order_id = ${id}`);
  return row;
};

test('the person, the account and the key are removed, in this shop only, and all else stays', async () => {
  const [before, foreign] = [await order(shopId), await order(other)];
  await warehouse.rows(sql`
    INSERT INTO core.users (shop_id, user_oid, fetch_state) VALUES (${shopId}, -5, 'erased')`);
  const forgotten = { orderId: '1', fingerprint: 'e:x', standIn: '-5', person: null };
  await warehouse.write((tx) => forgetOrders(tx, shopId, [forgotten]));
  expect(await order(shopId)).toEqual({
    ...before,
    fingerprint: 'e:x',
    order_hash: null,
    buyer_oid: '-5',
    customer_key: 'u:-5',
    payload: { order_id: '1', master_oid: -5, status: 'A' },
    buyer_email: null,
  });
  expect(await order(other)).toEqual(foreign);
  const versions = await warehouse.rows(sql`SELECT FROM core.order_versions WHERE shop_id = ${shopId}`);
  expect(versions).toEqual([]);
});

test('kept fields of a person stay, and a guest keeps the customer key', async () => {
  const person = orderPerson({ buyer_name: null, fields: { size: 'M' }, rest: null });
  const forgotten = { orderId: '1', fingerprint: 'p:x', standIn: undefined, person };
  await warehouse.write((tx) => forgetOrders(tx, shopId, [forgotten]));
  expect(await order(shopId)).toMatchObject({ buyer_oid: '42', customer_key: 'u:42', fingerprint: 'p:x' });
  const [held] = await readPersonalOrders(warehouse.db, shopId, { ids: ['1'] });
  expect(held).toMatchObject({
    person: { buyer_name: null, fields: { size: 'M' }, rest: null, content_rest: null },
  });
});

test('orders are read in batches as long as something of their persons is stored', async () => {
  const ids = async (after: string | undefined, limit: number) =>
    (await readPersonalOrders(warehouse.db, shopId, { after, limit })).map(({ orderId }) => orderId);
  expect([await ids(undefined, 1), await ids('1', 5), await ids('3', 5)]).toEqual([['1'], ['3'], []]);
  const [first, second] = await readPersonalOrders(warehouse.db, shopId, { ids: ['1', '2'] });
  expect(first).toMatchObject({
    buyerOid: '42',
    fingerprint: PLAIN,
    person: { buyer_email: 'anna@mail.example', rest: { note: 'a\0b', big: 5 } },
  });
  expect(second).toMatchObject({ orderId: '2', person: null });
});

test('an order that is to be read again is still one without its person', async () => {
  await warehouse.write((tx) => clearFingerprints(tx, shopId, ['1', '2']));
  expect([(await order(shopId))?.['fingerprint'], (await order(shopId, '2'))?.['fingerprint']]).toEqual([
    '',
    'p:',
  ]);
});
