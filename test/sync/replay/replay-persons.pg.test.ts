import { afterAll, afterEach, expect, test } from 'vitest';

import { NORMALIZER_VERSION } from '../../../src/normalize/normalizer-version.ts';
import { PLAIN } from '../../../src/simulator/shop/dialect.ts';
import { openReplayLab, STOPPED } from './replay-lab.ts';

const plain = await openReplayLab(PLAIN);
const { client, replay, rows } = plain;
afterAll(() => plain[Symbol.asyncDispose]());
/** The keys that a test made with another secret. */
afterEach(() => replay({ rekey: true }));

test("a replay moves fields that are not known to be impersonal from a user's payload to the person", async () => {
  const find = `SELECT r.user_key AS oid, r.payload ->> 'nickname' AS payload, p.rest ->> 'nickname' AS person
    FROM tested.raw_users r JOIN core.user_persons p ON p.shop_id = r.shop_id AND p.user_oid::text = r.user_key
    WHERE r.payload ->> 'nickname' = 'Anna' OR p.rest ->> 'nickname' = 'Anna'`;
  const [user] = await rows('SELECT min(user_oid)::text AS oid FROM tested.user_persons');
  await client.query(
    `UPDATE tested.raw_users SET payload = payload || '{"nickname": "Anna"}' WHERE user_key = $1`,
    [user?.['oid']],
  );
  expect(await rows(find)).toEqual([{ oid: user?.['oid'], payload: 'Anna', person: null }]);
  await replay();
  expect(await rows(find)).toEqual([{ oid: user?.['oid'], payload: null, person: 'Anna' }]);
});

test('a replay creates no person for a user whose person is not stored', async () => {
  const persons = () => rows('SELECT user_oid FROM tested.user_persons ORDER BY user_oid');
  await client.query(
    'DELETE FROM tested.user_persons WHERE user_oid = (SELECT max(user_oid) FROM tested.user_persons)',
  );
  const left = await persons();
  expect(left.length).toBeGreaterThan(0);
  await replay({ rekey: true });
  expect(await persons()).toEqual(left);
});

test('a replay with new customer keys resumes one with the same secret, but none with another', async () => {
  const keysWith = async (secret: string, resumed_from: unknown) => {
    expect(await replay({ rekey: true }, secret)).toMatchObject({ resumed_from });
    const keys = await rows('SELECT order_id, customer_key FROM tested.orders ORDER BY order_id');
    await client.query(STOPPED, [NORMALIZER_VERSION, true, 20]);
    return keys;
  };
  const interrupted = { stage: 'users', records_done: 20 };
  const first = await keysWith('first', null);
  expect(await keysWith('first', interrupted)).toEqual(first);
  const second = await keysWith('second', null);
  const guests = (keys: typeof first) =>
    keys.map((row) => String(row['customer_key'])).filter((key) => key.startsWith('g:'));
  expect(guests(second).length).toBeGreaterThan(0);
  expect(new Set(guests(first)).intersection(new Set(guests(second)))).toEqual(new Set());
});

test('a replay with another secret than that of the customer keys is refused unless requested', async () => {
  const keys = () => rows(`SELECT order_id, customer_key FROM tested.orders ORDER BY order_id`);
  const before = await keys();
  await expect(replay({}, 'another')).rejects.toThrow(/customer keys .* another PII_SECRET/);
  expect(await keys()).toEqual(before);
  const guests = before.filter((row) => String(row['customer_key']).startsWith('g:')).length;
  expect(guests).toBeGreaterThan(0);
  expect(await replay({ rekey: true }, 'another')).toMatchObject({ orders_changed: guests });
  await replay({}, 'another');
  await replay({ rekey: true });
  expect(await keys()).toEqual(before);
});
