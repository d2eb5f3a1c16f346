/** The orders list: which rows a query finds, in which order, how many, and what the dialect leaves of a page. */
import type { Random } from '../shop/random.ts';
import { DAY_S, HOUR_S, type LocalSeconds, MINUTE_S } from '../shop/shop-clock.ts';
import { type Listed, lowerBound } from '../shop/order-store.ts';
import type { Dialect } from '../shop/dialect.ts';

/** The switches of a dialect that decide what a list shows. */
export type ListDialect = Pick<
  Dialect,
  | ('dateEnds' | 'dateFilter' | 'dateFrom' | 'datePrecision' | 'dateTo' | 'falseEmpties' | 'filterHours')
  | ('listOrder' | 'openDays' | 'pages' | 'reach' | 'start' | 'total' | 'undatedDays')
>;

export type ListQuery<Row> = {
  readonly start: number;
  readonly limit: number;
  readonly dateFrom: LocalSeconds | undefined;
  readonly dateTo: LocalSeconds | undefined;
  /** Every filter but the dates. */
  readonly matches: ((row: Row) => boolean) | undefined;
};

export type ListPage<Row> = {
  readonly rows: readonly Row[];
  readonly matches: number;
  readonly served: number;
};

const UNITS = { second: 1, minute: MINUTE_S, day: DAY_S };
/** After undated orders, which no date filter finds, and before any other. */
const EARLIEST = -Number.MAX_VALUE;
const SHORT_PAGE_CHANCE = 0.25;
const REPEAT_CHANCE = 0.25;
/** Where a capped `total` ends. */
const MAX_TOTAL = 100;

/**
 * @param sorted ascending by creation time
 * @param pageCap maximum number of orders on a page, whatever the limit
 * @param random for lists in another order each time
 */
export function findRows<Row extends Listed>(
  sorted: readonly Row[],
  query: ListQuery<Row>,
  dialect: ListDialect,
  random: Random,
  pageCap = Infinity,
): ListPage<Row> {
  const size = Math.min(query.limit, pageCap);
  const found = filterDates(sorted, query, dialect);
  const matching = query.matches === undefined ? found : found.filter(query.matches);
  const served = Math.min(matching.length, dialect.reach || Infinity);
  const start = position(query.start, served, size, dialect.start);
  const end = Math.min(start + size, served);
  const listed = dialect.listOrder === 'changing' ? shuffle(matching, random) : matching;
  return { rows: slicePage(listed, start, end, dialect.listOrder), matches: matching.length, served };
}

/** What the list says that it counts. @param all rows of the shop */
export function totalOf<Row>(
  { rows, matches, served }: ListPage<Row>,
  all: number,
  { total }: ListDialect,
  random: Random,
): number | undefined {
  const totals: Readonly<Record<Dialect['total'], () => number | undefined>> = {
    absent: () => undefined,
    matches: () => matches,
    'matches-string': () => matches,
    stale: () => matches,
    all: () => all,
    'all-string': () => all,
    page: () => rows.length,
    capped: () => Math.min(matches, MAX_TOTAL),
    served: () => served,
    random: () => random.between(0, 2 * matches + 3),
  };
  return totals[total]();
}

/** Whether a list is answered by nothing, by mistake. */
export const isFalseEmpty = ({ falseEmpties }: ListDialect, random: Random) =>
  falseEmpties > 0 && random.chance(1 / falseEmpties);

function position(asked: number, served: number, size: number, start: Dialect['start']): number {
  const positions: Readonly<Record<Dialect['start'], number>> = {
    honoured: asked,
    ignored: 0,
    'from-one': Math.max(0, asked - 1),
    tens: Math.floor(asked / 10) * 10,
    pages: asked * size,
    'full-page': Math.min(asked, Math.max(0, served - size)),
    'last-row': Math.min(asked, Math.max(0, served - 1)),
  };
  return positions[start];
}

function shuffle<Row>(rows: readonly Row[], random: Random): readonly Row[] {
  const keyed = rows.map((row) => ({ row, key: random.between(0, 1_000_000) }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ row }) => row);
}

