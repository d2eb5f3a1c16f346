/** When the newest orders of a shop were placed is found with few requests, however it sorts its list. */
import { expect, test } from 'vitest';

import { findNewest } from '../../../src/shop-api/paging/find-newest.ts';
import { unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import { EVER } from '../../../src/model/window.ts';
import { FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { local, pagingDeps } from './read-one.ts';

const NOW = local('2026-03-20T12:00');
/** Thirty orders, the last of them twenty days ago. */
const ORDERS = Array.from({ length: 30 }, (_, index) => ({
  id: index + 1,
  created: secondsOf('2026-01-30T12:00') + index * 86_400,
}));
const SINCE = { from: local('2026-02-04T00:00'), to: EVER.to };

/** By pages of ten. */
async function find(traits: FakeTraits, { window = EVER, total = 30, orders = ORDERS } = {}) {
  const shop = new FakeShop(orders, traits);
  const { rows } = await shop.listOrders({ limit: 10 });
  const deps = pagingDeps(shop, { ...unknownProfile(10), pageRows: 10 });
  const sample = rows.flatMap((row) => deps.readCreated(row) ?? []);
  const times = await findNewest(deps, window, sample, traits.total === 'absent' ? undefined : total, NOW);
  const asked = shop.queries.slice(1).map(({ start = 0, dateFrom, dateTo }) => {
    expect(dateTo).toBeUndefined();
    return `${dateFrom?.toPlainDate().toString() ?? 'all'} ${start}`;
  });
  return { times: times.map((time) => time.toPlainDate().toString().slice(5)).toSorted(), asked };
}

const LAST_TEN = ['02-19', '02-20', '02-21', '02-22', '02-23', '02-24', '02-25', '02-26', '02-27', '02-28'];
const LOOKED = ['2026-03-19 0', '2026-03-16 0', '2026-03-04 0', '2026-01-15 0'];

test('of a list that begins with the newest, nothing is asked', async () => {
  expect(await find({})).toEqual({ times: LAST_TEN, asked: [] });
});

test('below what is stored, orders may begin at once', async () => {
  const window = { from: EVER.from, to: local('2026-03-01T00:00') };
  expect(await find({ sort: 'shuffled' }, { window })).toEqual({ times: ['03-01'], asked: [] });
});

test('of a list that begins with the oldest, its last page is asked for, by its total', async () => {
  expect(await find({ sort: 'asc' })).toEqual({ times: LAST_TEN, asked: ['all 20'] });
  const of = { window: SINCE, total: 25 };
  expect(await find({ sort: 'asc' }, of)).toEqual({ times: LAST_TEN, asked: ['2026-02-04 15'] });
  const few = { orders: ORDERS.slice(-4), total: 4 };
  expect(await find({ sort: 'asc' }, few)).toEqual({
    times: LAST_TEN.slice(-4),
    asked: ['all 0', ...LOOKED],
  });
});

test('where that shows nothing newer, or there is no order of time, it is looked for ever longer ago', async () => {
  // Rows since then, the oldest first.
  const times = ['01-30', '01-31', '02-01', '02-02', '02-03', '02-04', '02-05', '02-06', '02-07', '02-08'];
  expect(await find({ sort: 'asc' }, { total: 300 })).toEqual({ times, asked: ['all 290', ...LOOKED] });
  expect(await find({ sort: 'asc', total: 'absent' })).toEqual({ times, asked: LOOKED });
  expect(await find({ sort: 'shuffled' })).toMatchObject({ asked: LOOKED });
  // A last page that goes on before the first one ends.
  const moved = await find({ sort: 'asc' }, { total: 12 });
  expect(moved).toEqual({ times, asked: ['all 2', ...LOOKED] });
});

test('one order that is newer is enough', async () => {
  const newer = { id: 99, created: secondsOf('2026-03-18T12:00') };
  expect(await find({ sort: 'shuffled' }, { orders: [...ORDERS, newer] })).toEqual({
    times: ['03-18'],
    asked: LOOKED.slice(0, 2),
  });
});

test('what the shop fails at shows nothing, and neither does a shop without orders of late', async () => {
  const failing = await find({ sort: 'shuffled', failsAt: { days: 16 } });
  expect(failing.times).toEqual([]);
  const old = ORDERS.map(({ id, created }) => ({ id, created: created - 20 * 366 * 86_400 }));
  expect((await find({ sort: 'shuffled' }, { orders: old })).times).toEqual([]);
});
