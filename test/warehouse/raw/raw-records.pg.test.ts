/** What a replay reads of the shop's answers, and how they are replaced. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { loadGroups } from '../../../src/warehouse/directory/load-groups.ts';
import { loadUsers } from '../../../src/warehouse/directory/users.ts';
import { keepPayloads, loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import {
  countRaw,
  readRawGroups,
  readRawOrders,
  readRawUsers,
  replacePayloads,
} from '../../../src/warehouse/raw/raw-records.ts';
import { cleared } from '../../support/cleared.ts';
import { at, fetched, foundUser, groupToLoad, lineRow, orderToLoad, SEEN } from '../../support/rows.ts';
import { openTestWarehouse, type TestWarehouse } from '../test-warehouse.ts';

const LATER = at('2026-03-11T08:00:00Z');
const LOST = { kind: 'failed', attempts: 1, triedAt: LATER, reason: 'refused' } as const;

let warehouse: TestWarehouse;
let shopId: number;
let other: number;
beforeAll(async () => {
  warehouse = await openTestWarehouse();
  [shopId, other] = [await warehouse.newShop(), await warehouse.newShop()];
  const lines = fetched([lineRow('1', 1, { code: 'tea' })], LATER);
  const undated = { created_on: null, created_local: null };
  const orders = [
    orderToLoad('1', { lines }),
    orderToLoad('2', { lines: LOST, person: null, fingerprint: 'p:key', row: undated }),
  ];
  const unread = { orderId: '3', payload: cleared({ order_id: '3' }), seenAt: LATER };
  const gone = { userOid: '43', fetchedAt: LATER, answer: { kind: 'not_found' } } as const;
  const groups = ['1', '2'].map((oid) => groupToLoad(oid, `Group ${oid}`));
  for (const shop of [shopId, other]) {
    await warehouse.write((tx) => loadOrders(tx, shop, orders));
    await warehouse.write((tx) => keepPayloads(tx, shop, [unread]));
    await warehouse.write((tx) => loadUsers(tx, shop, [foundUser('42'), foundUser('41'), gone]));
    await warehouse.write((tx) => loadGroups(tx, shop, groups, SEEN));
  }
  await warehouse.write((tx) => loadGroups(tx, shopId, groups.slice(0, 1), LATER));
  await warehouse.write((tx) => loadGroups(tx, other, [groupToLoad('9', 'Nine')], LATER.add({ hours: 1 })));
  await warehouse.rows(sql`DELETE FROM core.user_persons WHERE shop_id = ${shopId} AND user_oid = 41`);
  await warehouse.rows(sql`
    INSERT INTO raw.users (shop_id, user_key, payload, http_status, fetched_at)
    SELECT ${shopId}, '44', payload, 200, fetched_at FROM raw.users WHERE shop_id = ${shopId} AND user_key = '42'`);
});
afterAll(() => warehouse[Symbol.asyncDispose]());

test('orders are read a few at a time, with their contents, persons and rows, if any', async () => {
  const { db } = warehouse;
  const [first, second] = await readRawOrders(db, shopId, { after: undefined, limit: 2 });
  expect(first).toMatchObject({
    key: '1',
    payload: { order_id: '1', status: 'A' },
    fetchedAt: SEEN,
    content: { payload: { ordercontent: ['tea'] }, fetchedAt: LATER },
    held: { isStripped: false, customerKey: 'u:42', buyerOid: '42' },
    profile: [{ name: 'Anna', email: 'anna@mail.example' }],
    person: { buyer_name: 'A name', rest: { user_unique_key: 'key' } },
  });
  expect(second).toEqual({
    key: '2',
    payload: { order_id: '2', status: 'A', summ: '100.00' },
    fetchedAt: SEEN,
    content: undefined,
    held: { isStripped: true, customerKey: 'u:42', buyerOid: '42' },
    profile: [expect.objectContaining({ name: 'Anna' })],
    person: null,
  });
  expect(await readRawOrders(db, shopId, { after: '2', limit: 2 })).toEqual([
    {
      key: '3',
      payload: { order_id: '3' },
      fetchedAt: LATER,
      content: undefined,
      held: null,
      profile: [],
      person: null,
    },
  ]);
  expect((await readRawOrders(db, shopId, { after: undefined, limit: 1 })).map(({ key }) => key)).toEqual([
    '1',
  ]);
  expect(await countRaw(db, shopId)).toEqual({ orders: 3, users: 3, user_groups: 2 });
});

test('users are read with their profiles and states, but for those that the shop does not have', async () => {
  const { db } = warehouse;
  const read = await readRawUsers(db, shopId, undefined, 9);
  const held = { fetchState: 'ok', fetchedAt: expect.any(Temporal.Instant) };
  const person = { content: { email: 'anna@mail.example' }, rest: null };
  expect(read).toEqual([
    { key: '41', payload: { oid: '41' }, fetchedAt: SEEN, person: null, held },
    { key: '42', payload: { oid: '42' }, fetchedAt: SEEN, person, held },
    { key: '44', payload: { oid: '42' }, fetchedAt: SEEN, person: null, held: undefined },
  ]);
  expect((await readRawUsers(db, shopId, '41', 1)).map(({ key }) => key)).toEqual(['42']);
});

test('groups are read with whether they were absent when the tree was last read', async () => {
  const read = async (...which: [string | undefined, number]) =>
    (await readRawGroups(warehouse.db, shopId, ...which)).map(({ key, isGone }) => [key, isGone]);
  expect(await read(undefined, 9)).toEqual([
    ['1', false],
    ['2', true],
  ]);
  const [first] = await readRawGroups(warehouse.db, shopId, undefined, 1);
  expect(first).toEqual({
    key: '1',
    payload: { oid: '1', name: 'Group 1' },
    fetchedAt: LATER,
    isGone: false,
  });
  expect(await read('1', 9)).toEqual([['2', true]]);
  expect(await read(undefined, 1)).toEqual([['1', false]]);
});

test('payloads are replaced where they differ, and keep their times', async () => {
  const stored = (shop: number) =>
    warehouse.rows(sql`
      SELECT 'o' || order_id AS key, payload::text, fetched_at, xmin FROM raw.orders WHERE shop_id = ${shop}
      UNION ALL SELECT 'c' || order_id, payload::text, fetched_at, xmin FROM raw.order_contents WHERE shop_id = ${shop}
      UNION ALL SELECT 'u' || user_key, payload::text, fetched_at, xmin FROM raw.users WHERE shop_id = ${shop} ORDER BY 1`);
  const [before, foreign] = [await stored(shopId), await stored(other)];
  const content = { key: '1', payload: cleared({ ordercontent: [] }) };
  const same = cleared({ order_id: '1', status: 'A', summ: '100.00' });
  await warehouse.write(async (tx) => {
    await replacePayloads(tx, 'orders', shopId, []);
    await replacePayloads(tx, 'orders', shopId, [
      { key: '1', payload: same },
      { key: '2', payload: cleared({ n: 2 }) },
    ]);
    await replacePayloads(tx, 'order_contents', shopId, [content]);
    await replacePayloads(tx, 'users', shopId, [{ key: '42', payload: cleared({ u: 'a\0b' }) }]);
  });
  const after = await stored(shopId);
  expect(after.map(({ fetched_at }) => fetched_at)).toEqual(before.map(({ fetched_at }) => fetched_at));
  const written = after.filter(({ xmin }, index) => xmin !== before[index]?.['xmin']);
  expect(written.map(({ key }) => key)).toEqual(['c1', 'o2', 'u42']);
  const [user] = await readRawUsers(warehouse.db, shopId, '41', 1);
  expect(user?.payload).toEqual({ u: 'a\0b' });
  expect(await stored(other)).toEqual(foreign);
});
