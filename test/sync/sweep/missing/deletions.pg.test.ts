import type { Client } from 'pg';
import { expect, test } from 'vitest';

import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import type { Dialect } from '../../../../src/simulator/shop/dialect.ts';
import { makeShopInProcess } from '../../../support/in-process-shop.ts';
import { daysThatAre, FORCED, openShop, PRESENT, untilTestEnds } from '../../../support/shop.ts';
import { clientOf, withoutGroups } from '../../../support/sweep.ts';
import { coreVersions } from '../../../support/truth.ts';
import { held, idAt, marks, openCopy } from '../../support/copy.ts';
import { hiding } from '../../support/hiding.ts';

/** Every row version of the tables that a deletion must leave alone. */
async function untouched(client: Client): Promise<readonly string[]> {
  const versions = (await coreVersions(client)).split('\n');
  return versions.filter((line) => /^core\.order_(lines|history) [1-9]/.test(line));
}

test('a deleted order is missing after one walk and deleted after the next; its data stays', async () => {
  const { client, clock, differences, rows, shop, simulator, sweep } = await openCopy(60);
  const before = await untouched(client);
  expect(before).toHaveLength(2);
  const [gone, day] = [idAt(simulator, 20), shop.orders()[20]?.createdLocal.toPlainDate().toString()];
  shop.deleteOrder(gone);
  const ofDay = shop.orders().filter((order) => order.createdLocal.toPlainDate().toString() === day);

  expect(await sweep()).toMatchObject({ status: 'ok', orders_missing: 1, orders_changed: 0 });
  expect(await held(client, gone)).toEqual({ missing_since: '10 18:01', deleted_at: null, day });
  expect(await rows('SELECT day::text, orders_seen FROM tested.days')).toContainEqual({
    day,
    orders_seen: ofDay.length,
  });

  clock.pass({ minutes: 5 });
  expect(await sweep()).toMatchObject({ status: 'ok', orders_missing: 0 });
  expect(await held(client, gone)).toEqual({ missing_since: '10 18:01', deleted_at: '10 18:06', day });
  expect(await marks(client)).toEqual({ missing: 1, deleted: 1 });
  expect(await untouched(client)).toEqual(before);
  expect(await differences()).toEqual([]);

  simulator.requests.reset();
  clock.pass({ minutes: 1 });
  expect(await sweep()).toMatchObject({ status: 'ok' });
  expect(simulator.requests.count('order'), 'a deleted order is not asked for again').toBe(0);
});

test.each([
  ['missing', 1],
  ['deleted', 2],
])('a %s order that is listed again is live, with its new content', async (_state, walks) => {
  const { client, clock, differences, rows, shop, simulator, sweep } = await openCopy(30);
  const [same, other] = [idAt(simulator, 5), idAt(simulator, 6)];
  const gone = hiding(new Set([same, other]), 'list and content');
  for (let walk = 1; walk <= walks; walk++) {
    expect(await sweep(FORCED, {}, { through: gone })).toMatchObject({ status: 'ok' });
    clock.pass({ minutes: 5 });
  }
  expect(await marks(client)).toEqual({ missing: 2, deleted: walks === 2 ? 2 : 0 });
  shop.editOrder(other, { status: 'C' });

  expect(await sweep()).toMatchObject({ status: 'ok', orders_new: 0, orders_changed: 1 });
  expect(await marks(client)).toEqual({ missing: 0, deleted: 0 });
  // The walks that lacked it, and verified its day, say nothing of its status then.
  expect(
    await rows(
      `SELECT to_char(not_before, 'DD HH24:MI') AS after FROM tested.order_history WHERE order_id = $1 AND seq = 2`,
      other,
    ),
  ).toEqual([{ after: '10 18:00' }]);
  expect(await differences()).toEqual([]);
});

test('a sync that only finds a missing order again is recorded as a run', async () => {
  const { client, clock, shop, sweep } = await openCopy(30);
  const latest = new Set([shop.orders().at(-1)?.orderId ?? 0]);
  const request = { kind: 'sync' } as const;
  await sweep(request, {}, { through: hiding(latest, 'list and content') });
  expect(await marks(client)).toEqual({ missing: 1, deleted: 0 });
  const runs = async () => (await client.query('SELECT 1 FROM tested.runs')).rowCount ?? 0;
  const before = await runs();
  clock.pass({ minutes: 10 });
  expect(await sweep(request)).toMatchObject({ status: 'ok', orders_changed: 0 });
  expect(await marks(client)).toEqual({ missing: 0, deleted: 0 });
  expect(await runs()).toBe(before + 1);
  clock.pass({ minutes: 10 });
  await sweep(request);
  expect(await runs(), 'one that finds nothing').toBe(before + 1);
});

test.each([
  ['a later', 0, 4],
  ['an earlier', 4, 0],
])('an order that moved to %s day is found there and not marked', async (_which, from, to) => {
  const { client, differences, shop, sweep } = await openCopy(50);
  const days = [...Map.groupBy(shop.orders(), (order) => order.createdLocal.toPlainDate().toString())];
  const [moved, target] = [days[from]?.[1][0], days[to]?.[0] ?? ''];
  if (moved === undefined) throw new Error('the shop is too small');
  shop.moveOrder(moved.orderId, Temporal.PlainDateTime.from(`${target}T11:30`));
  const result = await sweep();
  expect(result).toMatchObject({ status: 'ok', orders_new: 0, orders_missing: 0 });
  expect(result.days_verified).toBe(result.days_due);
  expect(await held(client, moved.orderId)).toEqual({ missing_since: null, deleted_at: null, day: target });
  expect(await differences()).toEqual([]);
});

