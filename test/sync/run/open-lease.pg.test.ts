/** What a run begins with, and what it leaves to the next one. */
import { expect, test } from 'vitest';

import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { openLease } from '../../../src/sync/run/shop-lease.ts';
import { registerShop } from '../../../src/warehouse/directory/registered-shops.ts';
import { FIRST_STATE } from '../../support/first-state.ts';
import { heldLease } from '../../support/held-lease.ts';
import { openShop } from '../../support/shop.ts';
import { withoutGroups } from '../../support/sweep.ts';

const SHOP = { shopKey: 'test', baseUrl: 'https://shop.example', timezone: 'Europe/Berlin' };
const RUNNING = new AbortController().signal;

async function openRegistered() {
  const ground = await openShop();
  return { ...ground, shopId: await registerShop(ground.db, SHOP, FIRST_STATE) };
}

test('a run that needs a lease of another process reports its holder', async () => {
  const { db, shopId } = await openRegistered();
  await heldLease(db, shopId, 'elsewhere:1@4026531836');
  await expect(openLease({ db, shop: SHOP, signal: RUNNING }, shopId)).rejects.toThrow(
    /shop test is being synced by elsewhere:1; wait/,
  );
});

test('a run does not release a lease that its caller took', async () => {
  const { db, rows, shopId } = await openRegistered();
  await using heartbeat = await openLease({ db, shop: SHOP, signal: RUNNING }, shopId);
  await (await openLease({ db, shop: SHOP, signal: RUNNING, heartbeat }, shopId))[Symbol.asyncDispose]();
  expect(await rows('SELECT epoch::int, expires_at > now() AS held FROM tested.leases')).toEqual([
    { epoch: Number(heartbeat.lease.epoch), held: true },
  ]);
});

test('a lease lasts half a minute, several beats of its owner', async () => {
  const { client, db, rows, shopId } = await openRegistered();
  await client.query('CREATE TEMP TABLE began AS SELECT clock_timestamp() AS at');
  await using _held = await openLease({ db, shop: SHOP, signal: RUNNING }, shopId);
  const [{ lasts }] = await rows(`
    SELECT expires_at BETWEEN at + interval '30 s' AND clock_timestamp() + interval '30 s' AS lasts
    FROM tested.leases, began`);
  expect(lasts).toBe(true);
});

test('a run begins at the pace that the last one found', async () => {
  const { client, sweep } = await openShop({ orders: 12, days: 3 });
  const begun: unknown[] = [];
  const through = (api: ShopApi): ShopApi => ({
    ...withoutGroups(api),
    resume(found) {
      begun.push(found);
      api.resume(found);
    },
  });
  await sweep({ kind: 'backfill' }, {}, { through });
  await client.query(
    `UPDATE tested.shop_state SET memory = jsonb_set(memory, '{throttle}',
         memory -> 'throttle' || '{"found_rps": 70, "concurrency": 3, "limited_by": "slowness"}')`,
  );
  await sweep({ kind: 'sync' }, {}, { through });
  expect(begun).toEqual([
    { rps: undefined, concurrency: undefined },
    { rps: 70, concurrency: 3 },
  ]);
});

test('all orders are counted once a day, and again if the last count is dated in the future', async () => {
  const { client, clock, rows, shop, sweep } = await openShop();
  const syncAt = async (later: Temporal.DurationLike) => {
    clock.pass(later);
    shop.insertOrder();
    expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok' });
    const [figures] = await rows('SELECT surveyed_at AS at FROM tested.shop_figures');
    return figures.at.toISOString();
  };
  await sweep({ kind: 'backfill' });
  const first = await syncAt({ minutes: 6 });
  expect(await syncAt({ hours: 23 })).toBe(first);
  const second = await syncAt({ hours: 1 });
  expect(second).not.toBe(first);
  await client.query(`UPDATE tested.shop_figures SET surveyed_at = surveyed_at + interval '30 days'`);
  const third = await syncAt({ minutes: 6 });
  expect(third?.slice(0, 10)).toBe(second?.slice(0, 10));
});

test('an order is counted by its open work, and a deleted one only as deleted', async () => {
  const { client, rows, sweep } = await openShop();
  await sweep({ kind: 'backfill' });
  const ids = await rows('SELECT order_id FROM tested.orders ORDER BY 1 LIMIT 6');
  const states = ['doubtful', 'doubtful', 'failed', 'doubtful', 'failed', 'ok'];
  for (const [index, { order_id: id }] of ids.entries()) {
    const isDeleted = index >= 3;
    await client.query(
      `UPDATE tested.orders SET lines_state = $2, missing_since = CASE WHEN $3 THEN now() END,
           deleted_at = CASE WHEN $3 THEN now() END WHERE order_id = $1`,
      [id, states[index], isDeleted],
    );
  }
  const [summary] = await rows(
    'SELECT * FROM core.shop_summaries WHERE shop_id IN (SELECT shop_id FROM tested.orders)',
  );
  expect(summary).toMatchObject({
    orders_missing: 0,
    orders_deleted: 3,
    orders_without_lines: 3,
    orders_with_doubtful_lines: 2,
  });
});
