/** What somebody asks for page by page, of shops whose pages are shorter than what is asked for. */
import { expect, test } from 'vitest';

import type { GroupsQuery } from '../../../src/shop-api/endpoints/list-groups.ts';
import type { OrdersQuery } from '../../../src/shop-api/endpoints/list-orders.ts';
import { fetchGroups, fetchOrders, fetchUser } from '../../../src/sync/fetch/fetch-records.ts';
import { FakeShop, type FakeTraits, secondsOf } from '../../shop-api/paging/fake-shop.ts';

const { signal } = new AbortController();
const ZONE = { timezone: 'Europe/Berlin' };

/** Asks a shop of seven orders for some. @returns their numbers, whether there are more, and what was asked for */
async function ordersOf(limit: number, pageLimit: number, traits: FakeTraits = {}) {
  const orders = Array.from({ length: 7 }, (_, index) => ({
    id: index + 1,
    created: secondsOf(`2026-03-0${index + 1}T10:00`),
  }));
  const shop = new FakeShop(orders, traits);
  const asked: string[] = [];
  const listOrders = async (query: OrdersQuery) => {
    asked.push(`${query.filters?.status} ${query.start}+${query.limit}`);
    return shop.listOrders(query);
  };
  const found = await fetchOrders(
    { listOrders },
    { ...ZONE, pageLimit },
    { filters: { status: 'A' } },
    limit,
    signal,
    false,
  );
  return [found.orders.map(({ row }) => row.order_id).join(''), found.isCut, asked.join(', ')];
}

test('orders are requested until there are enough, or no more', async () => {
  expect(await ordersOf(3, 500)).toEqual(['765', true, 'A 0+4']);
  expect(await ordersOf(6, 2)).toEqual(['765432', true, 'A 0+2, A 2+2, A 4+2, A 6+2']);
  expect(await ordersOf(7, 500)).toEqual(['7654321', false, 'A 0+8']);
  expect(await ordersOf(100, 3)).toEqual(['7654321', false, 'A 0+3, A 3+3, A 6+3']);
  // A page that is shorter than what was asked for is not the last one.
  expect(await ordersOf(100, 500, { cap: 4 })).toEqual(['7654321', false, 'A 0+101, A 4+101']);
  expect(await ordersOf(100, 3, { total: 'absent' })).toEqual([
    '7654321',
    false,
    'A 0+3, A 3+3, A 6+3, A 7+3',
  ]);
  expect(await ordersOf(100, 3, { start: 'ignored' })).toEqual(['765', false, 'A 0+3, A 3+3']);
});

const group = (oid: number) => ({ groupOid: String(oid), raw: { oid, parent_oid: 1, name: `group ${oid}` } });

/** Asks for the groups below one, of a shop that has so many, and then for what else it sends. */
async function groupsOf(answer: (query: GroupsQuery) => readonly ReturnType<typeof group>[]) {
  const asked: string[] = [];
  const groups = async (query: GroupsQuery) => {
    asked.push(`${query.parentOid}: ${query.start}+${query.limit}`);
    return answer(query);
  };
  const found = await fetchGroups({ groups }, ZONE, '1', signal);
  return [found.map(({ group_oid }) => group_oid).join(' '), asked.join(', ')];
}

test('groups are requested by the hundred, until a page is shorter than the one before or has nothing new', async () => {
  const many = Array.from({ length: 150 }, (_, index) => group(index + 2));
  const all = many.map(({ groupOid }) => groupOid).join(' ');
  const paged = await groupsOf(({ start = 0, limit = 0 }) => many.slice(start, start + limit));
  expect(paged).toEqual([all, '1: 0+100, 1: 100+100']);
  const hundred = many.slice(0, 100);
  expect((await groupsOf(() => hundred))[1]).toBe('1: 0+100, 1: 100+100');
  expect(await groupsOf(() => [])).toEqual(['', '1: 0+100']);
  const odd = { ...group(3), raw: { oid: 'none' } as never };
  expect(await groupsOf(() => [group(2), odd, { ...group(4), raw: 'text' as never }])).toEqual([
    '2',
    '1: 0+100, 1: 3+100',
  ]);
});

test('an unknown user is not found, and a known one is shown without long values', async () => {
  const ask = (raw: object | undefined) =>
    fetchUser(
      {
        user: async (key) =>
          raw === undefined ? { kind: 'gone' } : { kind: 'found', userOid: key, raw: raw as never },
      },
      ZONE,
      '42',
      signal,
    );
  expect(await ask(undefined)).toBeUndefined();
  const content = { login: 'someone', email: 'a@shop.example', images: ['x'], note: 'long' };
  const found = await ask({ oid: 42, content });
  expect(found?.row.user_oid).toBe('42');
  expect(found?.person).toMatchObject({ login: 'someone', email: 'a@shop.example' });
  expect(JSON.stringify(found?.person)).not.toMatch(/content|images|long/);
  expect(await ask({ oid: 43, content })).toBeUndefined();
});