/** Ascending by creation time, the undated ones first. */
function filterDates<Row extends Listed>(
  sorted: readonly Row[],
  query: ListQuery<Row>,
  dialect: ListDialect,
): readonly Row[] {
  const ends = [query.dateFrom, query.dateTo].filter((end) => end !== undefined).length;
  const isFiltered = ends === 2 || (ends === 1 && dialect.dateEnds === 'any');
  const earliest = query.dateFrom === undefined ? openSince(sorted, query.dateTo, dialect) : undefined;
  if (dialect.dateFilter === 'ignored' || !(isFiltered || earliest !== undefined)) return sorted;
  const ahead = dialect.filterHours * HOUR_S;
  const unit = UNITS[dialect.datePrecision];
  const round = (time: LocalSeconds) => Math.floor(time / unit) * unit;
  const skipped = dialect.dateFrom === 'exclusive' ? unit : 0;
  const extra = dialect.dateTo === 'inclusive' ? unit : 0;
  const from =
    query.dateFrom === undefined ? (earliest ?? EARLIEST) : round(query.dateFrom - ahead) + skipped;
  const before = query.dateTo === undefined ? Infinity : round(query.dateTo - ahead) + extra;
  if (dialect.dateFilter === 'updated') {
    return sorted.filter(({ updated }) => updated >= from && updated < before);
  }
  const [first, end] = [from, before].map((time) => lowerBound(sorted, ({ created }) => created < time));
  return sorted.slice(first, Math.max(first ?? 0, end ?? 0));
}

/** Where a list begins that asks from no date; undefined for all of it. */
function openSince(
  sorted: readonly Listed[],
  dateTo: LocalSeconds | undefined,
  { openDays, undatedDays }: ListDialect,
): LocalSeconds | undefined {
  const days = openDays || (dateTo === undefined ? undatedDays : 0);
  const newest = sorted.at(-1)?.created;
  return days === 0 || newest === undefined ? undefined : Math.min(newest, dateTo ?? newest) - days * DAY_S;
}

function slicePage<Row extends Listed>(
  ascending: readonly Row[],
  start: number,
  end: number,
  listOrder: Dialect['listOrder'],
): readonly Row[] {
  const size = ascending.length;
  if (listOrder === 'asc' || listOrder === 'changing') return ascending.slice(start, end);
  // The default order does not reverse the whole list.
  if (listOrder === 'desc') {
    return ascending.slice(Math.max(0, size - end), Math.max(0, size - start)).toReversed();
  }
  const order = listOrder === 'id-desc' ? (a: Row, b: Row) => b.id - a.id : byScramble;
  return ascending.toSorted(order).slice(start, end);
}

const byScramble = (a: Listed, b: Listed) => a.scramble - b.scramble;

/**
 * What the dialect leaves of a page: at least one row of a page that is not empty.
 *
 * @param bytes maximum size of the page's rows where the dialect ends pages by size
 */
export function cutPage<Row>(
  rows: readonly Row[],
  pages: Dialect['pages'],
  bytes: number,
  size: (row: Row) => number,
  random: Random,
): readonly Row[] {
  if (pages === 'bytes') return cutToBytes(rows, bytes, size);
  // One row that comes alone is the end of a list.
  if (pages === 'random' && random.chance(SHORT_PAGE_CHANCE))
    return rows.slice(0, random.between(2, rows.length));
  if (pages === 'repeats' && rows.length > 1 && random.chance(REPEAT_CHANCE)) {
    const index = random.below(rows.length - 1);
    // The repeated row pushes the last one off the page.
    return [...rows.slice(0, index + 1), ...rows.slice(index, -1)];
  }
  return rows;
}

function cutToBytes<Row>(rows: readonly Row[], bytes: number, size: (row: Row) => number): readonly Row[] {
  let left = bytes;
  const end = rows.findIndex((row, index) => {
    left -= size(row);
    return left < 0 && index > 0;
  });
  return end === -1 ? rows : rows.slice(0, end);
}
