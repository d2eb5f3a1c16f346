import { expect, test, vi } from 'vitest';

import { acquireLease } from '../../../src/sync/run/shop-lease.ts';
import { releaseLease, renewLease } from '../../../src/warehouse/ops/lease.ts';
import { registerShop } from '../../../src/warehouse/directory/registered-shops.ts';
import { inWarehouse } from '../../support/sweep.ts';
import { FIRST_STATE } from '../../support/first-state.ts';
import { heldLease } from '../../support/held-lease.ts';
import { until } from '../../support/until.ts';

const SHOP = { shopKey: 'test', baseUrl: 'https://shop.example', timezone: 'Europe/Berlin' };

test('a process that waits gets the lease when its owner releases it; one that does not wait learns who owns it', async () => {
  await inWarehouse(async ({ db }) => {
    const shopId = await registerShop(db, SHOP, FIRST_STATE);
    const held = await heldLease(db, shopId, 'elsewhere:1');
    const context = { db, shop: SHOP, signal: new AbortController().signal };
    await expect(acquireLease(context, shopId)).rejects.toThrow(/shop test is being synced by elsewhere:1/);
    using asked = vi.spyOn(db, 'execute');
    const waiting = acquireLease({ ...context, leaseWaitMs: 600_000 }, shopId);
    // It asks for the lease, and then for who has it.
    await until('it asks again', () => asked.mock.calls.length > 2);
    await releaseLease(db, held);
    expect((await waiting).epoch).toBeGreaterThan(held.epoch);
  });
});

test('a lease lasts half a minute, several beats of its owner', async () => {
  await inWarehouse(async ({ client, db }) => {
    const shopId = await registerShop(db, SHOP, FIRST_STATE);
    await client.query('CREATE TEMP TABLE began AS SELECT clock_timestamp() AS at');
    await acquireLease({ db, shop: SHOP, signal: new AbortController().signal }, shopId);
    const { rows } = await client.query(`
      SELECT expires_at BETWEEN at + interval '30 s' AND clock_timestamp() + interval '30 s' AS lasts
      FROM tested.leases, began`);
    expect(rows).toEqual([{ lasts: true }]);
  });
});

test('waiting for a lease can be interrupted', async () => {
  await inWarehouse(async ({ db }) => {
    const shopId = await registerShop(db, SHOP, FIRST_STATE);
    await heldLease(db, shopId, 'elsewhere:1');
    const stopping = new AbortController();
    const context = { db, shop: SHOP, signal: stopping.signal };
    const waiting = acquireLease({ ...context, leaseWaitMs: 30_000 }, shopId);
    stopping.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
  });
});

test('a process that waits gives up when the owner shows to be alive', { timeout: 20_000 }, async () => {
  await inWarehouse(async ({ db }) => {
    const shopId = await registerShop(db, SHOP, FIRST_STATE);
    const held = await heldLease(db, shopId, 'elsewhere:1@4026531836');
    const context = { db, shop: SHOP, signal: new AbortController().signal };
    const waiting = acquireLease({ ...context, leaseWaitMs: 600_000 }, shopId);
    // oxlint-disable-next-line vitest/valid-expect -- awaited below, when the lease was renewed
    const ended = expect(waiting).rejects.toThrow(/shop test is being synced by elsewhere:1; wait/);
    const renewing = setInterval(() => void renewLease(db, held, 60_000), 100);
    try {
      await ended;
    } finally {
      clearInterval(renewing);
    }
  });
});
