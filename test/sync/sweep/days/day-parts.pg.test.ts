/** A day that takes several windows, of one sweep or of more. */
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { UnavailableError } from '../../../../src/model/errors.ts';
import { parseFreshness } from '../../../../src/plan/days/freshness.ts';
import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import { Random } from '../../../../src/simulator/shop/random.ts';
import { GUEST_OID } from '../../../../src/simulator/shop/sim-users.ts';
import type { SimulatedShop } from '../../../../src/simulator/shop/simulated-shop.ts';
import { watchLists } from '../../../support/list-requests.ts';
import { longTest } from '../../../support/long-test.ts';
import { FORCED, openShop } from '../../../support/shop.ts';
import { withoutGroups } from '../../../support/sweep.ts';
import { hiding } from '../../support/hiding.ts';

const NOW = Temporal.Instant.from('2026-03-20T10:00:00Z');
const DAY = Temporal.PlainDate.from('2026-03-10');
/** Of that day. */
const ORDERS = 120;
const OF_DAY = { ...FORCED, from: DAY, to: DAY };

/** An order of that day. */
const place = (shop: SimulatedShop, random: Random) =>
  shop.insertOrder({
    buyerOid: GUEST_OID,
    createdLocal: DAY.toPlainDateTime().add({ seconds: random.below(86_400) }),
  });

/** A shop whose one day takes many windows, and a warehouse that holds it. */
async function openSplit() {
  const { simulator, shop, clock, ...ground } = await openShop({ orders: 0, days: 30, now: NOW });
  const lists = watchLists(simulator.requests);
  const random = new Random(3, 'split day');
  for (let count = 0; count < ORDERS; count++) place(shop, random);
  const sweep = (through = (api: ShopApi) => api) => {
    clock.pass({ minutes: 10 });
    const settings = { pageLimit: 3, freshness: parseFreshness('*:1m') };
    return ground.sweep(OF_DAY, settings, { through: (api) => through(withoutGroups(api)) });
  };
  /** When the day was verified last. */
  const verifiedAt = async (): Promise<string | undefined> => {
    const [day] = await ground.rows(
      'SELECT verified_at AS at FROM tested.days WHERE day = $1',
      DAY.toString(),
    );
    return day?.at?.toISOString();
  };
  expect(await sweep()).toMatchObject({ status: 'ok', orders_new: ORDERS });
  return { ...ground, shop, clock, lists, sweep, verifiedAt };
}

test('a day that is loaded by several windows is read once, and verified as of the first of them', async () => {
  const { clock, differences, lists, verifiedAt } = await openSplit();
  expect(await verifiedAt()).toBe(new Date(clock.now().epochMilliseconds).toISOString());
  const ends = new Set(lists.map(({ dateTo }) => dateTo));
  expect(ends.size, 'windows').toBeGreaterThan(3);
  // The least are 60 pages of three rows that overlap in one, 30 pages show that the day is too long, and what lies below
  // each part takes a list of its own.
  expect(lists.length).toBeLessThan(170);
  expect(await differences()).toEqual([]);
});

test('an order that the list of one window omits keeps the day unverified, whatever its other windows show', async () => {
  const { differences, shop, sweep, verifiedAt } = await openSplit();
  const before = await verifiedAt();
  const late = shop.orders().find(({ createdLocal }) => createdLocal.hour === 22);
  const result = await sweep(hiding(new Set([late?.orderId ?? 0]), 'list'));
  expect(result).toMatchObject({ status: 'partial', orders_missing: 0 });
  expect(await verifiedAt()).toBeUndefined();
  expect(before).toBeDefined();
  expect(await sweep()).toMatchObject({ status: 'ok' });
  expect(await differences()).toEqual([]);
});

test('while a changed order of one window cannot be fetched, the day is not verified', async () => {
  const { differences, shop, sweep, verifiedAt } = await openSplit();
  const before = await verifiedAt();
  const late = shop.orders().at(-1)?.orderId ?? 0;
  shop.editOrder(late, { status: 'C' });
  const through = (api: ShopApi): ShopApi => ({
    ...api,
    async orderContent(orderId, ...others) {
      if (orderId !== String(late)) return api.orderContent(orderId, ...others);
      // Long enough to read the next window, which holds nothing new.
      await sleep(200);
      throw new UnavailableError('the shop is away');
    },
  });
  await expect(sweep(through)).rejects.toThrow('the shop is away');
  expect(await verifiedAt()).toEqual(before);
  expect(await sweep()).toMatchObject({ status: 'ok', orders_changed: 1 });
  expect(await differences()).toEqual([]);
});

