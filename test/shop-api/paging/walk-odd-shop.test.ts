/** Shops that hide a part of their list, or show odd times, which can be loaded whole; those that count positions otherwise cannot. */
import { expect, test } from 'vitest';

import { Random } from '../../../src/simulator/shop/random.ts';
import { type FakeOrder, FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { ascending, readAll, type ReadAll } from './read-all.ts';
import { IS_LONG } from '../../support/long.ts';

const HISTORY = { from: '2025-10-01', to: '2026-03-06' };
const FIRST = secondsOf('2025-10-01T08:00');
const SPAN = secondsOf('2026-03-06T20:00') - FIRST;

function spread(count: number, seed = 'odd shops'): readonly FakeOrder[] {
  const random = new Random(seed, count);
  const seconds = Array.from({ length: count }, () => FIRST + random.between(0, SPAN));
  return seconds.toSorted((a, b) => a - b).map((created, index) => ({ id: 1000 + index, created }));
}

/** What each window that was read whole must hold. */
function expectSound({ readings }: ReadAll, orders: readonly FakeOrder[]): void {
  for (const reading of readings) {
    if (reading.kind === 'unproven') continue;
    const [from, to] = [secondsOf(reading.window.from), secondsOf(reading.window.to)];
    const own = orders.filter(({ created, shown = created }) => {
      const minute = Math.floor(shown / 60) * 60;
      return minute >= from && minute < to;
    });
    const found = reading.rows.map(({ orderId }) => Number(orderId));
    expect(ascending(found)).toEqual(ascending(own.map(({ id }) => id)));
  }
}

const HIDING: readonly FakeTraits[] = [
  ...[200, 300, 499, 500].map((reach): FakeTraits => ({ reach, total: 'served' })),
  { undatedDays: 30 },
  { undatedDays: 30, total: 'absent' },
  { openDays: 60 },
  { undatedDays: 30, dateEnds: 'both', cap: 100 },
];
const SORTS = IS_LONG ? (['desc', 'asc', 'id-desc', 'shuffled'] as const) : (['asc', 'shuffled'] as const);
const STILL: readonly FakeTraits[] = [{ start: 'last-row' }, { listOrder: 'changing' }];
const COUNTING: readonly FakeTraits[] = [
  { start: 'pages' },
  { start: 'from-one' },
  { start: 'tens' },
  { start: 'full-page' },
  { start: 'ignored', mostRequests: 600 },
];

/** Each of them in each order; in everyday runs, in one order or the other by turns. */
const all = (kinds: readonly FakeTraits[]) =>
  kinds.flatMap((traits, index) =>
    SORTS.filter((_, at) => IS_LONG || at === index % SORTS.length).map((listOrder): FakeTraits => ({
      listOrder,
      ...traits,
    })),
  );

test.each(all(HIDING))('a shop that hides a part of its list is loaded whole: %j', async (traits) => {
  const orders = spread(1504);
  const shop = new FakeShop(orders, { mostRequests: 1000, ...traits });
  const read = await readAll(shop, HISTORY);
  expectSound(read, orders);
  expect(read.readings.flatMap((reading) => (reading.kind === 'unproven' ? [reading.reason] : []))).toEqual(
    [],
  );
  expect(read.ids).toHaveLength(orders.length);
});

test.each(all(COUNTING))(
  'of a shop that does not count positions by orders nothing wrong is verified, and the reason says so: %j',
  async (traits) => {
    const orders = spread(604);
    const shop = new FakeShop(orders, { cap: 50, mostRequests: 1500, ...traits });
    const read = await readAll(shop, HISTORY);
    expectSound(read, orders);
    expect(read.ids.length).toBeLessThan(orders.length / 2);
    const reasons = read.readings.flatMap((reading) => (reading.kind === 'unproven' ? [reading.reason] : []));
    expect(reasons.join()).toMatch(traits.start === 'ignored' ? /the shop ignores "start"/ : /start=/);
    expect(read.seen.size).toBeGreaterThanOrEqual(50);
  },
);

test.each(all(STILL))(
  'a shop whose list has no end, or another order each time, is loaded whole: %j',
  async (traits) => {
    const orders = spread(604);
    const shop = new FakeShop(orders, { cap: 50, mostRequests: 1000, ...traits });
    const read = await readAll(shop, HISTORY);
    expectSound(read, orders);
    expect(read.readings.flatMap((reading) => (reading.kind === 'unproven' ? [reading.reason] : []))).toEqual(
      [],
    );
    expect(read.ids).toHaveLength(orders.length);
  },
);

test.each(IS_LONG ? [-14, -4, -3, -1, 1, 3, 4, 14] : [-14, -1, 3])(
  'a filter that is %i h off loads whole, though orders are often changed',
  async (filterHours) => {
    const random = new Random('edits', filterHours);
    const orders = spread(604).map((order) => ({
      ...order,
      updated: order.created + (random.chance(0.6) ? random.between(60, 20 * 86_400) : 0),
    }));
    for (const listOrder of SORTS) {
      const shop = new FakeShop(orders, { filterHours, listOrder, cap: 100, mostRequests: 600 });
      const read = await readAll(shop, HISTORY);
      expectSound(read, orders);
      expect(read.ids).toHaveLength(orders.length);
    }
  },
);

test.each(SORTS.map((listOrder): FakeTraits => ({ listOrder, mostDays: 31 })))(
  'of a shop that shortens spans nothing wrong is verified, now or by what was learned: %j',
  async (traits) => {
    const orders = spread(300);
    const shop = new FakeShop(orders, { mostRequests: 3000, ...traits });
    const read = await readAll(shop, { ...HISTORY, isOpen: true });
    expectSound(read, orders);
    expect(read.ids.length).toBeGreaterThan(40);
    for (const { window } of read.readings.filter(({ kind }) => kind === 'unproven')) {
      const from = window.from.toPlainDate().toString();
      const { profile } = read;
      expectSound(await readAll(shop, { from, to: HISTORY.to, profile, isOpen: true }), orders);
    }
  },
);

/** Orders of a night in which the clocks are set back, and of days around it. */
function clocksSetBack(count: number) {
  const clockBack = secondsOf('2026-10-25T03:00');
  const random = new Random('clocks', 1);
  const night = Array.from(
    { length: count },
    () => secondsOf('2026-10-25T01:00') + random.between(0, 4 * 3600),
  );
  const around = Array.from({ length: 40 }, (_, index) => secondsOf('2026-10-22T12:00') + index * 10_000);
  const orders = [...night, ...around].map((created, index) => {
    return { id: 1000 + index, created, shown: created < clockBack ? created : created - 3600 };
  });
  return { orders, clockBack };
}

// No dates tell one of the two hours from the other, so a window that ends within them cannot be proven.
test.each([
  [60, true],
  [1600, false],
])(
  'of a shop that filters by instants, and of %i orders of the night in which the clocks are set back, whole is loaded: %s',
  async (count, isWhole) => {
    const { orders, clockBack } = clocksSetBack(count);
    for (const listOrder of IS_LONG ? SORTS : SORTS.slice(0, 1)) {
      const shop = new FakeShop(orders, { listOrder, clockBack, cap: 20, mostRequests: 1500 });
      const read = await readAll(shop, { from: '2026-10-22', to: '2026-10-28' });
      expectSound(read, orders);
      const isProven = read.readings.every(({ kind }) => kind === 'whole');
      expect(isProven || !isWhole).toBe(true);
      // What is listed is loaded, whatever is proven.
      expect(read.seen.size).toBe(orders.length);
    }
  },
);

const PAGES = [100, 500].flatMap((cap) => SORTS.map((listOrder): FakeTraits => ({ listOrder, cap })));
const RESTED = [6000, 30_000].flatMap((count) => PAGES.map((traits) => ({ count, traits })));
test.each(RESTED.filter((_, index) => IS_LONG || index % 3 === 0))(
  'the first of $count orders of a shop that rested for eight weeks come within 96 list requests: $traits',
  async ({ count, traits }) => {
    const orders = spread(count).map(({ id, created }) => ({ id, created: created - 56 * 86_400 }));
    const shop = new FakeShop(orders, { ...traits, mostRequests: 96 });
    const days = { from: '2015-01-01', to: '2026-03-06', isOpen: true };
    const held: number[] = [];
    await readAll(shop, days, (reading) => {
      if (reading.kind === 'whole') held.push(reading.rows.length);
      return held.every((rows) => rows === 0);
    });
    expect(held.at(-1)).toBeGreaterThan(0);
  },
);
