/** What a replay reads of the shop's answers, and how they are replaced. */
import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';

import { storeGroups } from '../../../src/warehouse/directory/groups.ts';
import { storeUsers } from '../../../src/warehouse/directory/users.ts';
import {
  countRaw,
  readRawGroups,
  readRawOrders,
  readRawUsers,
  replaceUserPayloads,
} from '../../../src/warehouse/raw/raw-records.ts';
import { cleared } from '../../support/cleared.ts';
import {
  at,
  fetched,
  foundUser,
  groupToStore,
  lineRow,
  lost,
  orderToLoad,
  SEEN,
} from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const LATER = at('2026-03-11T08:00:00Z');

const warehouse = fileWarehouse();
let shopId: number;
let other: number;
beforeAll(async () => {
  [shopId, other] = [await warehouse.newShop(), await warehouse.newShop()];
  const lines = fetched([lineRow('1', 1, { code: 'tea' })], LATER);
  const undated = { created_on: null, created_local: null };
  const orders = [
    orderToLoad('1', { lines }),
    orderToLoad('2', { lines: lost(1, LATER), person: null, fingerprint: 'p:key', row: undated }),
  ];
  const gone = { userOid: '43', fetchedAt: LATER, fetchState: 'not_found', payload: null };
  const groups = ['1', '2'].map((oid) => groupToStore(oid, `Group ${oid}`));
  for (const shop of [shopId, other]) {
    await warehouse.load(shop, orders);
    await warehouse.rows(sql`
      INSERT INTO raw.orders (shop_id, order_id, payload, fetched_at) VALUES (${shop}, 3, '{"order_id": "3"}', ${LATER.toString()})`);
    await warehouse.write((tx) => storeUsers(tx, shop, [foundUser('42'), foundUser('41'), gone]));
    await warehouse.write((tx) => storeGroups(tx, shop, groups));
  }
  await warehouse.write((tx) => storeGroups(tx, shopId, [groupToStore('1', 'Group 1', LATER)]));
  await warehouse.write((tx) => storeGroups(tx, other, [groupToStore('9', 'Nine', LATER.add({ hours: 1 }))]));
  await warehouse.rows(sql`DELETE FROM core.user_persons WHERE shop_id = ${shopId} AND user_oid = 41`);
  await warehouse.rows(sql`
    INSERT INTO raw.users (shop_id, user_key, payload, http_status, fetched_at)
    SELECT ${shopId}, '44', payload, 200, fetched_at FROM raw.users WHERE shop_id = ${shopId} AND user_key = '42'`);
});

test('orders are read a few at a time, with their contents, persons and rows, if any', async () => {
  const { db } = warehouse;
  const [first, second] = await readRawOrders(db, shopId, { after: undefined, limit: 2 });
  expect(first).toMatchObject({
    key: '1',
    payload: { order_id: '1', status: 'A' },
    fetchedAt: SEEN,
    content: { ordercontent: ['tea'] },
    contentAt: LATER,
    stored: { isStripped: false, customerKey: 'u:42', buyerOid: '42' },
    profile: [{ name: 'Anna', email: 'anna@mail.example' }],
    person: { buyer_name: 'A name', rest: { user_unique_key: 'key' } },
  });
  expect(second).toEqual({
    key: '2',
    payload: { order_id: '2', status: 'A', summ: '100.00' },
    fetchedAt: SEEN,
    content: null,
    contentAt: null,
    stored: { isStripped: true, customerKey: 'u:42', buyerOid: '42' },
    profile: [expect.objectContaining({ name: 'Anna' })],
    person: null,
  });
  expect(await readRawOrders(db, shopId, { after: '2', limit: 2 })).toEqual([
    {
      key: '3',
      payload: { order_id: '3' },
      fetchedAt: LATER,
      content: null,
      contentAt: null,
      stored: null,
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
  const fetched = { lastState: 'ok', lastAt: SEEN };
  const person = { content: { email: 'anna@mail.example' }, rest: null };
  expect(read).toEqual([
    { key: '41', payload: { oid: '41' }, fetchedAt: SEEN, person: null, ...fetched },
    { key: '42', payload: { oid: '42' }, fetchedAt: SEEN, person, ...fetched },
    { key: '44', payload: { oid: '42' }, fetchedAt: SEEN, person: null, ...fetched },
  ]);
  expect((await readRawUsers(db, shopId, '41', 1)).map(({ key }) => key)).toEqual(['42']);
});

test.each([
  ['found, and so it is', 'ok', SEEN, 'ok'],
  ['not readable, and is now', 'failed', SEEN, 'ok'],
  ['gone since', 'not_found', LATER, 'not_found'],
  ['not answered since', 'failed', LATER, 'failed'],
] as const)(
  'a replayed user has the last state that the shop reported: %s',
  async (_what, fetchState, fetchedAt, expected) => {
    const shop = await warehouse.newShop();
    const asked = { userOid: '42', fetchState, fetchedAt };
    await warehouse.write((tx) => storeUsers(tx, shop, [foundUser('42')]));
    await warehouse.write((tx) => storeUsers(tx, shop, [asked]));
    const [read] = await readRawUsers(warehouse.db, shop, undefined, 1);
    expect(read).toMatchObject({ lastState: expected, lastAt: fetchedAt });
  },
);

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

test('payloads of users are replaced where they differ, and keep their times', async () => {
  const stored = (shop: number) =>
    warehouse.rows(sql`
      SELECT user_key AS key, payload::text, fetched_at, xmin FROM raw.users WHERE shop_id = ${shop} ORDER BY 1`);
  const [before, foreign] = [await stored(shopId), await stored(other)];
  const given = [
    { key: '41', payload: cleared({ oid: '41' }) },
    { key: '42', payload: cleared({ u: 'a\0b' }) },
  ];
  await warehouse.write((tx) => replaceUserPayloads(tx, shopId, given));
  const after = await stored(shopId);
  expect(after.map(({ fetched_at }) => fetched_at)).toEqual(before.map(({ fetched_at }) => fetched_at));
  const written = after.filter(({ xmin }, index) => xmin !== before[index]?.['xmin']);
  expect(written.map(({ key }) => key)).toEqual(['42']);
  const [user] = await readRawUsers(warehouse.db, shopId, '41', 1);
  expect(user?.payload).toEqual({ u: 'a\0b' });
  expect(await stored(other)).toEqual(foreign);
});