test('an element that may be an order keeps the day unverified, whatever its other windows show', async () => {
  const { shop, sweep, verifiedAt } = await openSplit();
  const element = shop.orders().find(({ createdLocal }) => createdLocal.hour === 22);
  shop.setRaw(element?.orderId ?? 0, { order_id: null, created: null, time: null });
  expect(await sweep()).toMatchObject({ status: 'partial' });
  expect(await verifiedAt()).toBeUndefined();
});

const HUGE = 260;
/** Of simulated time, of which a list request takes a second: for a few windows of the day. */
const BUDGET_MS = 15_000;
const ONE_SWEEP_MS = 3_600_000;

/** A shop whose one day of note takes more windows than a sweep has time for, with a few quiet days before and after it. */
async function openHuge() {
  const { simulator, shop, clock, ...ground } = await openShop({ orders: 0, days: 30, now: NOW, pageCap: 5 });
  const random = new Random(7, 'huge day');
  for (const days of [-12, -3, 4, 10])
    shop.insertOrder({ buyerOid: GUEST_OID, createdLocal: DAY.toPlainDateTime('12:00').add({ days }) });
  for (let count = 0; count < HUGE; count++) place(shop, random);
  simulator.requests.onRequest(({ route }) => {
    if (route === 'orders') clock.pass({ seconds: 1 });
  });
  const sweep = async (budgetMs = BUDGET_MS, signal?: AbortSignal) => {
    clock.pass({ minutes: 5 });
    await ground.sweep({ kind: 'sync', budgetMs }, { freshness: parseFreshness('*:30d') }, { signal });
  };
  /** When the day was verified, and with how many orders. */
  const verdict = async (): Promise<{ at: Date | null; orders: number | null } | undefined> => {
    const query = 'SELECT verified_at AS at, orders_seen AS orders FROM tested.days WHERE day = $1';
    return (await ground.rows(query, DAY.toString()))[0];
  };
  return { ...ground, simulator, shop, sweep, verdict };
}

/** Sweeps until the day is verified. @returns how many sweeps that took */
async function untilVerified(
  { sweep, verdict }: Awaited<ReturnType<typeof openHuge>>,
  budgetMs?: number,
): Promise<number> {
  for (let sweeps = 1; sweeps <= 20; sweeps++) {
    await sweep(budgetMs);
    if ((await verdict())?.at) return sweeps;
  }
  throw new Error('never verified');
}

test.each([BUDGET_MS, 1])(
  'a time budget of %i ms, which a day is too large for, ends with a day that the ledger shows',
  async (budgetMs) => {
    const lab = await openHuge();

    expect(await untilVerified(lab, budgetMs)).toBeLessThan(8);
    expect(await lab.verdict()).toMatchObject({ orders: HUGE });
    await lab.sweep(ONE_SWEEP_MS);
    expect(await lab.differences()).toEqual([]);
  },
);

longTest('a process that is killed repeatedly asks for no content again, and ends', async () => {
  const lab = await openHuge();

  const contents = new Map<string, number>();
  lab.simulator.requests.onRequest(({ route, path }) => {
    if (route === 'order') contents.set(path, (contents.get(path) ?? 0) + 1);
  });
  let kills = 0;
  for (; kills < 40 && (await lab.verdict())?.at == null; kills++) {
    const stop = new AbortController();
    let requests = 0;
    const unlisten = lab.simulator.requests.onRequest(() => {
      if (++requests === 150 + (kills % 7)) stop.abort(new Error('killed'));
    });
    await lab.sweep(Number.POSITIVE_INFINITY, stop.signal).catch(() => undefined);
    unlisten();
  }
  expect(kills).toBeGreaterThan(1);
  expect(await lab.verdict()).toMatchObject({ orders: HUGE });
  const again = [...contents.values()].filter((times) => times > 1).length;
  // What is on its way when the process ends.
  expect(again).toBeLessThan(kills * 20);
  expect(await lab.differences()).toEqual([]);
});

test('an order placed in a part of a day that was already read is found by later sweeps', async () => {
  const lab = await openHuge();

  const { shop, simulator } = lab;
  let placed: number | undefined;
  simulator.requests.onRequest(({ route, query }) => {
    if (route !== 'orders' || query['date_to']?.startsWith('10-03-2026 1') !== true) return;
    const createdLocal = DAY.toPlainDateTime('23:58');
    placed ??= shop.insertOrder({ buyerOid: GUEST_OID, createdLocal }).orderId;
  });
  await lab.sweep(ONE_SWEEP_MS);
  expect(placed).toBeDefined();
  // It is verified as of the first of its windows, before the order was placed.
  expect(await lab.verdict()).toMatchObject({ orders: HUGE });
  await lab.sweep(ONE_SWEEP_MS);
  expect(await lab.differences()).toEqual([]);
});
