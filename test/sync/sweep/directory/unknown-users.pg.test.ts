import { expect, test } from 'vitest';

import { parseFreshness } from '../../../../src/plan/days/freshness.ts';
import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import type { Dialect } from '../../../../src/simulator/shop/dialect.ts';
import { GUEST_OID } from '../../../../src/simulator/shop/sim-users.ts';
import { answerJson } from '../../../support/in-process-shop.ts';
import { IS_LONG } from '../../../support/long.ts';
import { openShop } from '../../../support/shop.ts';
import { OF_TEST_SHOP, withoutGroups } from '../../../support/sweep.ts';

const WORDS = [
  '404',
  '400',
  'success-0-message',
  'empty',
  'html',
] as const satisfies readonly Dialect['unknownUser'][];

test.each(WORDS)('missing users are recognized by the answer %s, and requested once', async (unknownUser) => {
  const { client, rows, shop, sweep } = await openShop({
    orders: 60,
    days: 6,
    seed: 3,
    dialect: { unknownUser },
  });
  const [, ...others] = shop.orders();
  // Buyers whom nobody knows.
  const unknown = others.slice(0, 4).map(({ orderId }, index) => {
    shop.setRaw(orderId, { master_oid: 900_000 + index });
    return String(900_000 + index);
  });
  const result = await sweep();
  expect(result).toMatchObject({ status: 'ok', problems: [] });
  expect(
    await rows(
      'SELECT user_oid::text AS oid, fetch_state AS state FROM tested.users WHERE user_oid >= 900000 ORDER BY 1',
    ),
  ).toEqual(unknown.map((oid) => ({ oid, state: 'not_found' })));
  const { rows: all } = await client.query(
    `SELECT 1 FROM tested.users WHERE fetch_state IN ('ok', 'not_found')`,
  );
  // One more for a user that cannot be.
  expect(result.user_requests).toBe(all.length + 1);
});

test('a user that cannot be has a number far above those of all users', async () => {
  const { shop, sweep } = await openShop({ orders: 20, days: 2, seed: 3 });
  const asked: string[] = [];
  const through = (api: ShopApi): ShopApi => ({
    ...withoutGroups(api),
    userResponse: (oid, ...others) => {
      asked.push(oid);
      return api.userResponse(oid, ...others);
    },
  });
  const [, order] = shop.orders();
  shop.setRaw(order?.orderId ?? 0, { master_oid: 2_000_000_000 });
  await sweep({ kind: 'backfill' }, {}, { through });
  expect(asked).toContain('999999999999999');
});

test('a refused user is reported, and the others are read', async () => {
  const { rows, shop, sweep } = await openShop({ orders: 60, days: 6, seed: 3 });
  const refused = shop.orders().find(({ buyerOid }) => buyerOid !== 6)?.buyerOid ?? 0;
  shop.refuse('user', refused);
  expect(await sweep()).toMatchObject({
    status: 'partial',
    new_rejections: 0,
    problems: ['the shop refuses this user (HTTP 403)'],
  });
  expect(
    await rows(`SELECT user_oid::text AS oid FROM tested.users WHERE fetch_state NOT IN ('ok', 'guest')`),
  ).toEqual([{ oid: String(refused) }]);
  expect(await sweep()).toMatchObject({ status: 'ok', user_requests: 0 });
});

const DENIALS = [
  ['404', 404, '{"message":"no such user"}'],
  ['a page of HTML', 200, '<html><title>Shop</title></html>'],
  ['an empty list', 200, '[]'],
] as const;

test.each(IS_LONG ? DENIALS : DENIALS.slice(0, 1))(
  'if all users are denied at once, by %s, they are retried, and none is lost',
  async (_what, status, body) => {
    const { client, clock, front, shop, ...ground } = await openShop({ orders: 60, days: 6, seed: 3 });
    const sweep = () => ground.sweep({ kind: 'sync' });
    const states = async () => {
      const { rows } = await client.query<{ state: string; users: number }>(
        `SELECT fetch_state AS state, count(*)::int AS users FROM tested.users WHERE fetch_state <> 'guest' GROUP BY 1 ORDER BY 1`,
      );
      return Object.fromEntries(rows.map(({ state, users }) => [state, users]));
    };
    expect(await sweep()).toMatchObject({ status: 'ok' });
    const { ok: users = 0 } = await states();
    front.rewrite = (path, answer) => {
      if (path.startsWith('users/')) answerJson(answer, body, status);
    };
    const [order] = shop.orders();
    shop.setRaw(order?.orderId ?? 0, { master_oid: 900_000 });
    clock.pass({ hours: 8 * 24 });
    const denied = await sweep();
    expect(denied).toMatchObject({ status: 'partial', new_rejections: 0 });
    expect(denied.problems).toContain(
      'the shop answers "no such user" for every user, even for users that it served before',
    );
    expect(await states()).toEqual({ failed: users + 1 });

    front.rewrite = () => undefined;
    clock.pass({ hours: 1, minutes: 1 });
    expect(await sweep()).toMatchObject({ status: 'ok' });
    expect(await states()).toEqual({ not_found: 1, ok: users });
  },
);

