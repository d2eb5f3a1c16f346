/** Reads the whole list of a shop in this process. */
import type { OrdersPage, OrdersQuery } from '../../../src/shop-api/endpoints/list-orders.ts';
import { readShopList } from '../../../src/shop-api/paging/read-shop-list.ts';
import { type PagingDeps, unknownProfile } from '../../../src/shop-api/paging/request-page.ts';
import { type FakeOrder, type FakeShop, secondsOf } from './fake-shop.ts';
import { pagingDeps } from './read-one.ts';

export const START = secondsOf('2026-03-05T10:00');
export const orders = (count: number): readonly FakeOrder[] =>
  Array.from({ length: count }, (_, index) => ({ id: 1000 + index, created: START + index * 60 }));

type Reading = {
  readonly stored?: number;
  readonly limit?: number;
};

export async function readWhole(shop: FakeShop, { stored = 0, limit = 500 }: Reading = {}) {
  const taken: OrdersPage[] = [];
  const deps = pagingDeps(shop, unknownProfile(limit));
  const { ids, ...end } = await readShopList(deps, stored, async (page) => void taken.push(page));
  const starts = shop.queries.map(({ start }) => start);
  const { limit: limitThen, ...profile } = deps.book.profile;
  return { orders: ids.size, ...end, taken, starts, limit: limitThen, profile };
}

/** Reads a list of which the pages are changed on their way; what the shop is known for stays. */
export async function readChanged(
  shop: FakeShop,
  change: (page: OrdersPage, request: number) => OrdersPage,
  book: Partial<PagingDeps['book']> = {},
) {
  const listOrders = async (query: OrdersQuery) => change(await shop.listOrders(query), shop.requests);
  const deps = pagingDeps({ listOrders });
  Object.assign(deps.book, book);
  const taken: OrdersPage[] = [];
  const take = async (page: OrdersPage) => {
    taken.push(page);
  };
  const end = await readShopList(deps, 0, take);
  return { ...end, orders: end.ids.size, taken };
}
