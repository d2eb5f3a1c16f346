/** A list of the orders that match some dates, read page by page. */
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import type { Window } from '../../model/window.ts';
import {
  elementId,
  type ListRow,
  type OrdersPage,
  type OrdersQuery,
  rowKey,
} from '../endpoints/list-orders.ts';
import { checkPage } from './filter-check.ts';
import { learnPages, learnTotal } from './page-profile.ts';
import { type PagingDeps, requestPage } from './request-page.ts';

/** `whole`: to its end, nothing shifted meanwhile; `long`: more pages than were wanted; `odd`: see `why`. */
export type OrderList = {
  readonly kind: 'whole' | 'long' | 'odd';
  /** What speaks against the answers. */
  readonly why?: string;
  /** Some of them are not of now: a cache answered. */
  readonly isOutdated?: boolean;
  /** Each once, in the order of the list. */
  readonly rows: readonly ListRow[];
  /** Elements that no identifier tells apart. */
  readonly malformed: readonly JsonValue[];
  /** For each element that says neither which order it is nor when it was placed, the rows beside it. */
  readonly unplaced: readonly Neighbours[];
  /** As reported with the first page. */
  readonly total: number | undefined;
  /** How the shop said that there are no rows, where there are none. */
  readonly emptyForm?: string | undefined;
  /** The instant before the first request: what the rows describe. */
  readonly askedAt: Temporal.Instant;
};

/** The rows before and after an element, in the order of the list; undefined where the list keeps none, or has none. */
export type Neighbours = { readonly before: ListRow | undefined; readonly after: ListRow | undefined };

export type ListRules = {
  readonly maxPages: number;
  /** A page after which nothing more is wanted. @default none */
  readonly isEnough?: (page: OrdersPage) => boolean;
};

/** How often an empty page is requested again that must hold a row. */
const EMPTY_RETRIES = 2;
/** How often the last row must come alone where pages come short, so that any other may by chance. */
const UNEVEN_CONFIRMATIONS = 3;
/** Of so few pages, a total that is far more than they hold saves reading them in vain. */
const FEW_PAGES = 10;
const LONG_PAGE = 50;

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
 * @throws FilterFault where the dates do not select by the time of creation
 * @throws PageFault where the shop fails at one of the requests
 */
export async function readList(deps: PagingDeps, dates: Window, rules: ListRules): Promise<OrderList> {
  const { book } = deps;
  const askedAt = deps.now();
  const pages: OrdersPage[] = [];
  let [start, empty, alone] = [0, 0, 0];
  let outdated: string | undefined;
  const found = (kind: OrderList['kind'], why?: string): OrderList => {
    const reason = why ?? outdated;
    learn(deps, pages, reason === undefined ? kind : 'odd');
    const [{ total, emptyForm } = {}] = pages;
    const list = { ...joinPages(pages), unplaced: findUnplaced(deps, pages), total, emptyForm, askedAt };
    return reason === undefined
      ? { ...list, kind }
      : { ...list, kind: 'odd', why: reason, isOutdated: outdated !== undefined };
  };
  for (;;) {
    const page = await requestPage(deps, toQuery(dates, start, book.profile.limit));
    const last = pages.at(-1);
    outdated ??= page.outdated;
    if (last === undefined) {
      await checkPage(deps, dates, page);
      pages.push(page);
      if (hasDuplicates(page)) return found('odd', 'an answer holds an order twice');
      if (page.received === 0) return found('whole');
      if (rules.isEnough?.(page) === true || isLong(page, deps, rules)) return found('long');
      start = page.received - 1;
      if (start > 0) continue;
    } else if (page.received === 0) {
      if (++empty <= EMPTY_RETRIES) continue;
      return found('odd', `the answer to start=${start} is empty, though a row was listed there`);
    } else {
      const misfit = describeMisfit(pages, page, start);
      if (misfit !== undefined) return found('odd', misfit);
    }
    if (page.received === 1) {
      // As long as no page had more, a single row may be as much as the shop shows at once.
      const isFirst = pages.length === 1 && pages[0]?.received === 1;
      if (isFirst && (book.longestList ?? 0) < 2 && (await isAnyNext(deps, dates, page)))
        return found('odd', 'each answer holds one order');
      const isEnded = ++alone >= (book.profile.isUneven ? UNEVEN_CONFIRMATIONS : 1);
      if (isEnded) return found('whole');
      continue;
    }
    if (alone > 0) return found('odd', `more orders came after the last one, at start=${start}`);
    empty = 0;
    pages.push(page);
    start += page.received - 1;
    if (rules.isEnough?.(page) === true || pages.length >= rules.maxPages) return found('long');
  }
}

