import { expect, test } from 'vitest';

import { rowKey } from '../../../src/shop-api/endpoints/list-orders.ts';
import { isProvenByHalves } from '../../../src/shop-api/paging/prove-by-halves.ts';
import { unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import { FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { local, pagingDeps } from './read-one.ts';

const DATES = { from: local('2026-03-05T00:00'), to: local('2026-03-06T00:00') };
const TRAITS: FakeTraits = { ignoresStart: true, cap: 10 };
const at = (...times: readonly string[]) =>
  times.map((time, index) => ({ id: index + 1, created: secondsOf(`2026-03-05T${time}`) }));

const SEVEN = at('07:00', '08:00', '09:00', '10:00', '11:00', '12:00', '20:00');

/** Whether the answer to the dates is proven, and by how many requests. */
async function prove(shop: FakeShop) {
  const { rows } = await shop.listOrders({ dateFrom: DATES.from, dateTo: DATES.to, limit: 500 });
  const isProven = await isProvenByHalves(pagingDeps(shop), DATES, rows);
  return { isProven, requests: shop.requests - 1 };
}

test('an answer is whole where its halves, each less than it, hold just the same, and it does again', async () => {
  expect(await prove(new FakeShop(SEVEN, TRAITS))).toEqual({ isProven: true, requests: 3 });
  const exclusive = { ...TRAITS, dateFrom: 'exclusive', dateTo: 'exclusive' } as const;
  expect(await prove(new FakeShop(SEVEN, exclusive))).toMatchObject({
    isProven: true,
  });
});

test('a cut page is not: a half of it gains rows', async () => {
  const times = Array.from({ length: 14 }, (_, hour) => `${String(hour + 5).padStart(2, '0')}:30`);
  for (const sort of ['desc', 'asc', 'shuffled'] as const) {
    expect(await prove(new FakeShop(at(...times), { ...TRAITS, sort }))).toMatchObject({ isProven: false });
  }
});

test('halves that are hardly less than the whole are halved again: a page that is cut by its size may be so short', async () => {
  expect(await prove(new FakeShop(SEVEN.slice(0, 6), TRAITS))).toEqual({ isProven: true, requests: 5 });
  expect(await prove(new FakeShop(SEVEN.slice(0, 4), TRAITS))).toMatchObject({ isProven: true });
  // A page of six, of which the fifth and the tenth order take three: the half from the third on ends like the whole.
  const large: FakeTraits = { ...TRAITS, pages: 'bytes', cap: 6, total: 'absent' };
  const hours = [19, 18, 17, 16, 15, 14, 13, 12, 11, 10].map((hour) => `${hour}:00`);
  const orders = at(...hours).map(({ id, created }) => ({ id: id + 2, created }));
  const shop = new FakeShop(orders, large);
  const { rows } = await shop.listOrders({ dateFrom: DATES.from, dateTo: DATES.to, limit: 500 });
  expect(rows.map(({ orderId }) => orderId)).toEqual(['3', '4', '5', '6']);
  expect(await prove(shop)).toMatchObject({ isProven: false });
});

test('a half that holds an order twice, in the place of another, proves nothing', async () => {
  const hidden = { id: 9, created: secondsOf('2026-03-05T19:00') };
  const shop = new FakeShop([...SEVEN, hidden], { ...TRAITS, total: 'absent' });
  const listOrders: typeof shop.listOrders = async (query) => {
    const page = await shop.listOrders(query);
    const rows = page.rows.filter(({ orderId }) => orderId !== '9');
    const isHalf = page.rows.length < 8 && page.rows.length > rows.length;
    const shown = isHalf ? [...rows, ...rows.slice(-1)] : rows;
    return { ...page, rows: shown, keys: shown.map(rowKey), received: shown.length };
  };
  const { rows } = await listOrders({ dateFrom: DATES.from, dateTo: DATES.to });
  expect(rows).toHaveLength(7);
  expect(await isProvenByHalves(pagingDeps({ listOrders }), DATES, rows)).toBe(false);
});

test('a total of the matches that says more than came contradicts the halves', async () => {
  // Nothing is served beyond the seventh row, whatever the dates.
  const hidden = { id: 9, created: secondsOf('2026-03-05T06:00') };
  const withHidden = (total: 'matches' | 'all') => {
    const shop = new FakeShop([...SEVEN, hidden], { ...TRAITS, total });
    const listOrders: typeof shop.listOrders = async (query) => {
      const page = await shop.listOrders(query);
      const rows = page.rows.filter(({ orderId }) => orderId !== '9');
      return { ...page, rows, keys: rows.map(rowKey), received: rows.length };
    };
    return listOrders;
  };
  const isProven = async (total: 'matches' | 'all') => {
    const listOrders = withHidden(total);
    const { rows } = await listOrders({ dateFrom: DATES.from, dateTo: DATES.to });
    return isProvenByHalves(pagingDeps({ listOrders }), DATES, rows);
  };
  expect(await isProven('matches')).toBe(false);
  // The same number for all dates counts something else.
  expect(await isProven('all')).toBe(true);
});

test('where pages come short at random, halves prove nothing', async () => {
  const deps = pagingDeps(new FakeShop(SEVEN, TRAITS), { ...unknownProfile(500), isUneven: true });
  const { rows } = await deps.api.listOrders({ dateFrom: DATES.from, dateTo: DATES.to });
  expect(await isProvenByHalves(deps, DATES, rows)).toBe(false);
});

test('two rows are halved between them, where there is room', async () => {
  expect(await prove(new FakeShop(at('08:00', '09:00'), TRAITS))).toMatchObject({ isProven: true });
  expect(await prove(new FakeShop(at('08:00', '08:04'), TRAITS))).toEqual({ isProven: false, requests: 0 });
});

test('rows of one minute cannot be halved', async () => {
  expect(await prove(new FakeShop(at('08:00:01', '08:00:30', '08:00:59'), TRAITS))).toEqual({
    isProven: false,
    requests: 0,
  });
});

test('halves of a shop that filters by whole days are no less than the whole, and prove nothing', async () => {
  const shop = new FakeShop(at('08:00', '09:00', '10:00', '20:00'), { ...TRAITS, precision: 'day' });
  expect(await prove(shop)).toMatchObject({ isProven: false });
});

test('a row twice, in a half or when the whole is asked for again, leaves the answer unproven', async () => {
  for (const request of [2, 3, 4]) {
    const shop = new FakeShop(SEVEN, TRAITS);
    const listOrders: typeof shop.listOrders = async (query) => {
      const page = await shop.listOrders(query);
      if (shop.requests !== request) return page;
      return { ...page, keys: page.keys.map(() => page.keys[0] ?? '') };
    };
    const { rows } = await shop.listOrders({ dateFrom: DATES.from, dateTo: DATES.to, limit: 500 });
    expect(await isProvenByHalves(pagingDeps({ listOrders }), DATES, rows)).toBe(false);
  }
});

test('an order that is placed or deleted meanwhile leaves the answer unproven', async () => {
  for (const move of ['insert', 'remove', 'replace'] as const) {
    const shop: FakeShop = new FakeShop(SEVEN, {
      ...TRAITS,
      before: (moving) => {
        if (moving.requests !== 2) return;
        if (move !== 'remove') moving.insert({ id: 9, created: secondsOf('2026-03-05T08:30') });
        if (move !== 'insert') moving.remove(1);
      },
    });
    expect(await prove(shop)).toMatchObject({ isProven: false });
  }
});

test.each<[FakeTraits, boolean]>([
  [{ openDays: 1 }, false],
  [{}, true],
])('a list that is open below is not whole where dates show more there: %j', async (traits, isProven) => {
  const old = { id: 9, created: secondsOf('2026-03-01T06:00') };
  const shop = new FakeShop(traits.openDays === undefined ? SEVEN : [...SEVEN, old], {
    ...TRAITS,
    ...traits,
  });
  const dates = { from: undefined, to: DATES.to };
  const { rows } = await shop.listOrders({ dateTo: DATES.to, limit: 500 });
  expect(rows).toHaveLength(7);
  const deps = pagingDeps(shop);
  expect(await isProvenByHalves(deps, dates, rows)).toBe(isProven);
  expect(deps.book.profile.isUndatedPartial).toBe(!isProven);
});

test('a list that is open above is not whole where dates show more there, and dates are no more needed for that', async () => {
  const shop = new FakeShop(SEVEN, TRAITS);
  const listOrders: typeof shop.listOrders = async (query) => {
    const page = await shop.listOrders(query);
    // The newest order comes with both dates alone.
    if (query.dateFrom && query.dateTo) return page;
    const rows = page.rows.filter(({ orderId }) => orderId !== '7');
    return { ...page, rows, keys: rows.map(rowKey), received: rows.length };
  };
  const dates = { from: DATES.from, to: undefined };
  const { rows } = await listOrders({ dateFrom: DATES.from, limit: 500 });
  const deps = pagingDeps({ listOrders });
  expect(await isProvenByHalves(deps, dates, rows)).toBe(false);
  expect(deps.book.profile.isUndatedPartial).toBe(false);
});
