import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { createShopApi } from '../../../src/shop-api/shop-api.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import { makeShopInProcess, poolTo } from '../../support/in-process-shop.ts';
import type { SweepResult } from '../../../src/sync/sweep/sweep-shop.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import {
  inWarehouse,
  OF_TEST_SHOP,
  sweepOnce,
  type TestClock,
  testClock,
  withoutGroups,
} from '../../support/sweep.ts';
import { watchLists } from '../../support/list-requests.ts';
import { coreVersions, differences } from '../../support/truth.ts';
import { FORCED, marks, PRESENT } from '../support/copy.ts';
import { IS_LONG } from '../../support/long.ts';

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

async function lastAudit(client: Client): Promise<readonly unknown[]> {
  const query = `SELECT audited_at, audit_orders FROM ops.shop_state WHERE ${OF_TEST_SHOP}`;
  return (await client.query(query)).rows;
}

test.each([
  { orders: 40, days: 12 },
  { orders: 15, days: 5 },
  ...(IS_LONG ? [{ orders: 900, days: 60 }] : []),
])(
  'nothing is loaded from another shop that replaces one with $orders orders, and one normal sync repairs everything',
  async (size) => {
    await withTwoShops(size, async ({ own, client, clock, sweep, sweepOther }) => {
      const before = await coreVersions(client);
      const audit = await lastAudit(client);
      for (let run = 0; run < 2; run++) {
        const result = await sweepOther();
        expect(result).toMatchObject({
          status: 'partial',
          orders_new: 0,
          orders_changed: 0,
          orders_missing: 0,
          days_verified: 0,
        });
        expect(result.problems.join()).toContain('this looks like the list of another shop');
        expect(await coreVersions(client)).toBe(before);
        expect(await lastAudit(client), 'it is no audit either').toEqual(audit);
        clock.pass({ minutes: 10 });
      }
      expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok', orders_new: 0 });
      expect(await differences(client, own.shop)).toEqual([]);
      const { rows: open } = await client.query('SELECT 1 FROM tested.days WHERE verified_at IS NULL');
      expect(open).toEqual([]);
    });
  },
);

test('nor by windows that hold few orders each, once one of them was found to be another shop’s', async () => {
  await withTwoShops({ orders: 40, days: 25 }, async ({ client, sweepOther }) => {
    const before = await coreVersions(client);
    const swept = await sweepOther(FORCED, 3);
    expect(swept).toMatchObject({ orders_new: 0, orders_changed: 0, orders_missing: 0 });
    expect(swept.problems.join()).toContain('this looks like the list of another shop');
    expect(await coreVersions(client)).toBe(before);
  });
});

test('the days say why they are not verified', async () => {
  await withTwoShops({ orders: 40, days: 12 }, async ({ client, sweepOther }) => {
    await sweepOther();
    const { rows } = await client.query<{ last_error: string }>(
      'SELECT DISTINCT last_error FROM tested.days WHERE verified_at IS NULL',
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.last_error).toMatch(
      /^the shop lists none of the 40 stored orders of all times, but \d+ unknown/,
    );
  });
});

test('another shop is not loaded by a sync of only today, with or without orders today', async () => {
  await withTwoShops({ orders: 40, days: 12 }, async ({ own, client, clock, sweep, sweepOther }) => {
    const before = await coreVersions(client);
    clock.pass({ minutes: 6 });
    expect(await sweepOther({ kind: 'sync' })).toMatchObject({
      status: 'partial',
      orders_new: 0,
    });
    expect(await coreVersions(client)).toBe(before);
    await client.query(`DELETE FROM tested.order_lines WHERE order_id IN
      (SELECT order_id FROM tested.orders WHERE created_on >= '2026-03-09')`);
    await client.query(`DELETE FROM tested.orders WHERE created_on >= '2026-03-09'`);
    clock.pass({ minutes: 6 });
    expect(await sweepOther({ kind: 'sync' })).toMatchObject({
      status: 'partial',
      orders_new: 0,
    });
    clock.pass({ minutes: 6 });
    expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok' });
    expect(await differences(client, own.shop)).toEqual([]);
  });
});

