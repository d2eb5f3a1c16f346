import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { TerminalError } from '../../../src/model/errors.ts';
import { guestKey } from '../../../src/normalize/customer-key.ts';
import { replayShop } from '../../../src/sync/replay/replay-shop.ts';
import { FORCED, type Ground, openGround, openShop } from '../../support/shop.ts';
import { storedRun } from '../../support/stored-run.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const guestsOf = async (client: Client) => {
  const { rows } = await client.query<{ order_id: string; customer_key: string; buyer_email: string }>(
    `SELECT order_id, customer_key, buyer_email FROM tested.orders JOIN tested.order_persons USING (shop_id, order_id)
     WHERE customer_key LIKE 'g:%' AND buyer_email IS NOT NULL ORDER BY order_id`,
  );
  return rows;
};

const SHOP = { orders: 16, days: 3, now: NOW };

/** Reads every order of the shop again, so that all its rows are made anew. */
async function backfill({ client, sweep }: Ground, guestSecret: string | undefined) {
  await client.query(`UPDATE tested.orders SET fingerprint = 'unlike'`);
  return sweep(FORCED, { guestSecret });
}

test('without a configured secret, a random one is created and kept', async () => {
  const keys: (string | undefined)[] = [];
  for (let warehouses = 0; warehouses < 2; warehouses++) {
    await using ground = await openGround(SHOP);
    await backfill(ground, undefined);
    const guests = await guestsOf(ground.client);
    await backfill(ground, undefined);
    expect(await guestsOf(ground.client)).toEqual(guests);
    const [{ buyer_email: email, customer_key: key } = { buyer_email: '', customer_key: '' }] = guests;
    expect(key).not.toBe(guestKey(email.toLowerCase(), 'order-sync test'));
    keys.push(key);
  }
  expect(keys).toEqual([expect.stringMatching(/^g:/), expect.stringMatching(/^g:/)]);
  expect(keys[0]).not.toBe(keys[1]);
});

test.each([
  ['the secret was changed', 'one', 'another'],
  ['the secret was taken away', 'one', undefined],
  ['a secret was set later', undefined, 'one'],
])('%s: the sync is refused, and every guest keeps the known key', async (_what, first, second) => {
  const ground = await openShop(SHOP);
  await backfill(ground, first);
  const guests = await guestsOf(ground.client);
  expect(guests.length).toBeGreaterThan(0);
  const refused = backfill(ground, second);
  await expect(refused).rejects.toThrow(TerminalError);
  await expect(refused).rejects.toThrow(/another PII_SECRET.*replay --rekey/);
  expect(await guestsOf(ground.client)).toEqual(guests);
  await backfill(ground, first);
  expect(await guestsOf(ground.client)).toEqual(guests);
});

test('a random secret that is moved to the settings is removed from the database by replay --rekey', async () => {
  const ground = await openShop(SHOP);
  const { client, db, rows } = ground;
  await backfill(ground, undefined);
  const guests = await guestsOf(client);
  const storedSecret = async () => (await rows('SELECT secret FROM tested.guest_secrets'))[0].secret;
  const guestSecret: string = await storedSecret();
  const { context, shopId } = await storedRun(db, { guestSecret, now: () => NOW });
  await replayShop(context, shopId, { rekey: true });
  expect(await storedSecret()).toBe(null);
  expect(await guestsOf(client)).toEqual(guests);
  await expect(backfill(ground, undefined)).rejects.toThrow(/another PII_SECRET: set that one/);
});
