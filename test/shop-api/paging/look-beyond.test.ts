/** What lies beyond the end of a list is asked for by dates, and which page ends a list. */
import { expect, test } from 'vitest';

import { FARTHEST } from '../../../src/shop-api/paging/asked-dates.ts';
import { isAnyOlder, isLastPage, lookBeyond } from '../../../src/shop-api/paging/look-beyond.ts';
import { type PageProfile, unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import { FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { local, pagingDeps } from './read-one.ts';

const ALL = { from: undefined, to: undefined };
const TIMES = ['10:00', '10:01', '10:02', '10:03'].map((time) => `2026-03-05T${time}`);
const shopOf = (times: readonly string[], traits: FakeTraits = {}) =>
  new FakeShop(
    times.map((time, index) => ({ id: index + 1, created: secondsOf(time) })),
    traits,
  );

/** Looks below the orders of these identifiers, the oldest first. */
const below = (shop: FakeShop, ...ids: readonly number[]) => {
  const end = ids.map((id) => ({ orderId: String(id), time: local(TIMES[id - 1] ?? '') }));
  return lookBeyond(pagingDeps(shop), ALL, { side: 'below', end, isAll: () => false });
};

test('beyond the end of a list nothing may come but what was there, and only what was not is hidden', async () => {
  expect(await below(shopOf(TIMES), 1, 2, 3)).toBe('nothing');
  expect(await below(shopOf(TIMES), 2, 3)).toMatchObject({ hidden: [{ orderId: '1' }] });
  // Of a list that cannot be read to its end, any row may be hidden.
  expect(await below(shopOf(TIMES, { ignoresStart: true, cap: 2 }), 1, 2, 3)).toMatchObject({
    hidden: { length: 2 },
  });
});

test('either end of a list that is open is asked for up to far dates', async () => {
  for (const side of ['below', 'above'] as const) {
    const shop = shopOf(TIMES);
    const ids = side === 'below' ? [1, 2] : [4, 3];
    const end = ids.map((id) => ({ orderId: String(id), time: local(TIMES[id - 1] ?? '') }));
    expect(await lookBeyond(pagingDeps(shop), ALL, { side, end, isAll: () => false })).toBe('nothing');
    expect(shop.queries.length).toBeGreaterThan(0);
    for (const { dateFrom, dateTo } of shop.queries) {
      expect(side === 'below' ? dateFrom : dateTo).toEqual(side === 'below' ? FARTHEST.from : FARTHEST.to);
      expect(side === 'below' ? dateTo : dateFrom).toBeDefined();
    }
  }
});

test('rows that do not come again are told: some of them, or all', async () => {
  expect(await below(shopOf(TIMES.slice(1)), 1, 2, 3)).not.toBe('nothing');
  const others = shopOf(['2026-03-20T10:00', '2026-03-20T11:00']);
  expect(await below(others, 1, 2)).toBe('absent');
  expect(await below(shopOf(TIMES.slice(0, 1)), 1)).toBe('changed');
});

test('a row of a time that no date can name need not come again', async () => {
  const [, second = '', third = ''] = TIMES;
  const end = ['1900-01-01T10:00', second, third].map((time, index) => ({
    orderId: String(index + 1),
    time: local(time),
  }));
  const shop = shopOf(['1900-01-01T10:00', second, third]);
  expect(await lookBeyond(pagingDeps(shop), ALL, { side: 'below', end, isAll: () => false })).toBe('nothing');
});

test('an archive that cannot be asked for is none', async () => {
  const old = local('2026-03-04T00:00');
  expect(await isAnyOlder(pagingDeps(shopOf(TIMES, { failsAt: { days: 1 } })), old)).toBe(false);
  expect(await isAnyOlder(pagingDeps(shopOf(TIMES)), local('2026-03-08T00:00'))).toBe(true);
  expect(await isAnyOlder(pagingDeps(shopOf(TIMES)), old)).toBe(false);
});

const UNKNOWN = unknownProfile(500);
test.each<[string, boolean, Partial<PageProfile>, number, number, number | undefined]>([
  ['of which nothing is known', false, {}, 5, 0, undefined],
  ['that agrees with its total', true, {}, 5, 0, 5],
  ['that holds less than a page is known to', true, {}, 5, 10, undefined],
  ['that holds as much as that', false, {}, 10, 10, undefined],
  ['that holds less than a full one', true, { pageRows: 20 }, 5, 0, undefined],
  ['that is a full one', false, { pageRows: 20 }, 20, 0, 20],
  ['where a full one is not known', false, { pageRows: 1 }, 5, 0, undefined],
  ['where pages come short', false, { isUneven: true }, 5, 10, 5],
  ['without a row', false, {}, 0, 10, 0],
  ['at the end of what the shop shows', false, { endsAt: 5 }, 5, 10, 5],
  ['at another end than that', true, { endsAt: 6 }, 5, 10, 5],
])('a page %s ends its list: %s', (_what, isLast, profile, received, pageRows, total) => {
  const page = { rows: [], malformed: [], received, keys: [], isKeyed: false, total };
  expect(isLastPage({ ...UNKNOWN, ...profile }, page, pageRows)).toBe(isLast);
});
