/** The orders list: which orders a query finds, in which order, and how many. */
import type { Dialect } from './dialect.ts';
import { DAY_S, type LocalSeconds, MINUTE_S } from '../shop/shop-clock.ts';
import type { OrderQuery } from './order-query.ts';
import type { OrderStore, StoredOrder } from '../shop/order-store.ts';
import type { SimOrder } from '../shop/sim-order.ts';

const UNITS = { second: 1, minute: MINUTE_S, day: DAY_S };
/** Later than undated orders, which no date filter finds, and earlier than any other. */
const EARLIEST = -Number.MAX_VALUE;

export type OrderPage = { readonly orders: readonly SimOrder[]; readonly matches: number };

/** @param pageCap most orders on a page, whatever the limit */
export function findOrders(
  store: OrderStore,
  query: OrderQuery,
  dialect: Dialect,
  pageCap = Infinity,
): OrderPage {
  const start = dialect.start === 'ignored' ? 0 : query.start;
  const end = Math.min(start + Math.min(query.limit, pageCap), dialect.reach || Infinity);
  const found = inDates(store, query, dialect);
  const matching = query.isDatesOnly ? found : found.filter(({ order }) => query.matches(order));
  const page = pageOf(matching, start, end, dialect);
  return { orders: page.map(({ order }) => order), matches: matching.length };
}

/** Ascending by placing time, the undated ones first. */
function inDates(store: OrderStore, query: OrderQuery, dialect: Dialect): readonly StoredOrder[] {
  const ends = [query.dateFrom, query.dateTo].filter((end) => end !== undefined).length;
  const isFiltered = ends === 2 || (ends === 1 && dialect.dateEnds === 'any');
  if (dialect.dateFilter === 'ignored' || !isFiltered) return store.sorted;
  const { from, before } = datesOf(query, dialect);
  if (dialect.dateFilter === 'updated') {
    return store.sorted.filter(({ updated }) => updated >= from && updated < before);
  }
  const first = store.countBefore(from);
  return store.sorted.slice(first, Math.max(first, store.countBefore(before)));
}

/** The half-open span of seconds that the filters mean in this dialect. */
function datesOf(query: OrderQuery, dialect: Dialect): { from: LocalSeconds; before: LocalSeconds } {
  const unit = UNITS[dialect.datePrecision];
  const whole = (time: LocalSeconds) => Math.floor(time / unit) * unit;
  const skipped = dialect.dateFrom === 'exclusive' ? unit : 0;
  const extra = dialect.dateTo === 'inclusive' ? unit : 0;
  return {
    from: query.dateFrom === undefined ? EARLIEST : whole(query.dateFrom) + skipped,
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
