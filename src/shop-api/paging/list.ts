/** A list of the orders that match some dates, read page by page. */
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import type { Window } from '../../model/window.ts';
import {
  elementId,
  FARTHEST,
  type ListRow,
  type OrdersPage,
  type OrdersQuery,
  rowKey,
} from '../endpoints/list-orders.ts';
import { isOrdered, type Placed, placeRows } from './placed-rows.ts';
import { PageFault, type PagingDeps, requestPage, unlessFault } from './request-page.ts';

/** `long`: more pages than were wanted, or too long to be believed; `odd`: the answers contradict each other; `fault`: the shop fails at one of them. */
export type Ending =
  | { readonly kind: 'whole' }
  | { readonly kind: 'long' | 'odd' | 'fault'; readonly why: string };

export type OrderList = Ending & {
  /** Each once, in the order of the list. */
  readonly rows: readonly ListRow[];
  /** Elements without a usable identifier, or with one that another element has too. */
  readonly malformed: readonly JsonValue[];
  /** The form of an answer without rows, if there are none. */
  readonly emptyForm: string | undefined;
  /** The instant before the first request: what the rows describe. */
  readonly requestedAt: Temporal.Instant;
};

export type ListRules = {
  readonly maxPages: number;
  /** A page after which nothing more is wanted. @default none */
  readonly isEnough?: (page: OrdersPage) => boolean;
};

/** How often an empty page is requested again that must hold a row. */
const EMPTY_RETRIES = 2;

const odd = (why: string): Ending => ({ kind: 'odd', why });
const LONG: Ending = { kind: 'long', why: 'it takes too many pages' };

export const UNPLACED =
  'the shop lists an element that has neither a usable order_id nor a date, which may be an order';

/** The request for a page of some dates: both are always sent. */
export const toQuery = ({ from, to }: Window, start: number, limit: number): OrdersQuery => ({
  start,
  limit,
  dateFrom: from,
  dateTo: to,
});

/**
 * Reads a list to its end. Each page is asked from the last row of the page before it and must begin with it, and have
 * nothing else in common with it: so nothing shifted. The list has ended when that row comes alone.
 *
 * @throws TransientError, TerminalError where the shop is down or refuses
 */
export async function readList(deps: PagingDeps, dates: Window, rules: ListRules): Promise<OrderList> {
  const requestedAt = deps.now();
  const pages: OrdersPage[] = [];
  const ending = await readPages(deps, dates, rules, pages).catch((error: unknown): Ending => {
    if (!(error instanceof PageFault)) throw error;
    return { kind: 'fault', why: `the shop fails at it (${error.message})` };
  });
  learn(deps, pages, ending.kind);
  return { ...ending, ...joinPages(pages), emptyForm: pages[0]?.emptyForm, requestedAt };
}

/** @param pages receives the pages that continue each other */
async function readPages(
  deps: PagingDeps,
  dates: Window,
  { maxPages, isEnough = () => false }: ListRules,
  pages: OrdersPage[],
): Promise<Ending> {
  const { book } = deps;
  let [start, empty] = [0, 0];
  for (;;) {
    const query = toQuery(dates, start, book.profile.limit);
    const page = await requestPage(deps, query);
    book.longestPage = Math.max(book.longestPage ?? 0, page.received);
    const isFirst = pages.length === 0;
    if (page.received === 0 && !isFirst) {
      if (++empty <= EMPTY_RETRIES) continue;
      return odd(`the answer to start=${start} is empty, though a row was listed there`);
    }
    empty = 0;
    const misfit = isFirst ? describeElements(deps, page) : describeMisfit(deps, pages, page, start);
    const isLast = page.received === 1 && !isFirst;
    if (isFirst || (misfit === undefined && !isLast)) pages.push(page);
    if (misfit !== undefined) return odd(misfit);
    if (page.received === 0) return { kind: 'whole' };
    if (isEnough(page)) return LONG;
    if (page.received > 1) {
      if (pages.length >= maxPages) return LONG;
      start += page.received - 1;
      continue;
    }
    const isOfFew = (book.longestPage ?? 0) < FEWEST_ROWS;
    // Of a longer list in the order of time, what lies beyond its last row is asked for anyway: unless the same rows begin
    // that list too, since they are of one minute.
    const placed = placeRows(deps, joinPages(pages).rows);
    const isAskedBeyond = !isFirst && isOrdered(placed) && !(isOfFew && areOfOneMinute(placed));
    if (isAskedBeyond || (isFirst && !isOfFew)) return { kind: 'whole' };
    const next = await readBehind(deps, dates, start + 1);
    // A position behind the end may be taken for the end, where positions were seen to count.
    const isEnd = isFirst && (book.longestList ?? 0) < 2 ? next.received === 0 : !isAnyNew(pages, next);
    book.isEndSeen = isEnd;
    if (isEnd) return { kind: 'whole' };
    return odd(`the answer to start=${start} has a single order, though more follow`);
  }
}

const areOfOneMinute = (placed: readonly Placed[]) =>
  placed.every(({ time }) => placed[0]?.time.equals(time));

