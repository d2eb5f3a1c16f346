import { expect, test } from 'vitest';

import { openLease } from '../../../src/sync/run/shop-lease.ts';
import { registerShop } from '../../../src/warehouse/directory/registered-shops.ts';
import { inWarehouse } from '../../support/sweep.ts';
import { FIRST_STATE } from '../../support/first-state.ts';
import { heldLease } from '../../support/held-lease.ts';

const SHOP = { shopKey: 'test', baseUrl: 'https://shop.example', timezone: 'Europe/Berlin' };
const RUNNING = new AbortController().signal;

test('a run that needs a lease of another process reports its holder', () =>
  inWarehouse(async ({ db }) => {
    const shopId = await registerShop(db, SHOP, FIRST_STATE);
    await heldLease(db, shopId, 'elsewhere:1@4026531836');
    await expect(openLease({ db, shop: SHOP, signal: RUNNING }, shopId)).rejects.toThrow(
      /shop test is being synced by elsewhere:1; wait/,
    );
  }));

test('a run does not release a lease that its caller took', () =>
  inWarehouse(async ({ client, db }) => {
    const shopId = await registerShop(db, SHOP, FIRST_STATE);
    await using heartbeat = await openLease({ db, shop: SHOP, signal: RUNNING }, shopId);
    await (await openLease({ db, shop: SHOP, signal: RUNNING, heartbeat }, shopId))[Symbol.asyncDispose]();
    const { rows } = await client.query('SELECT epoch::int, expires_at > now() AS held FROM tested.leases');
    expect(rows).toEqual([{ epoch: Number(heartbeat.lease.epoch), held: true }]);
  }));

test('a lease lasts half a minute, several beats of its owner', () =>
  inWarehouse(async ({ client, db }) => {
    const shopId = await registerShop(db, SHOP, FIRST_STATE);
    await client.query('CREATE TEMP TABLE began AS SELECT clock_timestamp() AS at');
    await using _held = await openLease({ db, shop: SHOP, signal: RUNNING }, shopId);
    const { rows } = await client.query(`
      SELECT expires_at BETWEEN at + interval '30 s' AND clock_timestamp() + interval '30 s' AS lasts
      FROM tested.leases, began`);
    expect(rows).toEqual([{ lasts: true }]);
  }));
