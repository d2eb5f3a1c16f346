import type { JsonValue } from '../../json.ts';
import type { ListRow, OrdersPage } from '../endpoints/orders.ts';
import { askPage, type Dates, type PagingDeps } from './ask-page.ts';
import { unlessFault } from './page-fault.ts';
import { learnPages, learnTotal, learnUneven, type PageProfile } from './page-profile.ts';

/** What became of reading all orders that match some dates. */
export type Matching =
  /** All of them, each once, with the proof that nothing follows and that nothing moved meanwhile. */
  | ({ readonly kind: 'complete'; readonly pages: number } & Rows)
  /** More than so many pages, or more than a page of a shop that ignores `start`. */
  | ({ readonly kind: 'cut'; readonly isStartIgnored: boolean } & Rows)
  /** Rows shifted, or the answers contradict each other. */
  | { readonly kind: 'moved'; readonly pages: number; readonly hasTwins?: boolean }
  /** None or one: there is no row before the last, and so no probe. */
  | ({ readonly kind: 'few' } & Rows);

export type Rows = {
  /** In the order of the list. */
  readonly rows: readonly ListRow[];
  /** Elements without a usable identifier. */
  readonly malformed: readonly JsonValue[];
  /** As the first page says it. */
  readonly total: number | undefined;
  /** The instant before the first request: what the rows speak of. */
  readonly askedAt: Temporal.Instant;
};

/** An answer that must hold a row, and came empty, is asked for again so often. */
const EMPTY_RETRIES = 2;
/** Empty answers beyond the end that a list needs whose pages come short at random, or whose total says more. */
const UNEVEN_PROBES = 3;
const CONTRADICTED_PROBES = 2;
const FEW_PAGES = 10;
/** Orders that may come and go while one list is read. */
const FEW_MOVED = 10;
/** A page with fewer rows than that costs little to be followed. */
const LONG_PAGE = 50;

/**
 * Reads all orders that match: page by page, each asked from the last row of the page before it. That nothing shifted
 * shows by the pages having exactly this row in common; that nothing follows, by an answer that is this row alone.
 *
 * @param maxPages gives up as 'cut' after so many pages
 * @throws TerminalError when the server does not filter by the date of creation
 */
export async function readMatching(deps: PagingDeps, dates: Dates, maxPages: number): Promise<Matching> {
  const askedAt = deps.now();
  const first = await askPage(deps, dates, 0);
  if (first === 'unfiltered') return { kind: 'moved', pages: 1 };
  if (hasTwins(first)) return { kind: 'moved', pages: 1, hasTwins: true };
  if (first.received < 2) return { kind: 'few', ...rowsOf([first], askedAt) };
  if (isLongList(deps.book.profile, first, maxPages)) {
    deps.book.profile = learnPages(deps.book.profile, [first.received], false);
    return { kind: 'cut', isStartIgnored: false, ...rowsOf([first], askedAt) };
  }
  const pages = [first];
  const known = new Set(keysOf(first));
  for (let read = first.received; ;) {
    const next = await askNonEmpty(deps, dates, read - 1);
    if (next === 'unfiltered') return { kind: 'moved', pages: 1 };
    const overlap = overlapOf(pages, known, next);
    if (overlap === 'moved')
      return { kind: 'moved', pages: Math.max(pages.length, next.received > 2 ? 2 : 1) };
    if (overlap === 'first again') return { kind: 'cut', isStartIgnored: true, ...rowsOf(pages, askedAt) };
    if (next.received === 1) {
      if (isRecounted(first, next, read)) return { kind: 'moved', pages: pages.length };
      return ended(deps, dates, pages, next, askedAt);
    }
    pages.push(next);
    read += next.received - 1;
    if (pages.length >= maxPages) {
      deps.book.profile = learnPages(deps.book.profile, sizesOf(pages), false);
      return { kind: 'cut', isStartIgnored: false, ...rowsOf(pages, askedAt) };
    }
    for (const key of keysOf(next)) known.add(key);
  }
}

/**
 * A total that is far more than so many pages hold saves reading them in vain. It may be wrong, and only costs a split
 * then: where few pages are asked for, as of a long window, which will be split no end.
 */
function isLongList(
  { totalMeaning, pageRows }: PageProfile,
  { received, total }: OrdersPage,
  maxPages: number,
): boolean {
  if (received < Math.max(pageRows, LONG_PAGE)) return false;
  // The last of so many pages is one too many, and each begins with the last row of the page before it.
  const most = 1 + (received - 1) * (maxPages - 1);
  return totalMeaning !== 'other' && maxPages <= FEW_PAGES && total !== undefined && total > most;
}

