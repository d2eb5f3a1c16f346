/** The orders list: which orders a query finds, in which order, and how many. */
import type { Dialect } from './dialect.ts';
import { type LocalSeconds, MINUTE_S } from './local-time.ts';
import type { OrderQuery } from './order-query.ts';
import type { OrderStore, StoredOrder } from './order-store.ts';
import type { SimOrder } from './sim-order.ts';

export type OrderPage = { readonly orders: readonly SimOrder[]; readonly matches: number };

/** @param pageCap most orders on a page, whatever the limit */
export function findOrders(
  store: OrderStore,
  query: OrderQuery,
  dialect: Dialect,
  pageCap = Infinity,
): OrderPage {
  const start = dialect.start === 'ignored' ? 0 : query.start;
  const end = start + Math.min(query.limit, pageCap);
  const found = inDates(store, query, dialect);
  const matching = query.isDatesOnly ? found : found.filter(({ order }) => query.matches(order));
  const page = pageOf(matching, start, end, dialect);
  return { orders: page.map(({ order }) => order), matches: matching.length };
}

/** Ascending by placing time. */
function inDates(store: OrderStore, query: OrderQuery, dialect: Dialect): readonly StoredOrder[] {
  if (dialect.dateFilter === 'ignored') return store.sorted;
  const { from, before } = datesOf(query, dialect);
  if (dialect.dateFilter === 'updated') {
    return store.sorted.filter(({ updated }) => updated >= from && updated < before);
  }
  return store.sorted.slice(store.countBefore(from), store.countBefore(before));
}

/** The half-open span of seconds that the filters mean in this dialect. */
function datesOf(query: OrderQuery, dialect: Dialect): { from: LocalSeconds; before: LocalSeconds } {
  const unit = dialect.datePrecision === 'minute' ? MINUTE_S : 1;
  const whole = (time: LocalSeconds) => Math.floor(time / unit) * unit;
  const extra = dialect.dateTo === 'inclusive' ? unit : 0;
  return {
    from: query.dateFrom === undefined ? -Infinity : whole(query.dateFrom),
    before: query.dateTo === undefined ? Infinity : whole(query.dateTo) + extra,
  };
}

function pageOf(
  ascending: readonly StoredOrder[],
  start: number,
  end: number,
  dialect: Dialect,
): readonly StoredOrder[] {
  const size = ascending.length;
  // The usual order is answered without turning the whole list around.
  if (dialect.listOrder === 'desc') {
    return ascending.slice(Math.max(0, size - end), Math.max(0, size - start)).toReversed();
  }
  return inListOrder(ascending, dialect.listOrder).slice(start, end);
}

function inListOrder(
  ascending: readonly StoredOrder[],
  order: 'asc' | 'id-desc' | 'shuffled',
): readonly StoredOrder[] {
  if (order === 'asc') return ascending;
  if (order === 'id-desc') return ascending.toSorted((a, b) => b.order.orderId - a.order.orderId);
  return ascending.toSorted((a, b) => a.scramble - b.scramble);
}