test('an order that moved to a day outside the sweep holds up its old day until its new one is read', async () => {
  const { client, clock, differences, shop, sweep } = await openCopy(40);
  const [order] = shop.orders();
  const day = order?.createdLocal.toPlainDate();
  shop.moveOrder(order?.orderId ?? 0, Temporal.PlainDateTime.from('2026-03-09T12:00'));
  const only = { ...FORCED, from: day, to: day };
  expect(await sweep(only)).toMatchObject({ status: 'partial', orders_missing: 0 });
  expect(await held(client, order?.orderId ?? 0)).toMatchObject({
    missing_since: null,
    day: day?.toString(),
  });
  clock.pass({ minutes: 1 });
  expect(await sweep()).toMatchObject({ status: 'ok' });
  expect(await held(client, order?.orderId ?? 0)).toMatchObject({ missing_since: null, day: '2026-03-09' });
  expect(await differences()).toEqual([]);
});

const WORDS = [
  '404',
  '400',
  'success-0',
  'success-0-message',
  'empty-content',
  'html',
] as const satisfies readonly Dialect['unknownOrder'][];

/** An order that cannot exist, twice, and orders that are listed. */
const CONTROLS = 5;

/** Contents are no part of these stories, but for whether there is one. */
const withoutContents = (api: ShopApi): ShopApi => ({
  ...withoutGroups(api),
  orderContent: async () => ({
    kind: 'found',
    lines: [{ oid: '1_a' }],
    raw: { ordercontent: [{ oid: '1_a' }] },
  }),
  userResponse: async () => ({
    kind: { shape: '', control: 'none' },
    found: { kind: 'found', userOid: '1', raw: {} },
  }),
});

test('10 deletions of 150 are found with each of six answers for "no such order"', async () => {
  const gone = 10;
  const { client, clock, shop, simulator, ...ground } = await openShop({ orders: 150, days: 40, seed: 150 });
  const sweep = () => ground.sweep(FORCED, {}, { through: withoutContents });
  expect(await sweep()).toMatchObject({ status: 'ok', orders_new: 150 });
  for (const { orderId } of shop.orders().filter((_, index) => index % 15 === 0)) shop.deleteOrder(orderId);
  for (const unknownOrder of WORDS) {
    shop.setDialect({ unknownOrder });
    simulator.requests.reset();
    for (const deleted of [0, gone]) {
      clock.pass({ minutes: 10 });
      expect(await sweep(), unknownOrder).toMatchObject({ status: 'ok', problems: [] });
      expect(await marks(client), unknownOrder).toEqual({ missing: gone, deleted });
      expect(await daysThatAre('open', client)).toEqual([]);
    }
    expect(simulator.requests.count('order'), unknownOrder).toBeLessThanOrEqual(gone + CONTROLS);
    expect(simulator.requests.count('orders'), unknownOrder).toBeLessThanOrEqual(30);
    // As if the orders that were deleted in the shop were just there.
    await client.query('UPDATE tested.orders SET missing_since = NULL, deleted_at = NULL');
  }
});

/** A copy of a shop, while another one of as many orders waits to answer at its address with none of its identifiers. */
async function openTwoShops(days: number) {
  const orders = 40;
  const { clock, shop, ...ground } = await openShop({ orders, days, seed: 31 });
  const dialect = { ids: 'shuffled' } as const;
  const other = untilTestEnds(
    makeShopInProcess({ orders: 3 * orders, days, seed: 32, now: PRESENT, dialect }),
  );
  const last = Math.max(...shop.orders().map(({ orderId }) => orderId));
  const foreign = other.shop.orders().filter(({ orderId }) => orderId > last);
  const left = new Set(foreign.slice(0, orders).map(({ orderId }) => orderId));
  for (const { orderId } of other.shop.orders()) if (!left.has(orderId)) other.shop.deleteOrder(orderId);
  // It has orders of today.
  for (let count = 0; count < 2; count++) other.shop.insertOrder();
  expect(other.shop.orders().length).toBeGreaterThan(orders / 2);
  const sweep = (request = FORCED) => ground.sweep(request);
  const misled = { through: () => withoutGroups(clientOf(other)) };
  const sweepOther = (request = FORCED) => ground.sweep(request, {}, misled);
  expect(await sweep()).toMatchObject({ status: 'ok', orders_new: orders });
  clock.pass({ minutes: 1 });
  return { ...ground, sweep, sweepOther };
}

test('another shop at the address makes no order missing, and leaves no day verified that it lost', async () => {
  const { client, differences, sweep, sweepOther } = await openTwoShops(12);

  const swept = await sweepOther();
  expect(swept).toMatchObject({ status: 'partial', orders_missing: 0 });
  expect(swept.problems.join()).toContain('40 of 40 orders disappeared');
  expect(await marks(client)).toEqual({ missing: 0, deleted: 0 });
  // What it listed was loaded, and is gone.
  expect(await sweep({ ...FORCED, acceptMissing: true })).toMatchObject({ status: 'ok' });
  expect(await differences()).toEqual([]);
});

test('orders accepted as missing are replaced by what the shop lists now', async () => {
  const { client, sweepOther } = await openTwoShops(5);

  const result = await sweepOther({ ...FORCED, acceptMissing: true });
  expect(result).toMatchObject({ status: 'ok', orders_missing: 40 });
  expect(result.orders_new).toBeGreaterThan(20);
  expect(await marks(client)).toMatchObject({ missing: 40 });
});
