/** By a few requests, what the dates of a shop select by. */
import { expect, test } from 'vitest';

import { checkPage, findDateFilter, readUpdated } from '../../../src/shop-api/paging/filter-check.ts';
import { FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { local, pagingDeps } from './read-one.ts';

const [MINUTE, DAY] = [60, 86_400];

/** Of a shop whose orders were changed so many seconds after they were placed. */
async function find(changed: readonly number[], traits: FakeTraits = {}) {
  const orders = changed.map((seconds, index) => {
    const created = secondsOf('2026-01-01T08:00') + index * 5 * DAY;
    return { id: 1000 + index, created, updated: created + seconds };
  });
  const shop = new FakeShop(orders, traits);
  const deps = pagingDeps(shop);
  const filter = await findDateFilter(deps, []);
  const { requests } = shop;
  expect([await findDateFilter(deps, []), shop.requests], 'once in a run').toEqual([filter, requests]);
  return [filter, requests];
}

test('dates that find orders where there are none are ignored', async () => {
  expect(await find([DAY], { ignoresDates: true })).toEqual(['ignored', 1]);
});

test('one order that was changed days later shows that its dates are those of its creation', async () => {
  expect(await find([0, 10 * MINUTE, 9 * DAY])).toEqual(['created', 4]);
  expect(await find([0, 3 * DAY])).toEqual(['created', 4]);
});

test('anything else is said by two: an order may show a time that was never its own', async () => {
  const updated = { filter: 'updated' } as const;
  expect(await find([0, 9 * DAY], updated)).toEqual(['unclear', 4]);
  expect(await find([9 * DAY, 8 * DAY, 7 * DAY], updated)).toEqual(['updated', 6]);
  // Less than three days apart, creation is said by two as well.
  expect(await find([0, 3 * DAY - MINUTE])).toEqual(['unclear', 4]);
  expect(await find([30 * MINUTE, 60 * MINUTE, 90 * MINUTE])).toEqual(['created', 6]);
  expect(await find([30 * MINUTE, 60 * MINUTE, 90 * MINUTE], updated)).toEqual(['updated', 6]);
});

test('of two that say different things neither is believed before a third', async () => {
  const at = (days: number) => secondsOf('2026-01-01T08:00') + days * DAY;
  const honest = (days: number, minutes: number) => ({
    id: 1000 + days,
    created: at(days),
    updated: at(days) + minutes * MINUTE,
  });
  // It shows a time that was never its own, and was changed when it was placed.
  const odd = { id: 1001, created: at(1), shown: at(1) + 60 * MINUTE, updated: at(1) };
  const shop = new FakeShop([honest(0, 90), odd, honest(2, 30)]);
  expect(await findDateFilter(pagingDeps(shop), [])).toBe('created');
  expect(shop.requests).toBe(8);
  expect(await findDateFilter(pagingDeps(new FakeShop([honest(0, 90), odd])), [])).toBe('unclear');
});

test('times that are minutes apart tell nothing', async () => {
  expect(await find([0, 3 * MINUTE, 2 * MINUTE])).toEqual(['unclear', 2]);
  expect(await find([4 * MINUTE, 9 * MINUTE])).toEqual(['created', 6]);
});

test('of many orders that were all changed as long after, one time is in another zone', async () => {
  const all = (count: number) => Array.from({ length: count }, () => 60 * MINUTE);
  expect(await find(all(20))).toEqual(['created', 2]);
  expect(await find(all(19))).toEqual(['unclear', 4]);
});

test('an order that is listed by both of its times tells nothing, and no more than four are asked for', async () => {
  const minutes = [30, 40, 50, 60, 70, 80].map((minute) => minute * MINUTE);
  expect(await find(minutes, { precision: 'day' })).toEqual(['unclear', 10]);
});

test('another order that was placed when one was changed does not speak for it', async () => {
  expect(await find([5 * DAY, 0])).toEqual(['created', 4]);
});

/** A page of rows of the day asked for, after so many of a month before. */
function doubt(far: number, near: number, dateFilter?: 'created') {
  const deps = pagingDeps(new FakeShop([]));
  if (dateFilter) deps.book.dateFilter = dateFilter;
  const rows = Array.from({ length: far + near }, (_, index) => ({
    orderId: String(index),
    raw: { created: index < far ? '05.02.2026' : '05.03.2026', time: '10:00' },
  }));
  const [received, keys] = [rows.length, rows.map(({ orderId }) => orderId)];
  const page = { rows, malformed: [], received, keys, isKeyed: false, total: undefined };
  return checkPage(deps, { from: local('2026-03-05T00:00'), to: local('2026-03-06T00:00') }, page);
}

test('single orders far outside of the dates are odd, and more than one in twenty make one doubt the filter', async () => {
  await doubt(1, 1);
  await doubt(2, 38);
  await expect(doubt(2, 37)).rejects.toThrow(/outside of the dates/);
  await doubt(2, 0, 'created');
});

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
