import { expect, test } from 'vitest';

import { unknownProfile } from '../../../../src/shop-api/paging/page-profile.ts';
import { toWhole } from '../../../../src/shop-api/paging/window-reading.ts';
import { SeenOrders } from '../../../../src/sync/sweep/orders/seen-orders.ts';
import { FakeShop, secondsOf } from '../../../shop-api/paging/fake-shop.ts';
import { local, pagingDeps } from '../../../shop-api/paging/read-one.ts';

const QUERY = { start: 0, limit: 500 };

/** What a list of the tenth lacks that read nothing, after a page showed order 7, which is listed now as given. */
async function lackingOf(now: readonly { id: number; created: number }[]): Promise<readonly unknown[]> {
  const shop = new FakeShop([{ id: 7, created: secondsOf('2026-03-10T10:00') }]);
  const deps = pagingDeps(shop, unknownProfile(500));
  const seen = new SeenOrders({ timezone: 'Europe/Berlin' });
  seen.note(QUERY, await shop.listOrders(QUERY));
  shop.remove(7);
  for (const order of now) shop.insert(order);
  const window = { from: local('2026-03-10T00:00'), to: local('2026-03-11T00:00') };
  const list = {
    verdict: 'complete' as const,
    pages: 1,
    isUndated: false,
    rows: [],
    malformed: [],
    total: 0,
    askedAt: deps.now(),
  };
  const reading = toWhole(deps, window, window.from, { from: window.from, to: window.to }, list);
  return (await seen.lackingIn(deps, reading)).map(({ orderId }) => orderId);
}

test('an order that other lists show at another time of the window is lacking, and one that went or left it is not', async () => {
  expect(await lackingOf([{ id: 7, created: secondsOf('2026-03-10T10:00') }])).toEqual(['7']);
  expect(await lackingOf([{ id: 7, created: secondsOf('2026-03-10T11:00') }])).toEqual(['7']);
  expect(await lackingOf([{ id: 7, created: secondsOf('2026-03-09T10:00') }])).toEqual([]);
  expect(await lackingOf([])).toEqual([]);
});

test('nothing is left of an identifier with two times, or in a window that was read; what an old answer shows is', async () => {
  const page = async (id: number, time: string) =>
    new FakeShop([{ id, created: secondsOf(time) }]).listOrders(QUERY);
  const seen = new SeenOrders({ timezone: 'Europe/Berlin' });
  seen.note(QUERY, await page(1, '2026-03-10T10:00'));
  seen.note(QUERY, await page(1, '2026-03-11T10:00'));
  seen.note(QUERY, await page(2, '2026-03-12T10:00'));
  seen.note(QUERY, { ...(await page(3, '2026-03-13T10:00')), outdated: 'a cache answered' });
  const left = () => seen.left().map(({ row }) => row.orderId);
  expect(left()).toEqual(['2', '3']);
  seen.drop({ window: { from: local('2026-03-12T00:00'), to: local('2026-03-13T00:00') }, rows: [] });
  expect(left()).toEqual(['3']);
});