test('nor are its orders of a day that is new', async () => {
  await withTwoShops({ orders: 40, days: 12 }, async ({ client, clock, other, sweepOther }) => {
    const before = await coreVersions(client);
    clock.pass({ hours: 24 });
    const day = Temporal.PlainDate.from('2026-03-11');
    for (let count = 0; count < 3; count++)
      other.shop.insertOrder({ createdLocal: day.toPlainDateTime('10:00') });
    const swept = await sweepOther({ ...FORCED, from: day, to: day });
    expect(swept).toMatchObject({ orders_new: 0 });
    expect(swept.problems.join()).toContain('this looks like the list of another shop');
    expect(await coreVersions(client)).toBe(before);
  });
});

test('a shop is recognized once, in however many windows its new orders come', async () => {
  await withTwoShops({ orders: 40, days: 12 }, async ({ own, client, clock, sweep }) => {
    clock.pass({ hours: 6 * 24 });
    const first = Temporal.PlainDate.from('2026-03-11');
    for (let days = 0; days < 6; days++)
      for (let hour = 0; hour < 18; hour++)
        own.shop.insertOrder({ createdLocal: first.add({ days }).toPlainDateTime({ hour }) });
    const lists = watchLists(own.requests);
    expect(await sweep({ ...FORCED, from: first }, 4)).toMatchObject({ orders_new: 108 });
    expect(lists.filter(({ dateTo }) => dateTo?.startsWith('10-03-2026'))).toHaveLength(1);
    expect(await differences(client, own.shop)).toEqual([]);
  });
});

test('an audit loads nothing from another shop’s list', async () => {
  await withTwoShops({ orders: 40, days: 12 }, async ({ client, clock, sweepOther }) => {
    const before = await coreVersions(client);
    clock.pass({ seconds: 1 });
    const result = await sweepOther({ kind: 'sync', audit: true });
    expect(result.problems.join()).toContain('the shop lists none of the newest stored orders');
    expect(await coreVersions(client)).toBe(before);
  });
});

test('orders accepted as missing are replaced by what the shop lists now', async () => {
  await withTwoShops({ orders: 40, days: 5 }, async ({ client, sweepOther }) => {
    const result = await sweepOther({ ...FORCED, acceptMissing: true });
    expect(result).toMatchObject({ status: 'ok', orders_missing: 40 });
    expect(result.orders_new).toBeGreaterThan(20);
    expect(await marks(client)).toMatchObject({ missing: 40 });
  });
});

test('deleting test orders before the first real ones does not look like another shop', async () => {
  await withTwoShops({ orders: 5, days: 5 }, async ({ own, client, clock, sweep }) => {
    for (const { orderId } of own.shop.orders()) own.shop.deleteOrder(orderId);
    clock.pass({ minutes: 5 });
    own.shop.tick(clock.now(), { newOrders: 4, edits: 0 });
    expect(await sweep()).toMatchObject({ status: 'ok', orders_new: 4, orders_missing: 5 });
    expect(await differences(client, own.shop)).toEqual([]);
  });
});

test('deleting three orders of a day while one is placed does not look like another shop', async () => {
  await withTwoShops({ orders: 40, days: 5 }, async ({ own, client, sweep }) => {
    const today = own.shop.orders().filter(({ createdLocal }) => createdLocal.toPlainDate().day === 10);
    const day = today[0]?.createdLocal;
    if (day === undefined) throw new Error('no order of today');
    for (const { orderId } of today) own.shop.deleteOrder(orderId);
    own.shop.insertOrder({ createdLocal: day });
    const only = day.toPlainDate();
    expect(await sweep({ ...FORCED, from: only, to: only })).toMatchObject({
      status: 'ok',
      orders_new: 1,
      orders_missing: today.length,
    });
    expect(await differences(client, own.shop)).toEqual([]);
  });
});

test('orders placed between the few that are stored, which are all gone, look like another shop', async () => {
  await withTwoShops({ orders: 5, days: 5 }, async ({ own, client, clock, sweep }) => {
    const before = await coreVersions(client);
    const times = own.shop.orders().map(({ createdLocal }) => createdLocal);
    const [oldest] = times.toSorted((one, other) => Temporal.PlainDateTime.compare(one, other));
    if (oldest === undefined) throw new Error('no order');
    for (const { orderId } of own.shop.orders()) own.shop.deleteOrder(orderId);
    for (const minutes of [1, 2, 3]) own.shop.insertOrder({ createdLocal: oldest.add({ minutes }) });
    clock.pass({ minutes: 5 });
    const swept = await sweep();
    expect(swept).toMatchObject({ orders_new: 0, orders_missing: 0 });
    expect(swept.problems.join()).toContain('looks like the list of another shop');
    expect(await coreVersions(client)).toBe(before);
  });
});
