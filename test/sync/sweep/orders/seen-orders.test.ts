import { expect, test } from 'vitest';

import { unknownProfile } from '../../../../src/shop-api/paging/page-profile.ts';
import { toWhole } from '../../../../src/shop-api/paging/window-reading.ts';
import type { ListRow, OrdersQuery } from '../../../../src/shop-api/endpoints/list-orders.ts';
import type { PagingDeps } from '../../../../src/shop-api/paging/request-page.ts';
import { TransientError } from '../../../../src/model/errors.ts';
import { SeenOrders } from '../../../../src/sync/sweep/orders/seen-orders.ts';
import { FakeShop, secondsOf } from '../../../shop-api/paging/fake-shop.ts';
import { local, pagingDeps } from '../../../shop-api/paging/read-one.ts';

const QUERY = { start: 0, limit: 500 };

const TENTH = { from: local('2026-03-10T00:00'), to: local('2026-03-11T00:00') };

/** What a shop lists of an order, by its number and time. */
async function pageOf(...orders: readonly (readonly [id: number, time: string])[]) {
  const shop = new FakeShop(orders.map(([id, time]) => ({ id, created: secondsOf(`2026-03-${time}`) })));
  return shop.listOrders(QUERY);
}

/** A list of the tenth that was read whole, and held these rows. */
const readTenth = (deps: PagingDeps, rows: readonly ListRow[]) =>
  toWhole(deps, TENTH, TENTH.from, TENTH, {
    verdict: 'complete',
    pages: 1,
    isUndated: false,
    rows,
    malformed: [],
    total: rows.length,
    askedAt: deps.now(),
  });

/** What a list of the tenth lacks that read nothing, after a page showed order 7, which is listed now as given. */
async function lackingOf(now: readonly { id: number; created: number }[]): Promise<readonly unknown[]> {
  const shop = new FakeShop([{ id: 7, created: secondsOf('2026-03-10T10:00') }]);
  const deps = pagingDeps(shop, unknownProfile(500));
  const seen = new SeenOrders({ timezone: 'Europe/Berlin' });
  seen.note(QUERY, await shop.listOrders(QUERY));
  shop.remove(7);
  for (const order of now) shop.insert(order);
  return (await seen.lackingIn(deps, readTenth(deps, []))).map(({ orderId }) => orderId);
}

test('an order that other lists show at another time of the window is lacking, and one that went or left it is not', async () => {
  expect(await lackingOf([{ id: 7, created: secondsOf('2026-03-10T10:00') }])).toEqual(['7']);
  expect(await lackingOf([{ id: 7, created: secondsOf('2026-03-10T11:00') }])).toEqual(['7']);
  expect(await lackingOf([{ id: 7, created: secondsOf('2026-03-09T10:00') }])).toEqual([]);
  expect(await lackingOf([])).toEqual([]);
});

test('an order without a time belongs to every part of its day, also where its page has moved meanwhile', async () => {
  const shop = new FakeShop([{ id: 7, created: secondsOf('2026-03-10T10:00') }]);
  const page = await shop.listOrders(QUERY);
  const rows = page.rows.map((row) => ({ ...row, raw: { ...row.raw, time: '' } }));
  const seen = new SeenOrders({ timezone: 'Europe/Berlin' });
  seen.note(QUERY, { ...page, rows });
  const deps = pagingDeps(new FakeShop([]), unknownProfile(500));
  expect(await seen.lackingIn(deps, readTenth(deps, []))).toEqual(rows);
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

test('of the orders that were seen, those are left that were to be read when they came, or came again', async () => {
  const seen = new SeenOrders({ timezone: 'Europe/Berlin' });
  const left = () =>
    seen
      .left()
      .map(({ row, isOutdated }) => `${row.orderId}${isOutdated ? ' of old' : ''}`)
      .toSorted();
  seen.begin(TENTH);
  seen.note(QUERY, await pageOf([1, '10T10:00'], [2, '11T10:00']));
  expect(left()).toEqual(['1']);
  seen.begin({ from: TENTH.to, to: local('2026-03-12T00:00') });
  seen.note(QUERY, await pageOf([1, '10T10:00'], [2, '11T10:00']));
  expect(left()).toEqual(['1', '2']);
  // What was just listed is not as old as the answer of a cache.
  seen.note(QUERY, { ...(await pageOf([1, '10T10:00'], [3, '11T10:00'])), outdated: 'a cache answered' });
  seen.note(QUERY, { ...(await pageOf([3, '11T10:00'])), outdated: 'a cache answered' });
  expect(left()).toEqual(['1', '2', '3 of old']);
  seen.note(QUERY, { rows: [{ orderId: '4', raw: { order_id: 4 } }] });
  expect(left()).toEqual(['1', '2', '3 of old']);
});

test('an order may be lacking that an answer of now showed, before its window was read, and that the window lacks', async () => {
  const shown = await pageOf([1, '10T10:00'], [2, '10T11:00'], [3, '11T10:00']);
  const deps = pagingDeps({ listOrders: async () => shown });
  const lacking = async (prepare: (seen: SeenOrders) => void, held: readonly ListRow[] = []) => {
    const seen = new SeenOrders({ timezone: 'Europe/Berlin' });
    prepare(seen);
    const found = await seen.lackingIn(deps, readTenth(deps, held));
    expect(await seen.lackingIn(deps, readTenth(deps, held)), 'it is asked for once').toEqual([]);
    return found.map(({ orderId }) => orderId).toSorted();
  };
  expect(await lacking((seen) => seen.note(QUERY, shown))).toEqual(['1', '2']);
  expect(await lacking((seen) => seen.note(QUERY, shown), shown.rows.slice(1, 2))).toEqual(['1']);
  const old = { ...shown, outdated: 'a cache answered' };
  expect(await lacking((seen) => seen.note(QUERY, old))).toEqual([]);
  const readBefore = (seen: SeenOrders) => {
    seen.note(QUERY, shown);
    seen.begin(TENTH);
  };
  expect(await lacking(readBefore)).toEqual([]);
});

test('four lists are asked for again; what others showed, or lists that fail now, counts as lacking', async () => {
  const seen = new SeenOrders({ timezone: 'Europe/Berlin' });
  for (let id = 1; id <= 5; id++) seen.note({ start: id, limit: 500 }, await pageOf([id, `10T1${id}:00`]));
  const asked: (number | undefined)[] = [];
  const listOrders = async ({ start, limit }: OrdersQuery) => {
    // Small ones show that the shop is up.
    if (limit === 1) return pageOf();
    asked.push(start);
    if (start === 2) throw new TransientError('HTTP 500', { scope: 'record' });
    return pageOf();
  };
  const deps = pagingDeps({ listOrders });
  const lacking = await seen.lackingIn(deps, readTenth(deps, []));
  expect(lacking.map(({ orderId }) => orderId)).toEqual(['2', '5']);
  expect(new Set(asked)).toEqual(new Set([1, 2, 3, 4]));
});