/** Whether a page is followed by another order. */
async function isAnyNext(deps: PagingDeps, dates: Window, { keys }: OrdersPage): Promise<boolean> {
  const page = await requestPage(deps, toQuery(dates, 1, deps.book.profile.limit));
  return page.keys.some((key) => !keys.includes(key));
}

/** Why a page does not go on where the one before it ended; undefined where it does. */
function describeMisfit(pages: readonly OrdersPage[], page: OrdersPage, start: number): string | undefined {
  if (hasDuplicates(page)) return 'an answer holds an order twice';
  const last = pages.at(-1) ?? page;
  const before = new Set(pages.flatMap(({ keys }) => keys));
  const shared = page.keys.filter((key) => before.has(key));
  const isFirstAgain = pages.length === 1 && page.keys.join() === last.keys.join();
  if (isFirstAgain && page.received > 1) return 'the shop ignores "start", so that its list cannot be read';
  const isRowOfLast = last.keys.includes(shared[0] ?? '');
  // An object does not keep the order of the list; and a list of one page may come in another order each time.
  const mayBeAnyRow = last.isKeyed || page.isKeyed || (pages.length === 1 && page.received === 1);
  const isLastRow = last.keys.at(-1) === page.keys[0];
  if (shared.length === 1 && (mayBeAnyRow ? isRowOfLast : isLastRow)) return undefined;
  const both = `the answers to start=${start - last.received + 1} and start=${start}`;
  return `${both} have ${shared.length} orders in common, not their last and first one`;
}

/** An order that is listed twice takes the place of another one. */
function hasDuplicates({ rows }: OrdersPage): boolean {
  return new Set(rows.map(({ orderId }) => orderId)).size < rows.length;
}

function isLong(
  { received, total }: OrdersPage,
  { book: { profile } }: PagingDeps,
  rules: ListRules,
): boolean {
  const { maxPages } = rules;
  if (maxPages === 1 && received > 1) return true;
  if (received < Math.max(profile.pageRows, LONG_PAGE) || maxPages > FEW_PAGES) return false;
  return profile.totalMeaning !== 'other' && (total ?? 0) > 1 + (received - 1) * (maxPages - 1);
}

function learn({ book }: PagingDeps, pages: readonly OrdersPage[], kind: OrderList['kind']): void {
  const received = pages.map((page) => page.received);
  const rows = received.reduce((sum, count) => sum + count, 1 - pages.length);
  book.longestList = Math.max(book.longestList ?? 0, rows);
  if (kind === 'odd') {
    // The last of them may be one that did not go on from those before it.
    const isUneven = new Set(received.slice(0, -1)).size > 1;
    if (isUneven) book.profile = { ...book.profile, isUneven };
    return;
  }
  book.profile = learnPages(book.profile, kind === 'long' ? received : received.slice(0, -1));
  if (kind === 'whole' && rows > 1) book.profile = learnTotal(book.profile, rows, pages[0]?.total);
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

function findUnplaced({ readCreated }: PagingDeps, pages: readonly OrdersPage[]): readonly Neighbours[] {
  const isNowhere = (value: JsonValue) =>
    elementId(value) === undefined &&
    (!isJsonObject(value) || readCreated({ orderId: '', raw: value }) === undefined);
  const nameless = new Set(
    pages.flatMap(({ malformed }) => malformed.filter(isNowhere).map((value) => JSON.stringify(value))),
  );
  if (nameless.size === 0) return [];
  const keys = pages.flatMap((page) => page.keys);
  const isKeyed = pages.some((page) => page.isKeyed);
  const all = pages.flatMap((page) => page.rows.map((row) => [rowKey(row), row] as const));
  const rows = new Map(all.filter(([, row]) => !isKeyed && readCreated(row) !== undefined));
  return keys.flatMap((key, index) => {
    if (!nameless.has(key)) return [];
    const before = keys.slice(0, index).findLast((one) => rows.has(one));
    const after = keys.slice(index + 1).find((one) => rows.has(one));
    return { before: rows.get(before ?? ''), after: rows.get(after ?? '') };
  });
}
