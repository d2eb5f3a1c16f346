/** What is read of users, groups, codes and fields, beside others that it must not be mixed up with. */
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import { markOtherGroups, storeGroups } from '../../../src/warehouse/directory/groups.ts';
import {
  changeCode,
  listUnclassifiedCodes,
  readKnownCodes,
  readOwnerCodes,
  removeUnusedCodes,
} from '../../../src/warehouse/directory/owner-codes.ts';
import {
  decideField,
  readOwnerFields,
  readShownFields,
} from '../../../src/warehouse/directory/owner-fields.ts';
import { addStandIns, readLatestUsers, requestUsersAgain } from '../../../src/warehouse/directory/users.ts';
import { at, groupToStore, orderPerson, type OrderRow, orderToLoad, SEEN } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const warehouse = fileWarehouse();
let shopId: number;
let other: number;
beforeEach(async () => {
  shopId = await warehouse.newShop();
  other = await warehouse.newShop();
});

const both = () => [shopId, other];
const fields = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value, name: key, label: key }]));

test('the users fetched last are known, and all but guests and erased ones are fetched again', async () => {
  const states = ['ok', 'ok', 'not_found', 'failed', 'erased', 'guest', 'pending', 'ok'];
  for (const shop of both()) {
    for (const [index, state] of states.entries()) {
      await warehouse.rows(sql`
        INSERT INTO core.users (shop_id, user_oid, fetch_state, fetched_at) VALUES (${shop}, ${index + 10}, ${state},
          ${index === 7 ? '2026-03-01T00:00:00Z' : SEEN.toString()})`);
    }
  }
  expect(await readLatestUsers(warehouse.db, shopId, 9)).toEqual(['11', '10', '17']);
  expect(await readLatestUsers(warehouse.db, shopId, 1)).toEqual(['11']);
  const read = async (shop: number) => {
    const rows = await warehouse.rows(sql`
      SELECT fetch_state FROM core.users WHERE shop_id = ${shop} AND user_oid >= 10 ORDER BY user_oid`);
    return rows.map((row) => row['fetch_state']);
  };
  await warehouse.write((tx) => requestUsersAgain(tx, shopId));
  expect((await read(shopId)).join(' ')).toBe(`${'pending '.repeat(4)}erased guest pending pending`);
  expect(await read(other)).toEqual(states);
});

test('the stand-in of a removed account keeps its group, and replaces it in past versions of orders', async () => {
  const row = (buyer_oid: string) => ({ buyer_oid, customer_key: `u:${buyer_oid}` });
  for (const shop of both()) {
    for (const sum of ['1.00', '2.00']) {
      const given = ['42', '43'].map((oid) => orderToLoad(oid, { row: { ...row(oid), order_sum: sum } }));
      await warehouse.load(shop, given);
    }
    await warehouse.rows(sql`UPDATE core.users SET group_oid = 90 WHERE shop_id = ${shop} AND user_oid = 42`);
  }
  const standIn = '-5000000000000000000';
  const removed = [{ userOid: '42', standIn }];
  const state = (shop: number) =>
    warehouse.rows(sql`
      SELECT u.fetch_state, u.group_oid FROM core.users u WHERE u.shop_id = ${shop} AND u.user_oid = ${standIn}`);
  await warehouse.write((tx) => addStandIns(tx, shopId, removed));
  expect([await state(shopId), await state(other)]).toEqual([
    [{ fetch_state: 'erased', group_oid: '90' }],
    [],
  ]);
  for (const group of [null, 91]) {
    await warehouse.rows(sql`
      UPDATE core.users SET group_oid = ${group} WHERE shop_id = ${shopId} AND user_oid = 42`);
    await warehouse.write((tx) => addStandIns(tx, shopId, removed));
    expect((await state(shopId))[0]?.['group_oid']).toBe(group === null ? '90' : '91');
  }
  const past = await warehouse.rows(sql`
    SELECT string_agg(DISTINCT customer_key, ' ') AS keys FROM core.order_versions
    WHERE shop_id IN (${shopId}, ${other}) GROUP BY shop_id ORDER BY shop_id`);
  expect(past.map(({ keys }) => keys)).toEqual([`u:${standIn} u:43`, 'u:42 u:43']);
});

