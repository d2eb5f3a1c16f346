/** By a few requests, what the dates of a shop select by. */
import { expect, test } from 'vitest';

import { FARTHEST } from '../../../src/shop-api/endpoints/list-orders.ts';
import { checkFilter, FilterFault, readUpdated } from '../../../src/shop-api/paging/filter-check.ts';
import { FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { local, pagingDeps } from './read-one.ts';

const [MINUTE, DAY] = [60, 86_400];
const at = (days: number) => secondsOf('2026-01-01T08:00') + days * DAY;

type Found = {
  /** Orders of the list, the newest first. @default all */
  readonly listed?: number;
  /** Days by which they show another time of placement than their own. @default none */
  readonly off?: number;
};

/** Of a shop whose orders were changed so many seconds after they were placed, and that listed all of them for some dates. */
async function find(
  changed: readonly number[],
  traits: FakeTraits = {},
  dates = FARTHEST,
  { listed = changed.length, off = 0 }: Found = {},
) {
  const orders = changed.map((seconds, index) => ({
    id: 1000 + index,
    created: at(index * 5),
    shown: at(index * 5 + off),
    updated: at(index * 5) + seconds,
  }));
  const shop = new FakeShop(orders, traits);
  const deps = pagingDeps(shop);
  const { rows } = await new FakeShop(orders).listOrders({});
  const own = rows.slice(0, listed);
  const said = await checkFilter(deps, dates, own).then(
    () => (deps.book.isByCreation === true ? 'created' : undefined),
    (error: unknown) => (error instanceof FilterFault ? `refused: ${error.filter}` : error),
  );
  const { requests } = shop;
  // What is known is not asked for again.
  if (said === 'created') await checkFilter(deps, OTHER, own);
  expect(shop.requests).toBe(requests);
  return [said, requests];
}

const OTHER = { from: local('2027-01-01T00:00'), to: local('2027-01-02T00:00') };

test('dates that find orders where there are none are ignored', async () => {
  expect(await find([DAY, 0], { dateFilter: 'ignored' }, OTHER)).toEqual(['refused: ignored', 1]);
});

test('one order that was changed days later shows that its dates are those of its creation', async () => {
  expect(await find([0, 10 * MINUTE, 9 * DAY])).toEqual(['created', 2]);
  expect(await find([0, 3 * DAY])).toEqual(['created', 2]);
  // Listed by dates before its change, it shows that by itself.
  const dates = { from: local('2025-12-30T00:00'), to: local('2026-01-03T00:00') };
  expect(await find([9 * DAY], {}, dates)).toEqual(['created', 0]);
});

test('that it is the last change is said by two: an order may show a time that was never its own', async () => {
  const updated = { dateFilter: 'updated' } as const;
  expect(await find([0, 9 * DAY], updated)).toEqual([undefined, 3]);
  expect(await find([9 * DAY, 8 * DAY, 7 * DAY], updated)).toEqual(['refused: updated', 4]);
  // The second one may be of another list.
  expect(await find([9 * DAY, 8 * DAY], updated, FARTHEST, { listed: 1 })).toEqual(['refused: updated', 5]);
});

test('only the order itself shows by what it is listed, and one that is listed by none of its times shows nothing', async () => {
  expect(await find([5 * DAY, 0])).toEqual(['created', 2]);
  expect(await find([9 * DAY, 8 * DAY], {}, FARTHEST, { off: 40 })).toEqual([undefined, 8]);
});

test('times that are less than three days apart tell nothing, as in a filter by days or in another zone', async () => {
  expect(await find([0, 3 * DAY - MINUTE, 30 * MINUTE])).toEqual([undefined, 0]);
});

test('of rows outside of the dates, more than one in twenty make one doubt the filter', async () => {
  const doubt = async (far: number, near: number) => {
    const rows = Array.from({ length: far + near }, (_, index) => ({
      orderId: String(index),
      raw: { created: index < far ? '05.02.2026' : '05.03.2026', time: '10:00' },
    }));
    return checkFilter(pagingDeps(new FakeShop([])), DATES, rows);
  };
  await doubt(1, 1);
  await doubt(2, 38);
  await expect(doubt(2, 37)).rejects.toThrow(/outside of the requested dates/);
});

const DATES = { from: local('2026-03-05T00:00'), to: local('2026-03-06T00:00') };

test('when an order was changed is read in the documented form alone', () => {
  const read = (updated: string | number) => readUpdated({ orderId: '1', raw: { updated } })?.toString();
  expect(read('2026-03-05 10:00:00')).toBe('2026-03-05T10:00:00');
  for (const other of [
    'x2026-03-05 10:00:00',
    '2026-03-05 10:00:00Z',
    '2026-03-05 10:00:00.5',
    '+002026-03-05 10:00:00',
    '2026-03-05 10:00',
    5,
    '2026-13-05 10:00:00',
  ])
    expect(read(other)).toBeUndefined();
});
