import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { TerminalError } from '../../../src/model/errors.ts';
import { guestKey } from '../../../src/normalize/customer-key.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import { replayShop } from '../../../src/sync/replay/replay-shop.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { storedRun } from '../../support/stored-run.ts';
import { type Opened, inWarehouse, OF_TEST_SHOP, sweepOnce, withoutGroups } from '../../support/sweep.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const means = { through: withoutGroups, now: () => NOW };
const guestsOf = async (client: Client) => {
  const { rows } = await client.query<{ order_id: string; customer_key: string; buyer_email: string }>(
    `SELECT order_id, customer_key, buyer_email FROM tested.orders JOIN tested.order_persons USING (shop_id, order_id)
     WHERE customer_key LIKE 'g:%' AND buyer_email IS NOT NULL ORDER BY order_id`,
  );
  return rows;
};

function inShop(work: (simulator: Simulator, opened: Opened) => Promise<void>): Promise<void> {
  return inWarehouse(async (opened) => {
    await using simulator = makeShopInProcess({ orders: 16, days: 3, now: NOW });
    await work(simulator, opened);
  });
}

/** Reads every order of the shop again, so that all its rows are made anew. */
async function backfill(simulator: Simulator, { client, db }: Opened, guestSecret: string | undefined) {
  await client.query(`UPDATE tested.orders SET fingerprint = 'unlike'`);
  return sweepOnce(simulator, db, { kind: 'backfill', force: true }, { guestSecret }, means);
}

test('without a configured secret, a random one is created and kept', async () => {
  const keys: (string | undefined)[] = [];
  for (let warehouses = 0; warehouses < 2; warehouses++) {
    await inShop(async (simulator, opened) => {
      await backfill(simulator, opened, undefined);
      const guests = await guestsOf(opened.client);
      await backfill(simulator, opened, undefined);
      expect(await guestsOf(opened.client)).toEqual(guests);
      const [{ buyer_email: email, customer_key: key } = { buyer_email: '', customer_key: '' }] = guests;
      expect(key).not.toBe(guestKey(email.toLowerCase(), 'order-sync test'));
      keys.push(key);
    });
  }
  expect(keys).toEqual([expect.stringMatching(/^g:/), expect.stringMatching(/^g:/)]);
  expect(keys[0]).not.toBe(keys[1]);
});

test.each([
  ['the secret was changed', 'one', 'another'],
  ['the secret was taken away', 'one', undefined],
  ['a secret was set later', undefined, 'one'],
])('%s: the sync is refused, and every guest keeps the known key', (_what, first, second) =>
  inShop(async (simulator, opened) => {
    await backfill(simulator, opened, first);
    const guests = await guestsOf(opened.client);
    expect(guests.length).toBeGreaterThan(0);
    const refused = backfill(simulator, opened, second);
    await expect(refused).rejects.toThrow(TerminalError);
    await expect(refused).rejects.toThrow(/another PII_SECRET.*replay --rekey/);
    expect(await guestsOf(opened.client)).toEqual(guests);
    await backfill(simulator, opened, first);
    expect(await guestsOf(opened.client)).toEqual(guests);
  }),
);

test('a random secret that is moved to the settings is removed from the database by replay --rekey', () =>
  inShop(async (simulator, opened) => {
    const { client, db } = opened;
    await backfill(simulator, opened, undefined);
    const guests = await guestsOf(client);
    const storedSecret = async () =>
      (await client.query(`SELECT secret FROM ops.guest_secrets WHERE ${OF_TEST_SHOP}`)).rows[0].secret;
    const guestSecret: string = await storedSecret();
    const { context, shopId } = await storedRun(db, { guestSecret, now: () => NOW });
    await replayShop(context, shopId, { rekey: true });
    expect(await storedSecret()).toBe(null);
    expect(await guestsOf(client)).toEqual(guests);
    await expect(backfill(simulator, opened, undefined)).rejects.toThrow(/another PII_SECRET: set that one/);
  }));