test('a replayed group keeps whether it is gone; one that was unreadable before is gone if it was absent', async () => {
  const [one, two] = [groupToStore('1', 'Group 1'), groupToStore('2', 'Group 2')];
  await warehouse.write((tx) => storeGroups(tx, shopId, [one, two]));
  await warehouse.write((tx) => markOtherGroups(tx, shopId, [one], at('2026-03-11T00:00:00Z')));
  const rewrite = (oid: string, isGone: boolean, name: string) =>
    warehouse.write((tx) => storeGroups(tx, shopId, [{ ...groupToStore(oid, name), isGone }], true));
  expect(await rewrite('1', true, 'Group 1')).toBe(0);
  expect((await rewrite('2', false, 'other')) + (await rewrite('3', true, 'Group 3'))).toBe(2);
  const stored = await warehouse.rows(sql`
    SELECT group_oid, name, deleted_at FROM core.user_groups WHERE shop_id = ${shopId} ORDER BY group_oid`);
  expect(stored).toEqual([
    { group_oid: '1', name: 'Group 1', deleted_at: null },
    { group_oid: '2', name: 'other', deleted_at: '2026-03-11 00:00:00+00' },
    { group_oid: '3', name: 'Group 3', deleted_at: '2026-03-10 08:00:00+00' },
  ]);
});

test('fields are counted by the orders that fill them in, without deleted ones', async () => {
  const filled = [
    { gift: 'yes', 'Anna Weber': 'x', wish: ' ' },
    { gift: 'no', wish: 'tea' },
    { gift: ' ', wish: '' },
    { gift: 'yes', gone: 'x' },
  ];
  const given = filled.map((values, index) => {
    const row = { customer_key: `u:${index < 2 ? 1 : 2}` };
    return orderToLoad(String(index + 1), { row, person: orderPerson({ fields: fields(values) }) });
  });
  for (const shop of both()) await warehouse.load(shop, given);
  const more = orderToLoad('9', { person: orderPerson({ fields: fields({ foreign: 'x', gift: 'x' }) }) });
  await warehouse.load(other, [more]);
  await warehouse.rows(sql`
    UPDATE core.orders SET missing_since = now(), deleted_at = CASE WHEN order_id = 4 THEN now() END
    WHERE shop_id = ${shopId} AND order_id IN (1, 4)`);
  expect(await decideField(warehouse.db, shopId, 'foreign', true)).toBeUndefined();
  expect(await decideField(warehouse.db, shopId, 'gone', false)).toBeDefined();
  await decideField(warehouse.db, other, 'wish', true);
  const decided = await decideField(warehouse.db, shopId, 'gift', true);
  expect(decided).toEqual({
    fields: [
      { key: 'gift', orders: 2, customers: 1, reason: 'shown by owner' },
      { key: 'wish', orders: 1, customers: 1, reason: 'waiting' },
      { key: 'gone', orders: 0, customers: 0, reason: 'hidden by owner' },
    ],
    unlisted: 1,
    waiting: 2,
  });
  expect(await readOwnerFields(warehouse.db, shopId)).toEqual(decided);
  expect(await readShownFields(warehouse.db, shopId)).toEqual(['gift']);
});