test('users who all fail with a server error do not count as gone, even if lists are answered', async () => {
  const { front, rows, sweep } = await openShop({ orders: 12, days: 3, seed: 3 });
  front.rewrite = (path, answer) => {
    if (path.startsWith('users/')) answerJson(answer, '{"message":"no such user"}', 500);
  };
  await sweep({ kind: 'sync' });
  expect(
    await rows(`SELECT DISTINCT fetch_state AS state FROM tested.users WHERE fetch_state <> 'guest'`),
  ).toEqual([{ state: 'failed' }]);
});

test('a user with an unknown answer is reported, and retried until it is read', async () => {
  const { clock, front, rows, shop, sweep } = await openShop({ orders: 20, days: 2, seed: 3 });
  const odd = shop.orders().find(({ buyerOid }) => buyerOid !== 6)?.buyerOid ?? 0;
  front.rewrite = (path, answer) => {
    if (path === `users/${odd}`) answerJson(answer, '{"later":true}', 404);
  };
  const { new_rejections, problems } = await sweep();
  expect({ new_rejections, problems }).toEqual({
    new_rejections: 0,
    problems: ['the shop answers neither with this user nor with its usual "no such user"'],
  });
  front.rewrite = () => undefined;
  const waiting = async () => await rows(`SELECT key FROM tested.due WHERE kind = 'user'`);
  expect(await waiting()).toEqual([{ key: String(odd) }]);
  clock.pass({ minutes: 1 });
  expect(await sweep()).toMatchObject({ status: 'ok' });
  expect(await waiting()).toEqual([]);
});

test('the answer about a user that cannot be read is kept, so that a later version can read it', async () => {
  const { front, rows, shop, sweep } = await openShop({ orders: 20, days: 2, seed: 3 });
  const odd = shop.orders().find(({ buyerOid }) => buyerOid !== 6)?.buyerOid ?? 0;
  front.rewrite = (path, answer) => {
    if (path === `users/${odd}`) answerJson(answer, '{"oid":"777777","content":{}}');
  };
  const { problems } = await sweep();
  expect(problems).toEqual(['a user could not be normalized']);
  expect(
    await rows(`SELECT u.fetch_state AS state, r.payload ->> 'oid' AS oid FROM tested.users u
       LEFT JOIN tested.raw_users r ON r.user_key = u.user_oid::text WHERE u.user_oid = ${odd}`),
  ).toEqual([{ state: 'failed', oid: '777777' }]);
});

test('a deleted user is marked as not found while others are served', async () => {
  const { clock, rows, shop, ...ground } = await openShop({ orders: 60, days: 6, seed: 3 });
  const sweep = () => ground.sweep({ kind: 'sync' });
  await sweep();
  const [order] = shop.orders();
  shop.setRaw(order?.orderId ?? 0, { master_oid: 900_000 });
  clock.pass({ hours: 25 });
  const result = await sweep();
  expect(result).toMatchObject({ status: 'ok', problems: [] });
  // The user, one that cannot be, and one that was served before.
  expect(result.user_requests).toBe(3);
  expect(await rows('SELECT fetch_state AS state FROM tested.users WHERE user_oid = 900000')).toEqual([
    { state: 'not_found' },
  ]);
});

test('a deleted user is marked as not found even where the shop never served a user', async () => {
  const { rows, shop, sweep } = await openShop({ orders: 0, days: 2, seed: 3 });
  const { orderId } = shop.insertOrder({ buyerOid: GUEST_OID });
  shop.setRaw(orderId, { master_oid: 900_000 });
  const result = await sweep({ kind: 'sync' });
  expect(result).toMatchObject({ status: 'ok', problems: [] });
  expect(await rows('SELECT fetch_state AS state FROM tested.users WHERE user_oid = 900000')).toEqual([
    { state: 'not_found' },
  ]);
});

test('buyers that were read too long ago are read again even if nothing else is due, and no others', async () => {
  const { client, clock, shop, sweep } = await openShop({ orders: 30, days: 4, seed: 3 });
  const [order] = shop.orders();
  shop.setRaw(order?.orderId ?? 0, { master_oid: 900_000 });
  const settings = { freshness: parseFreshness('*:30d'), usersMaxAgeMs: 3 * 3_600_000 };
  const sync = () => sweep({ kind: 'sync' }, settings);
  const fetched = async () => {
    const { rows } = await client.query<{ at: Date; users: number; unknown: number }>(
      `SELECT fetched_at AS at, count(*)::int AS users, count(*) FILTER (WHERE fetch_state = 'not_found')::int AS unknown
         FROM core.users WHERE ${OF_TEST_SHOP} AND fetch_state <> 'guest' GROUP BY 1`,
    );
    return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }));
  };
  await sync();
  const [first] = await fetched();
  const users = first?.users ?? 0;
  expect(first).toMatchObject({ unknown: 1, at: '2026-03-10T18:00:00.000Z' });
  clock.pass({ hours: 3 });
  expect(await sync()).toMatchObject({ requests: 0 });
  clock.pass({ seconds: 1 });
  await client.query(`UPDATE core.user_persons SET name = 'before' WHERE ${OF_TEST_SHOP}`);
  // All of them, and one that cannot be.
  expect(await sync()).toMatchObject({ list_requests: 0, content_requests: 0, user_requests: users + 1 });
  expect(await fetched()).toEqual([{ users, unknown: 1, at: '2026-03-10T21:00:01.000Z' }]);
  expect(
    (await client.query(`SELECT FROM core.user_persons WHERE ${OF_TEST_SHOP} AND name = 'before'`)).rowCount,
  ).toBe(0);
  expect(await sync()).toMatchObject({ requests: 0 });
});
