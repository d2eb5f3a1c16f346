import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import {
  type GroupToStore,
  groupsReadAt,
  markOtherGroups,
  storeGroups,
} from '../../../src/warehouse/directory/groups.ts';
import {
  readDueUsers,
  readUserPersons,
  removeAccounts,
  storeUsers,
  type UserToStore,
} from '../../../src/warehouse/directory/users.ts';
import { cleared } from '../../support/cleared.ts';
import { at, foundUser, groupToStore } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const warehouse = fileWarehouse();
let shopId: number;
beforeEach(async () => {
  shopId = await warehouse.newShop();
});

const [NOON, LATER] = [at('2026-03-11T12:00:00Z'), at('2026-03-11T13:00:00Z')];
const HOUR = 3_600_000;

const load = async (...users: readonly UserToStore[]) => {
  let changed = 0;
  for (const user of users) changed += await warehouse.write((tx) => storeUsers(tx, shopId, [user]));
  return changed;
};
const without = (userOid: string, kind: 'not_found' | 'failed', fetchedAt = NOON): UserToStore => {
  const told = kind === 'failed' ? { failure: { attempts: 1, reason: 'refused' } } : { payload: null };
  return { userOid, fetchedAt, fetchState: kind, ...told };
};
const user = async (oid: string) => {
  const [row] = await warehouse.rows(sql`
    SELECT u.*, p.name, p.images, r.payload, r.http_status FROM core.users u
    LEFT JOIN core.user_persons p ON p.shop_id = u.shop_id AND p.user_oid = u.user_oid
    LEFT JOIN raw.users r ON r.shop_id = u.shop_id AND r.user_key = u.user_oid::text
    WHERE u.shop_id = ${shopId} AND u.user_oid = ${oid}`);
  return row;
};

test('a found user is stored with its columns and payload', async () => {
  await load(foundUser('42', { name: 'Anna', level: 3, images: [{ path: '/a.png' }] }, NOON));
  expect(await user('42')).toMatchObject({
    user_oid: '42',
    fetch_state: 'ok',
    name: 'Anna',
    level: 3,
    images: [{ path: '/a.png' }],
    fetched_at: '2026-03-11 12:00:00+00',
    payload: { oid: '42' },
    http_status: 200,
  });
});

test('a user that disappeared or could not be read keeps its data, and its state says so', async () => {
  await load(foundUser('42', { name: 'Anna' }), foundUser('43', { name: 'Boris' }));
  const gone = [
    without('42', 'not_found', LATER),
    without('43', 'failed', LATER),
    without('44', 'failed', LATER),
  ];
  expect(await load(...gone), 'users that are not what they were').toBe(3);
  expect(await load(...gone)).toBe(0);
  const fetched_at = '2026-03-11 13:00:00+00';
  expect(await user('42')).toMatchObject({
    fetch_state: 'not_found',
    name: 'Anna',
    fetched_at,
    http_status: 404,
  });
  expect(await user('43')).toMatchObject({
    fetch_state: 'failed',
    name: 'Boris',
    fetched_at,
    http_status: 200,
  });
  expect(await user('44')).toMatchObject({ fetch_state: 'failed', name: null, http_status: null });
  await load(foundUser('42', { name: 'Anna again' }));
  expect(await user('42')).toMatchObject({ fetch_state: 'ok', name: 'Anna again', http_status: 200 });
});

test('a replayed user keeps its fetch time, due work and payload', async () => {
  await load(foundUser('42', {}, NOON), without('42', 'failed', LATER));
  const { payload: _payload, person: _person, ...again } = foundUser('42', { level: 3 }, LATER);
  expect(await load({ ...again, fetchState: 'failed' })).toBe(1);
  expect(await user('42')).toMatchObject({ fetch_state: 'failed', level: 3, name: 'Anna', http_status: 200 });
  expect(await readDueUsers(warehouse.db, shopId, 24 * HOUR, 1, LATER)).toEqual([]);
});

