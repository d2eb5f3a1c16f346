import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { createShopApi } from '../../../src/shop-api/shop-api.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import { makeShopInProcess, poolTo } from '../../support/in-process-shop.ts';
import type { SweepResult } from '../../../src/sync/sweep/sweep-shop.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import { inWarehouse, sweepOnce, type TestClock, testClock, withoutGroups } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import { FORCED, marks } from '../support/copy.ts';
import { PRESENT } from '../../support/shop.ts';

type Story = {
  readonly own: Simulator;
  readonly other: Simulator;
  readonly client: Client;
  readonly clock: TestClock;
  readonly sweep: (request?: SweepRequest, pageLimit?: number) => Promise<SweepResult>;
  /** By another shop, which answers at the same address and has none of the identifiers. */
  readonly sweepOther: (request?: SweepRequest, pageLimit?: number) => Promise<SweepResult>;
};

/** A copy of a shop, while another one of as many orders waits to answer in its place. */
async function withTwoShops(
  size: { readonly orders: number; readonly days: number },
  work: (story: Story) => Promise<void>,
): Promise<void> {
  await using own = makeShopInProcess({ ...size, seed: 31, now: PRESENT });
  const dialect = { ids: 'shuffled' } as const;
  await using other = makeShopInProcess({
    ...size,
    orders: size.orders * 3,
    seed: 32,
    now: PRESENT,
    dialect,
  });
  const last = Math.max(...own.shop.orders().map(({ orderId }) => orderId));
  const foreign = other.shop.orders().filter(({ orderId }) => orderId > last);
  for (const { orderId } of other.shop.orders()) {
    if (orderId <= last || !foreign.slice(0, size.orders).some((order) => order.orderId === orderId)) {
      other.shop.deleteOrder(orderId);
    }
  }
  // It has orders of today.
  for (let count = 0; count < 2; count++) other.shop.insertOrder();
  expect(other.shop.orders().length).toBeGreaterThan(size.orders / 2);
  await inWarehouse(async ({ client, db }) => {
    const clock = testClock(PRESENT);
    const misled = createShopApi({
      baseUrl: other.url,
      pool: poolTo(other.url),
      login: 'admin',
      apiKey: 'simulated-key',
      maxRps: 100_000,
    });
    const sweep = (request: SweepRequest = FORCED, pageLimit = 500) =>
      sweepOnce(own, db, request, { pageLimit }, { now: clock.now, through: withoutGroups });
    const sweepOther = (request: SweepRequest = FORCED, pageLimit = 500) =>
      sweepOnce(own, db, request, { pageLimit }, { now: clock.now, through: () => withoutGroups(misled) });
    expect(await sweep()).toMatchObject({ status: 'ok', orders_new: size.orders });
    clock.pass({ minutes: 1 });
    await work({ own, other, client, clock, sweep, sweepOther });
  });
}

test('another shop at the address makes no order missing, and leaves no day verified that it lost', () =>
  withTwoShops({ orders: 40, days: 12 }, async ({ own, client, sweep, sweepOther }) => {
    const swept = await sweepOther();
    expect(swept).toMatchObject({ status: 'partial', orders_missing: 0 });
    expect(swept.problems.join()).toContain('40 of 40 orders disappeared');
    expect(await marks(client)).toEqual({ missing: 0, deleted: 0 });
    // What it listed was loaded, and is gone.
    expect(await sweep({ ...FORCED, acceptMissing: true })).toMatchObject({ status: 'ok' });
    expect(await differences(client, own.shop)).toEqual([]);
  }));

test('orders accepted as missing are replaced by what the shop lists now', () =>
  withTwoShops({ orders: 40, days: 5 }, async ({ client, sweepOther }) => {
    const result = await sweepOther({ ...FORCED, acceptMissing: true });
    expect(result).toMatchObject({ status: 'ok', orders_missing: 40 });
    expect(result.orders_new).toBeGreaterThan(20);
    expect(await marks(client)).toMatchObject({ missing: 40 });
  }));
