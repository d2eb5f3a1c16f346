import { sql } from 'drizzle-orm';
import { once } from 'node:events';

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { LeaseLostError } from '../../../src/model/errors.ts';
import { startHeartbeat } from '../../../src/sync/run/shop-lease.ts';
import { openDatabase } from '../../../src/warehouse/db/database.ts';
import type { Lease } from '../../../src/warehouse/ops/lease.ts';
import { openTestWarehouse, type TestWarehouse } from '../../warehouse/test-warehouse.ts';
import { heldLease } from '../../support/held-lease.ts';
import { until } from '../../support/until.ts';

const BEAT_MS = 5000;
const RUNNING = new AbortController().signal;

let warehouse: TestWarehouse;
let lease: Lease;
beforeEach(async () => {
  warehouse = await openTestWarehouse();
  const shopId = await warehouse.newShop();
  lease = await heldLease(warehouse.db, shopId);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await warehouse[Symbol.asyncDispose]();
});

/** Another process takes the lease. */
const steal = () =>
  warehouse.rows(sql`UPDATE tested.leases SET epoch = epoch + 1 WHERE shop_id = ${lease.shopId}`);

test('a lost lease ends the run at the next beat, and nothing more is done', async () => {
  const beats = vi.fn(async () => undefined);
  await using heartbeat = startHeartbeat(warehouse.db, lease, RUNNING);
  heartbeat.onBeat(beats);
  await steal();
  const lost = once(heartbeat.signal, 'abort');
  vi.advanceTimersByTime(BEAT_MS);
  await lost;
  expect(heartbeat.signal.reason).toBeInstanceOf(LeaseLostError);
  expect(beats).not.toHaveBeenCalled();
});

test('a beat that fails for another reason ends nothing and keeps the lease', async () => {
  const { promise: failed, resolve } = Promise.withResolvers<void>();
  await using heartbeat = startHeartbeat(warehouse.db, lease, RUNNING);
  heartbeat.onBeat(async () => {
    resolve();
    throw new Error('the database is away');
  });
  await warehouse.rows(sql`UPDATE tested.leases SET expires_at = now() WHERE shop_id = ${lease.shopId}`);
  vi.advanceTimersByTime(BEAT_MS);
  await failed;
  const rows = await warehouse.rows(
    sql`SELECT expires_at > now() AS held FROM tested.leases WHERE shop_id = ${lease.shopId}`,
  );
  expect(rows).toEqual([{ held: true }]);
  // By now the failure has been dealt with.
  expect(heartbeat.signal.aborted).toBe(false);
});

test('late beats run one after another, and none of them takes the lease back when the run has ended', async () => {
  const { promise: going, resolve: go } = Promise.withResolvers<void>();
  let [begun, ended] = [0, 0];
  const heartbeat = startHeartbeat(warehouse.db, lease, RUNNING);
  heartbeat.onBeat(async () => {
    begun += 1;
    await going;
    ended += 1;
  });
  using asked = vi.spyOn(warehouse.db, 'execute');
  vi.advanceTimersByTime(2 * BEAT_MS);
  await until('a beat runs', () => begun > 0);
  expect(asked, 'the second has not renewed the lease yet').toHaveBeenCalledOnce();
  const ending = heartbeat[Symbol.asyncDispose]();
  const held = sql`SELECT expires_at > now() AS held FROM tested.leases WHERE shop_id = ${lease.shopId}`;
  expect(await warehouse.rows(held)).toEqual([{ held: true }]);
  go();
  await ending;
  expect(vi.getTimerCount(), 'beats to come').toBe(0);
  expect(ended).toBe(2);
  expect(await warehouse.rows(held)).toEqual([{ held: false }]);
});

test('a lease that cannot be released does not hide the result of the run', async () => {
  const away = await openDatabase(warehouse.url, 1);
  const run = async () => {
    await using heartbeat = startHeartbeat(away.db, lease, RUNNING);
    heartbeat.signal.throwIfAborted();
    await away[Symbol.asyncDispose]();
    throw new Error('the database is away');
  };
  await expect(run()).rejects.toThrow(/^the database is away$/);
});
