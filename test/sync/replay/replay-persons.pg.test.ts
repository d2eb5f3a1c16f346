import { afterAll, beforeAll, expect, test } from 'vitest';

import { PLAIN } from '../../../src/simulator/shop/dialect.ts';
import { openReplayLab, rowsOf } from './replay-lab.ts';

let plain: Awaited<ReturnType<typeof openReplayLab>>;
beforeAll(async () => {
  plain = await openReplayLab(PLAIN);
});
afterAll(() => plain[Symbol.asyncDispose]());

test("a replay moves fields that are not known to be impersonal from a user's payload to the person", async () => {
  const { client, replay } = plain;
  const find = `SELECT r.user_key AS oid, r.payload ->> 'nickname' AS payload, p.rest ->> 'nickname' AS person
    FROM tested.raw_users r JOIN core.user_persons p ON p.shop_id = r.shop_id AND p.user_oid::text = r.user_key
    WHERE r.payload ->> 'nickname' = 'Anna' OR p.rest ->> 'nickname' = 'Anna'`;
  const [user] = await rowsOf(client, 'SELECT min(user_oid)::text AS oid FROM tested.user_persons');
  await client.query(
    `UPDATE tested.raw_users SET payload = payload || '{"nickname": "Anna"}' WHERE user_key = $1`,
    [user?.['oid']],
  );
  expect(await rowsOf(client, find)).toEqual([{ oid: user?.['oid'], payload: 'Anna', person: null }]);
  await replay();
  expect(await rowsOf(client, find)).toEqual([{ oid: user?.['oid'], payload: null, person: 'Anna' }]);
});

test('a replay creates no person for a user whose person is not stored', async () => {
  const { client, replay } = plain;
  const persons = () => rowsOf(client, 'SELECT user_oid FROM tested.user_persons ORDER BY user_oid');
  await client.query(
    'DELETE FROM tested.user_persons WHERE user_oid = (SELECT max(user_oid) FROM tested.user_persons)',
  );
  const left = await persons();
  expect(left.length).toBeGreaterThan(0);
  await replay({ rekey: true });
  expect(await persons()).toEqual(left);
});