test('new users are due first, then failed and outdated ones, oldest first; never the guest', async () => {
  const ages = [
    ['1', 'pending', null],
    ['2', 'ok', '25 hours'],
    ['3', 'ok', '23 hours'],
    ['4', 'not_found', '26 hours'],
    ['5', 'not_found', '23 hours'],
    ['9', 'pending', null],
  ] as const;
  for (const [oid, state, age] of ages) {
    await warehouse.rows(sql`
      INSERT INTO core.users (shop_id, user_oid, fetch_state, fetched_at)
      VALUES (${shopId}, ${oid}, ${state}, now() - ${age}::interval)`);
  }
  const now = Temporal.Now.instant();
  for (const seconds of [59, 61])
    await load(without(seconds === 59 ? '7' : '8', 'failed', now.subtract({ seconds })));
  const due = async (limit: number) => {
    const users = await readDueUsers(warehouse.db, shopId, 24 * HOUR, limit, now);
    return users.map(({ userOid }) => userOid);
  };
  expect(await due(10)).toEqual(['1', '9', '4', '2', '8']);
  const failed = await readDueUsers(warehouse.db, shopId, 24 * HOUR, 10, now);
  expect(failed.at(-1)).toEqual({ userOid: '8', attempts: 1 });
  expect(await due(2)).toEqual(['1', '9']);
});

test('persons of accounts are read by number, a few at a time', async () => {
  await load(...['44', '42', '43'].map((oid) => foundUser(oid)));
  const read = async (which: Parameters<typeof readUserPersons>[2]) =>
    (await readUserPersons(warehouse.db, shopId, which)).map(({ userOid }) => userOid);
  expect(await read({ after: undefined, limit: 2 })).toEqual(['42', '43']);
  expect(await read({ after: '42', limit: 2 })).toEqual(['43', '44']);
  expect(await read({ ids: ['44', '45'] })).toEqual(['44']);
});

const loadTree = (tree: readonly GroupToStore[], readAt = NOON) =>
  warehouse.write(async (tx) => {
    const fetched = tree.map((group) => ({ ...group, fetchedAt: readAt }));
    await storeGroups(tx, shopId, fetched);
    await markOtherGroups(tx, shopId, tree, readAt);
  });
const groups = () =>
  warehouse.rows(sql`
    SELECT group_oid, name, deleted_at, xmin FROM core.user_groups WHERE shop_id = ${shopId} ORDER BY group_oid`);

test('an account is removed with its rejections, but not those of an order with the same number', async () => {
  await load(foundUser('42', {}, NOON), foundUser('43', {}, NOON));
  await warehouse.rows(sql`
    INSERT INTO ops.rejections (shop_id, resource, source_key, reason, digest)
    VALUES (${shopId}, 'user', '42', 'bad', 'a'), (${shopId}, 'user', '43', 'bad', 'b'), (${shopId}, 'order', '42', 'bad', 'c')`);
  await warehouse.write((tx) => removeAccounts(tx, shopId, ['42']));
  expect([await user('42'), await user('43')]).toMatchObject([undefined, { user_oid: '43' }]);
  const left = await warehouse.rows(sql`
    SELECT resource, source_key AS key FROM ops.rejections WHERE shop_id = ${shopId} ORDER BY digest`);
  expect(left).toEqual([
    { resource: 'user', key: '43' },
    { resource: 'order', key: '42' },
  ]);
});

test('groups missing from the tree are marked with the time, and unmarked when they return', async () => {
  const [a, b] = [groupToStore('1', 'Retail'), groupToStore('2', 'Trade')];
  await loadTree([a, b]);
  expect(await groups()).toMatchObject([
    { name: 'Retail', deleted_at: null },
    { name: 'Trade', deleted_at: null },
  ]);
  await loadTree([a, { ...b, payload: cleared({ oid: 2, name: [] }), row: undefined }]);
  expect(await groups(), 'one that is listed and cannot be read stays').toMatchObject([
    { deleted_at: null },
    { name: 'Trade', deleted_at: null },
  ]);
  await loadTree([a], LATER);
  await loadTree([a], LATER.add({ hours: 1 }));
  expect(await groups()).toMatchObject([
    { deleted_at: null },
    { name: 'Trade', deleted_at: '2026-03-11 13:00:00+00' },
  ]);
  await loadTree([a, b], LATER.add({ hours: 2 }));
  expect(await groups()).toMatchObject([{ deleted_at: null }, { deleted_at: null }]);
});

test('an unchanged tree writes no group, and still counts as read', async () => {
  expect(await groupsReadAt(warehouse.db, shopId)).toBeUndefined();
  await loadTree([groupToStore('1', 'Retail')]);
  const before = await groups();
  await loadTree([groupToStore('1', 'Retail')], LATER);
  expect(await groups()).toEqual(before);
  expect(await groupsReadAt(warehouse.db, shopId)).toEqual(LATER);
});