/** The last page was followed by nothing but its own last row. */
async function ended(
  deps: PagingDeps,
  dates: Dates,
  pages: readonly OrdersPage[],
  lastRow: OrdersPage,
  askedAt: Temporal.Instant,
): Promise<Matching> {
  const { book } = deps;
  // Each page but the first begins with the last row of the page before it.
  const read = pages.reduce((sum, { received }) => sum + received - 1, 1);
  book.profile = learnPages(book.profile, sizesOf(pages), true);
  const total = pages[0]?.total;
  for (let probes = probesOf(book.profile, pages, read); probes > 0; probes--) {
    const beyond = await unlessFault(askPage(deps, dates, read));
    if (beyond === 'unfiltered') continue;
    // Some shops fail beyond the end. A row that they fail at would have come with the last one, unless pages come short.
    if (beyond === 'fault' ? !book.profile.isUneven : beyond.received === 0) continue;
    if (beyond === 'fault') return { kind: 'moved', pages: pages.length };
    // A page of one row is a short one, and no end.
    book.profile = learnUneven(book.profile);
    return { kind: 'moved', pages: pages.length };
  }
  book.profile = learnTotal(book.profile, read, total);
  const isSteady = isSteadyTotal([...pages, lastRow]);
  const rows = rowsOf(pages, askedAt);
  return { kind: 'complete', pages: pages.length, ...rows, total: isSteady ? rows.total : undefined };
}

/**
 * How often to ask beyond the end. That the last row came alone may be chance, where pages come short at random: a total
 * that agrees speaks against it.
 */
function probesOf(
  { isUneven, totalMeaning }: PageProfile,
  pages: readonly OrdersPage[],
  read: number,
): number {
  if (isUneven) return UNEVEN_PROBES;
  const total = totalMeaning === 'other' ? undefined : pages[0]?.total;
  if (total !== undefined && total > read) return CONTRADICTED_PROBES;
  return total === read ? 0 : 1;
}

/**
 * Whether an order went meanwhile, by the shop's own count: beside one that moved from a page still to be read to one that was,
 * nothing shifted by that, and that one is missing. A shop that counts the rows of each page tells nothing.
 */
function isRecounted(first: OrdersPage, last: OrdersPage, read: number): boolean {
  const isOfPage = first.total === first.received && last.total === last.received;
  return first.total !== undefined && last.total === read && read < first.total && !isOfPage;
}

/** Asks from a row that was there a moment ago: an empty answer is a fault that passes, or the row is gone. */
async function askNonEmpty(
  deps: PagingDeps,
  dates: Dates,
  start: number,
): Promise<OrdersPage | 'unfiltered'> {
  for (let retries = 0; ; retries++) {
    const page = await askPage(deps, dates, start);
    if (page === 'unfiltered' || page.received > 0 || retries === EMPTY_RETRIES) return page;
  }
}

/**
 * Whether a page goes on where the one before it ended. Of a page keyed by identifier any row may be the last, since an
 * object does not keep the order of the list.
 */
function overlapOf(
  pages: readonly OrdersPage[],
  known: ReadonlySet<string>,
  next: OrdersPage,
): 'one row' | 'first again' | 'moved' {
  const keys = keysOf(next);
  const shared = keys.filter((key) => known.has(key));
  const [first, before] = [pages[0], pages.at(-1)];
  if (first === undefined || before === undefined || hasTwins(next)) return 'moved';
  const isFirstAgain = pages.length === 1 && shared.length === keys.length && keys.length === first.received;
  if (isFirstAgain && keys.length > 1) return 'first again';
  if (shared.length !== 1) return 'moved';
  if (before.isKeyed || next.isKeyed) return keysOf(before).includes(shared[0] ?? '') ? 'one row' : 'moved';
  return before.keys.at(-1) === next.keys[0] ? 'one row' : 'moved';
}

function rowsOf(pages: readonly OrdersPage[], askedAt: Temporal.Instant): Rows {
  const rows = new Map(pages.flatMap((page) => page.rows.map((row) => [row.orderId, row])));
  const malformed = new Map(
    pages.flatMap((page) => page.malformed.map((value) => [JSON.stringify(value), value])),
  );
  return { rows: [...rows.values()], malformed: [...malformed.values()], total: pages[0]?.total, askedAt };
}

/** Totals of the same dates that differ by more than a few orders count nothing. */
function isSteadyTotal(pages: readonly OrdersPage[]): boolean {
  const totals = pages.flatMap(({ total }) => total ?? []);
  return Math.max(...totals, 0) - Math.min(...totals, Infinity) <= FEW_MOVED;
}

const sizesOf = (pages: readonly OrdersPage[]) => pages.map(({ received }) => received);

const keysOf = ({ keys }: OrdersPage) => keys;

/** An order that comes twice stands in the place of another one. */
export function hasTwins({ rows }: OrdersPage): boolean {
  return new Set(rows.map(({ orderId }) => orderId)).size < rows.length;
}
