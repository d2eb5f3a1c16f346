/** Orders that no identifier tells apart: what is said of them, and which days they hold up. */
import { expect, test } from 'vitest';

import type { ListRow, OrdersQuery } from '../../../src/shop-api/endpoints/list-orders.ts';
import { unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import { UNPLACED } from '../../../src/shop-api/paging/list.ts';
import { describeMalformed, findTwins } from '../../../src/sync/ask/find-listed.ts';
import { FakeShop, type FakeTraits, secondsOf } from '../../shop-api/paging/fake-shop.ts';
import { pagingDeps } from '../../shop-api/paging/read-one.ts';

const SHOP = { timezone: 'Europe/Berlin' };
const UNSTORABLE = 'the shop lists an order whose order_id is no 64-bit integer, so it cannot be stored';
const twinOf = (id: number) =>
  `the shop lists two different orders under the order_id ${id}, so they cannot be told apart`;

test('elements are told by what is wrong with them, with their days; those that hold up no day are not', () => {
  const on = (day: string) => ({ created: `2026-03-${day} 10:00:00` });
  const elements = [
    { order_id: 'x', ...on('09') },
    { order_id: 'y', ...on('08') },
    { order_id: 'z', ...on('09') },
    { order_id: 7, ...on('07') },
    { order_id: 8 },
    { fio: 'someone' },
    'text',
  ];
  expect(describeMalformed(elements, SHOP)).toEqual([
    { reason: UNSTORABLE, days: ['2026-03-09', '2026-03-08'] },
    { reason: twinOf(7), days: ['2026-03-07'] },
    { reason: UNPLACED, days: [] },
  ]);
  expect(describeMalformed([{ order_id: 8 }], SHOP)).toEqual([]);
});

/** Of a shop that lists orders at these times of March, those that were elsewhere before and are still there. */
async function twinsOf(
  listed: readonly (readonly [id: number, time: string])[],
  before: readonly { id: number; at?: string; isMarked?: boolean }[],
  alsoSeen: readonly ListRow[] = [],
  traits: FakeTraits & { readonly isBack?: boolean } = {},
) {
  const shop = new FakeShop(
    listed.map(([id, time]) => ({ id, created: secondsOf(`2026-03-${time}`) })),
    traits,
  );
  const asked: OrdersQuery[] = [];
  const { api: _api, book, ...deps } = pagingDeps(shop, unknownProfile(500));
  const listOrders = async (query: OrdersQuery) => {
    asked.push(query);
    return shop.listOrders(query);
  };
  const { rows } = await shop.listOrders({ start: 0, limit: 500 });
  const ports = { ...deps, api: { listOrders }, shop: SHOP, signal: new AbortController().signal };
  const newest = [...new Map(rows.toReversed().map((row) => [row.orderId, row])).values()];
  if (traits.isBack === true) {
    shop.remove(7);
    shop.insert({ id: 7, created: secondsOf('2026-03-05T10:00') });
  }
  const stored = before.map(({ id, at, isMarked = false }) => ({
    orderId: String(id),
    createdMinute: at === undefined ? undefined : `2026-03-${at}`,
    isMarked,
  }));
  const twins = await findTwins({ ports, state: book }, newest, stored, alsoSeen);
  return { twins: Object.fromEntries(twins), requests: asked.length };
}

test('an order that is listed at its old time too is two, and one that moved, or was missing, is one', async () => {
  const twice = [
    [7, '05T10:00'],
    [7, '06T11:00'],
  ] as const;
  const days = ['2026-03-05', '2026-03-06'];
  const found = { 7: { reason: twinOf(7), days } };
  expect((await twinsOf(twice, [{ id: 7, at: '05T10:00' }])).twins).toEqual(found);
  expect((await twinsOf([[7, '06T11:00']], [{ id: 7, at: '05T10:00' }])).twins).toEqual({});
  const unasked = [
    await twinsOf(twice, [{ id: 7, at: '06T11:00' }]),
    await twinsOf(twice, [{ id: 7, at: '05T10:00', isMarked: true }]),
    await twinsOf(twice, [{ id: 7 }]),
    await twinsOf(twice, []),
  ];
  for (const { twins, requests } of unasked) expect([twins, requests]).toEqual([{}, 0]);
  // What was just listed, and is not stored yet, counts as what was before.
  const seen = [{ orderId: '7', raw: { order_id: 7, created: '2026-03-05 10:00:00' } }];
  expect((await twinsOf(twice, [{ id: 7, at: '06T11:00' }], seen)).twins).toEqual(found);
  const moved = [[7, '06T11:00']] as const;
  const undated = await twinsOf(moved, [{ id: 7, at: '05T10:00' }], [], { ignoresDates: true });
  expect(undated.twins, 'it is listed whatever is asked for, but at one time').toEqual({});
  const back = await twinsOf(moved, [{ id: 7, at: '05T10:00' }], [], { isBack: true });
  expect(back.twins, 'it is where it was').toEqual({});
  const sameDay = [
    [7, '05T10:00'],
    [7, '05T11:00'],
  ] as const;
  expect((await twinsOf(sameDay, [{ id: 7, at: '05T10:00' }])).twins).toEqual({
    7: { reason: twinOf(7), days: ['2026-03-05'] },
  });
});

test('of many that moved, twenty are asked for', async () => {
  const ids = Array.from({ length: 25 }, (_, index) => index + 1);
  const listed = ids.flatMap(
    (id) =>
      [
        [id, `05T10:${id + 10}`],
        [id, `06T10:${id + 10}`],
      ] as const,
  );
  const before = ids.map((id) => ({ id, at: `05T10:${id + 10}` }));
  expect(Object.keys((await twinsOf(listed, before)).twins)).toHaveLength(20);
});
