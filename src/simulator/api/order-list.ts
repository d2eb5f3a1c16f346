/** The orders list: which orders a query finds, in which order, how many, and what the dialect leaves of a page. */
import type { Random } from '../shop/random.ts';
import { DAY_S, HOUR_S, type LocalSeconds, MINUTE_S } from '../shop/shop-clock.ts';
import type { OrderStore, StoredOrder } from '../shop/order-store.ts';
import type { SimOrder } from '../shop/sim-order.ts';
import type { Dialect } from '../shop/dialect.ts';
import type { OrderQuery } from './order-query.ts';

const UNITS = { second: 1, minute: MINUTE_S, day: DAY_S };
/** After undated orders, which no date filter finds, and before any other. */
const EARLIEST = -Number.MAX_VALUE;
const SHORT_PAGE_CHANCE = 0.25;
const REPEAT_CHANCE = 0.25;

export type OrderPage = {
  readonly orders: readonly SimOrder[];
  readonly matches: number;
  readonly served: number;
};

/**
 * @param pageCap maximum number of orders on a page, whatever the limit
 * @param random for lists in another order each time
 */
export function findOrders(
  store: OrderStore,
  query: OrderQuery,
  dialect: Dialect,
  random: Random,
  pageCap = Infinity,
): OrderPage {
  const rows = Math.min(query.limit, pageCap);
  const found = filterDates(store, query, dialect);
  const matching = query.isDatesOnly ? found : found.filter(({ order }) => query.matches(order));
  const served = Math.min(matching.length, dialect.reach || Infinity);
  const start = position(query.start, served, rows, dialect.start);
  const end = Math.min(start + rows, served);
  const listed = dialect.listOrder === 'changing' ? shuffle(matching, random) : matching;
  const page = slicePage(listed, start, end, dialect.listOrder);
  return { orders: page.map(({ order }) => order), matches: matching.length, served };
}

function position(asked: number, served: number, rows: number, start: Dialect['start']): number {
  const positions: Readonly<Record<Dialect['start'], number>> = {
    honoured: asked,
    ignored: 0,
    'from-one': Math.max(0, asked - 1),
    tens: Math.floor(asked / 10) * 10,
    'full-page': Math.min(asked, Math.max(0, served - rows)),
  };
  return positions[start];
}

function shuffle(orders: readonly StoredOrder[], random: Random): readonly StoredOrder[] {
  const keyed = orders.map((order) => ({ order, key: random.between(0, 1_000_000) }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ order }) => order);
}

/** Ascending by creation time, the undated ones first. */
function filterDates(store: OrderStore, query: OrderQuery, dialect: Dialect): readonly StoredOrder[] {
  const ends = [query.dateFrom, query.dateTo].filter((end) => end !== undefined).length;
  const isFiltered = ends === 2 || (ends === 1 && dialect.dateEnds === 'any');
  const earliest = query.dateFrom === undefined ? openSince(store, query, dialect) : undefined;
  if (dialect.dateFilter === 'ignored' || !(isFiltered || earliest !== undefined)) return store.sorted;
  const ahead = dialect.filterHours * HOUR_S;
  const unit = UNITS[dialect.datePrecision];
  const round = (time: LocalSeconds) => Math.floor(time / unit) * unit;
  const skipped = dialect.dateFrom === 'exclusive' ? unit : 0;
  const extra = dialect.dateTo === 'inclusive' ? unit : 0;
  const from =
    query.dateFrom === undefined ? (earliest ?? EARLIEST) : round(query.dateFrom - ahead) + skipped;
  const before = query.dateTo === undefined ? Infinity : round(query.dateTo - ahead) + extra;
  if (dialect.dateFilter === 'updated') {
    return store.sorted.filter(({ updated }) => updated >= from && updated < before);
  }
  const first = store.countBefore(from);
  return store.sorted.slice(first, Math.max(first, store.countBefore(before)));
}

/** Where a list begins that asks from no date; undefined for all of it. */
function openSince(
  { sorted }: OrderStore,
  { dateTo }: OrderQuery,
  { openDays, undatedDays }: Dialect,
): LocalSeconds | undefined {
  const days = openDays || (dateTo === undefined ? undatedDays : 0);
  const newest = sorted.at(-1)?.created;
  return days === 0 || newest === undefined ? undefined : Math.min(newest, dateTo ?? newest) - days * DAY_S;
}

function slicePage(
  ascending: readonly StoredOrder[],
  start: number,
  end: number,
  listOrder: Dialect['listOrder'],
): readonly StoredOrder[] {
  const size = ascending.length;
  if (listOrder === 'asc') return ascending.slice(start, end);
  // The default order does not reverse the whole list.
  if (listOrder === 'desc') {
    return ascending.slice(Math.max(0, size - end), Math.max(0, size - start)).toReversed();
  }
  const sorted =
    listOrder === 'id-desc'
      ? ascending.toSorted((a, b) => b.order.orderId - a.order.orderId)
      : listOrder === 'changing'
        ? ascending
        : ascending.toSorted((a, b) => a.scramble - b.scramble);
  return sorted.slice(start, end);
}

/**
 * What the dialect leaves of a page: at least one row of a page that is not empty.
 *
 * @param settings bytes: maximum size of the page's rows where the dialect ends pages by size
 */
export function cutPage<Row>(
  rows: readonly Row[],
  settings: { readonly pages: Dialect['pages']; readonly bytes: number; readonly text: (row: Row) => string },
  random: Random,
): readonly Row[] {
  const { pages, bytes, text } = settings;
  if (pages === 'bytes') return cutToBytes(rows, bytes, text);
  if (pages === 'random' && random.chance(SHORT_PAGE_CHANCE))
    return rows.slice(0, random.between(1, rows.length));
  if (pages === 'repeats' && rows.length > 1 && random.chance(REPEAT_CHANCE)) {
    const index = random.below(rows.length - 1);
    // The repeated row pushes the last one off the page.
    return [...rows.slice(0, index + 1), ...rows.slice(index, -1)];
  }
  return rows;
}

function cutToBytes<Row>(rows: readonly Row[], bytes: number, text: (row: Row) => string): readonly Row[] {
  let left = bytes;
  const end = rows.findIndex((row, index) => {
    left -= Buffer.byteLength(text(row));
    return left < 0 && index > 0;
  });
  return end === -1 ? rows : rows.slice(0, end);
}