/** What a position behind the last row shows: until a run has seen an end, or a long page, an empty answer may be a mistake. */
async function readBehind(deps: PagingDeps, dates: Window, start: number): Promise<OrdersPage> {
  const { book } = deps;
  const isKnown = book.isEndSeen === true || (book.longestPage ?? 0) >= FEWEST_ROWS;
  for (let tries = 0; ; tries++) {
    const page = await requestPage(deps, toQuery(dates, start, book.profile.limit));
    if (page.received > 0 || isKnown || tries === EMPTY_RETRIES) return page;
  }
}

const isAnyNew = (pages: readonly OrdersPage[], { keys }: OrdersPage) =>
  keys.some((key) => pages.every((page) => !page.keys.includes(key)));

/** Why a page does not continue the one before it; undefined if it does. */
function describeMisfit(
  deps: PagingDeps,
  pages: readonly OrdersPage[],
  page: OrdersPage,
  start: number,
): string | undefined {
  const last = pages.at(-1) ?? page;
  const before = new Set(pages.flatMap(({ keys }) => keys));
  const shared = page.keys.filter((key) => before.has(key));
  if (page.keys.join() === last.keys.join())
    return 'the shop ignores "start", so that its list cannot be read';
  const isRowOfLast = last.keys.includes(shared[0] ?? '');
  // An object does not keep the order of the list; and a list of one page may come in another order each time.
  const mayBeAnyRow = last.isKeyed || page.isKeyed || (pages.length === 1 && page.received === 1);
  const isLastRow = last.keys.at(-1) === page.keys[0];
  if (shared.length === 1 && (mayBeAnyRow ? isRowOfLast : isLastRow)) return describeElements(deps, page);
  const both = `the answers to start=${start - last.received + 1} and start=${start}`;
  return `${both} have ${shared.length} orders in common, not their last and first one`;
}

/** What speaks against a page by itself: an order that is listed twice takes the place of another one. */
function describeElements({ readCreated }: PagingDeps, { rows, malformed }: OrdersPage): string | undefined {
  if (new Set(rows.map(({ orderId }) => orderId)).size < rows.length) return 'an answer lists an order twice';
  const isNowhere = (value: JsonValue) =>
    elementId(value) === undefined &&
    (!isJsonObject(value) || readCreated({ orderId: '', raw: value }) === undefined);
  return malformed.some(isNowhere) ? UNPLACED : undefined;
}

/** No shop cuts a list of fewer rows. */
export const FEWEST_ROWS = 20;

/** Whether the shop is known to serve longer lists than one, so that it was not cut at a number of rows. */
export async function isUncut(deps: PagingDeps, { rows }: Pick<OrderList, 'rows'>): Promise<boolean> {
  const { length } = rows;
  if (length < Math.max(FEWEST_ROWS, deps.book.longestList ?? 0)) return true;
  return (await isServedAt(deps, 2 * length)) || isServedAt(deps, length);
}

/** Whether the list of all orders continues at a position, which shows that no shorter list is cut. */
async function isServedAt(deps: PagingDeps, position: number): Promise<boolean> {
  const ask = async (start: number) => {
    const page = await unlessFault(requestPage(deps, toQuery(FARTHEST, start, 2)));
    return page?.keys ?? [];
  };
  const [, second] = await ask(position);
  // A position beyond the last row may be taken for another one.
  if (second === undefined || (await ask(position + 1))[0] !== second) return false;
  deps.book.longestList = Math.max(deps.book.longestList ?? 0, position + 1);
  return true;
}

function learn({ book }: PagingDeps, pages: readonly OrdersPage[], kind: Ending['kind']): void {
  const received = pages.map((page) => page.received);
  const rows = received.reduce((sum, count) => sum + count, 1 - pages.length);
  book.longestList = Math.max(book.longestList ?? 0, rows);
  // Pages that others went on from are full ones, unless they come short by their size.
  const full = kind === 'long' ? received : received.slice(0, -1);
  if (full.length > 0) book.profile = { ...book.profile, pageRows: Math.max(...full) };
  const total = pages[0]?.total;
  if (kind !== 'whole' || rows <= 1 || total === undefined) return;
  book.profile = { ...book.profile, totalMeaning: total === rows ? 'matches' : 'other' };
}

/** Each order and each element without a usable identifier once. Of orders that share one, none has it. */
function joinPages(pages: readonly OrdersPage[]): Pick<OrderList, 'rows' | 'malformed'> {
  const rows = new Map(pages.flatMap((page) => page.rows.map((row) => [rowKey(row), row])));
  const elements = pages.flatMap((page) => page.malformed);
  const ids = Map.groupBy(rows.values(), ({ orderId }) => orderId);
  const named = new Set(elements.flatMap((value) => elementId(value) ?? []));
  const isShared = ({ orderId }: ListRow) => named.has(orderId) || (ids.get(orderId)?.length ?? 0) > 1;
  const shared = [...rows.values()].filter(isShared).map(({ raw }) => raw);
  const malformed = new Map([...elements, ...shared].map((value) => [JSON.stringify(value), value]));
  return { rows: [...rows.values()].filter((row) => !isShared(row)), malformed: [...malformed.values()] };
}