test('codes are counted without deleted orders, and removed once no order has or had them and nobody classified them', async () => {
  const load = (id: string, row: Partial<OrderRow>, shop = shopId) =>
    warehouse.load(shop, [orderToLoad(id, { row })]);
  const own = (code: string) => ({ status_code: code, pay_status_code: code });
  for (const code of ['past', 'W1', 'W2', 'ask Anna', 'ask Ben']) await load('1', own(code));
  await load('2', own('W1'));
  await load('3', own('W1'));
  await load('4', own('W3'));
  await load('9', own('W9'), other);
  await warehouse.rows(sql`
    UPDATE core.orders SET missing_since = now(), deleted_at = CASE WHEN order_id = 3 THEN now() END
    WHERE shop_id = ${shopId} AND order_id IN (2, 3)`);
  const named = sql`name_local = 'Named' WHERE shop_id = ${shopId}`;
  await warehouse.rows(sql`UPDATE core.order_statuses SET ${named} AND status_code IN ('W3', 'ask Ben')`);
  await warehouse.rows(
    sql`UPDATE core.payment_statuses SET ${named} AND pay_status_code IN ('W3', 'ask Ben')`,
  );
  const listed = await readOwnerCodes(warehouse.db, shopId);
  for (const asked of ['order', 'payment']) {
    const used = listed.filter(
      ({ kind, orders, set_by }) => kind === asked && (orders > 0 || set_by === 'nobody'),
    );
    const told = used.map(({ code, orders, set_by, name }) => `${code}: ${orders}, ${set_by}, ${name}`);
    expect(told).toEqual([
      'W1: 1, nobody, W1',
      'W2: 0, nobody, W2',
      'W3: 1, owner, Named',
      '#1: 0, nobody, #1',
      'ask Ben: 1, owner, Named',
      'past: 0, nobody, past',
    ]);
  }
  const unclassified = async (shop: number) =>
    (await listUnclassifiedCodes(warehouse.db))
      .flatMap((found) => (found.shopId === shop ? [`${found.kind} ${found.code}`] : []))
      .toSorted();
  const kinds = (...codes: readonly string[]) =>
    ['order', 'payment'].flatMap((kind) => codes.map((code) => `${kind} ${code}`));
  expect(await unclassified(shopId)).toEqual(kinds('#1', 'W1', 'W2', 'past'));
  const known = (await readKnownCodes(warehouse.db, shopId)).map(({ column, code }) => `${column} ${code}`);
  expect(known).toEqual(expect.arrayContaining(['status_code W3', 'pay_status_code W3', 'status_code C']));
  expect(known.join()).not.toMatch(/W1|W2|W9|Anna|past/);

  await warehouse.rows(sql`
    DELETE FROM core.order_history WHERE shop_id = ${shopId} AND status_code IN ('past', 'ask Anna', 'W2')`);
  await warehouse.rows(sql`
    DELETE FROM core.order_versions WHERE shop_id = ${shopId} AND status_code IN ('past', 'ask Anna')`);
  await warehouse.rows(
    sql`UPDATE core.orders SET status_code = 'C', pay_status_code = 'S' WHERE shop_id = ${shopId} AND order_id = 4`,
  );
  await warehouse.write((tx) => removeUnusedCodes(tx, shopId));
  expect(await unclassified(shopId)).toEqual(['order W1', 'order W2', 'payment W1']);
  expect(await unclassified(other)).toEqual(kinds('W9'));
});

test.each(['', ' '])('an empty name %j restores the default name of a code', async (empty) => {
  const { db } = warehouse;
  await changeCode(db, shopId, 'order', 'C', { name: ' Zugestellt ' });
  await changeCode(db, shopId, 'payment', 'S', { name: ' Offen ' });
  const read = async () => {
    const listed = await readOwnerCodes(db, shopId);
    const asked = listed.filter(({ kind, code }) => code === (kind === 'order' ? 'C' : 'S'));
    return asked.map(({ name, set_by }) => `${name}, ${set_by}`);
  };
  expect(await read()).toEqual(['Zugestellt, owner', 'Offen, owner']);
  await changeCode(db, shopId, 'order', 'C', { name: empty });
  await changeCode(db, shopId, 'payment', 'S', { name: empty });
  expect(await read()).toEqual(['Delivered, documentation', 'Not paid, documentation']);
});
