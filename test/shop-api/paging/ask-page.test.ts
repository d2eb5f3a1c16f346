/** One page of a shop that knows no dates which are far off. */
import { expect, test } from 'vitest';

import { type Dates, FARTHEST } from '../../../src/shop-api/paging/asked-dates.ts';
import { askPage } from '../../../src/shop-api/paging/ask-page.ts';
import { FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { local, pagingDeps } from './read-one.ts';

const textOf = ({ from, to }: Partial<Dates>) => [from, to].join(' to ');

const shopOf = (times: readonly string[], traits: FakeTraits = {}) =>
  new FakeShop(
    times.map((time, index) => ({ id: index + 1, created: secondsOf(time) })),
    traits,
  );
/** Knows no date before 2000, and none after 2030. */
function open(...times: readonly string[]) {
  const shop = shopOf(times);
  const listOrders: typeof shop.listOrders = async (query) => {
    const page = await shop.listOrders(query);
    const isFar = (query.dateFrom?.year ?? 2026) < 2000 || (query.dateTo?.year ?? 2026) > 2030;
    return isFar ? { ...page, rows: [], keys: [], received: 0, total: 0 } : page;
  };
  const asked = () => shop.queries.map(({ dateFrom, dateTo }) => textOf({ from: dateFrom, to: dateTo }));
  return { deps: pagingDeps({ listOrders }), asked };
}
const NEARER = { from: local('2001-01-01T00:00'), to: local('2027-03-20T12:00') };
const [FROM, TO] = [local('2026-03-01T00:00'), local('2026-03-10T00:00')];

test.each([
  [FARTHEST, NEARER],
  [
    { from: FROM, to: FARTHEST.to },
    { from: FROM, to: NEARER.to },
  ],
  [
    { from: FARTHEST.from, to: TO },
    { from: NEARER.from, to: TO },
  ],
])('where far dates find nothing, nearer ones are asked for, and known from then on', async (far, near) => {
  const { deps, asked } = open('2026-03-05T10:00', '2026-03-05T11:00');
  expect(await askPage(deps, far, 0)).toMatchObject({ received: 2 });
  expect(asked()).toEqual([far, near].map(textOf));
  expect(deps.book.farthest && textOf(deps.book.farthest)).toBe(textOf(NEARER));
});

test('a date that is not far shows nothing of far ones', async () => {
  const { deps, asked } = open('2026-03-05T10:00');
  expect(await askPage(deps, { from: FROM, to: TO }, 0)).toMatchObject({ received: 1 });
  expect(deps.book.farthest).toEqual({});
  expect(await askPage(deps, { from: FARTHEST.from, to: TO }, 0)).toMatchObject({ received: 1 });
  expect(asked()).toHaveLength(3);
});

test('where nearer ones find nothing either, nothing is known of them', async () => {
  const { deps, asked } = open('1999-03-05T10:00');
  expect(await askPage(deps, FARTHEST, 0)).toMatchObject({ received: 0 });
  expect(asked()).toHaveLength(2);
  expect(deps.book.farthest).toBeUndefined();
  // Beyond the first page an empty one is the end.
  await askPage(deps, FARTHEST, 1);
  expect(asked()).toHaveLength(3);
});

test('a shop that takes a single date for none is asked with both, and so from then on', async () => {
  const times = ['2026-01-05T10:00', '2026-01-06T10:00', '2026-03-05T10:00', '2026-03-06T10:00'];
  const shop = shopOf(times, { wantsBothDates: true });
  const deps = pagingDeps(shop);
  for (const dates of [
    { from: FROM, to: undefined },
    { from: undefined, to: local('2026-02-01T00:00') },
  ])
    expect(await askPage(deps, dates, 0)).toMatchObject({ received: 2 });
  const dated = shop.queries.map(({ dateFrom, dateTo }) => [dateFrom, dateTo].filter(Boolean).length);
  expect(dated, 'how many dates each request has').toEqual([1, 2, 2]);
});
