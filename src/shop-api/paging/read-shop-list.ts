import { elementId, type OrdersPage } from '../endpoints/list-orders.ts';
import { lowerLimits } from '../endpoints/order-list.ts';
import { watchAge } from './age-watch.ts';
import { isUndated, type PagingDeps, requestPage, toQuery, unlessFault } from './request-page.ts';
import type { Dates } from './asked-dates.ts';
import { explainHidden } from './confirm-ends.ts';
import { unlessRefused } from './date-filter.ts';
import { addRows, type ListEnds, NO_ENDS, placeRows } from './list-ends.ts';
import { describeNoOrders, type ListState, NOTHING_READ } from './list-state.ts';
import { isAnyOlder, isLastPage, lookBeyond } from './look-beyond.ts';
import { withLimit } from './page-profile.ts';
import { readList } from './read-list.ts';

/** How reading the whole list ended. */
export type ListEnd = {
  /** Orders received, each once. */
  readonly ids: ReadonlySet<string>;
  /** The shop's own count; undefined where it gives none. */
  readonly total: number | undefined;
  /** Why the list could not be read to the end. */
  readonly problem: string | undefined;
  /** It was asked for with dates, and so holds no order without one. */
  readonly isDated: boolean;
  /** The shop is known not to show all of a list: an order that it lacks may be there. */
  readonly isPartial: boolean;
};

const ALL: Dates = { from: undefined, to: undefined };
/** A list is endless after this many pages, if it returned this many times as many orders as expected. */
const MIN_PAGES = 50;
const MAX_SURPLUS = 4;
/** Pages requested at once, though each is used only after the one before it. */
const MAX_AHEAD = 4;

/**
 * Reads the list without date filters, so that orders without a date come as well. Rows may shift meanwhile: if two pages
 * do not overlap, it goes back by one page. While pages come as expected, a few are requested at once. What lies beyond
 * the ends is asked for with dates: the list may be cut at a position, or be that of the last few days. Then it is read
 * again with dates, though orders without one are out of their reach; each list finds out anew whether that is needed.
 *
 * @param held number of stored orders: with the shop's total, it tells how many to expect
 * @param takePage receives each page, which may repeat rows
 */
export async function readShopList(
  deps: PagingDeps,
  held: number,
  takePage: (page: OrdersPage) => Promise<void>,
): Promise<ListEnd> {
  const { book } = deps;
  const api = watchAge(deps.api);
  // What a list without dates shows is to be seen again.
  book.profile = { ...book.profile, isUndatedPartial: false };
  const ids = new Set<string>();
  const ahead = createPagesAhead(async (start: number) =>
    unlessFault(requestPage({ ...deps, api }, toQuery(ALL, start, book.profile, book.farthest)).then(byId)),
  );
  let ends = NO_ENDS;
  let problem: string | undefined;
  const take = async (page: OrdersPage, { start, received, totals }: ListState) => {
    const likely = Math.max(held, totals[0] ?? 0);
    ends = addRows(ends, placeRows(deps, page.rows));
    // After a short page the next position is not known, so requests sent ahead would be wasted.
    const isLikeFirst = page.received === received[0];
    if (isLikeFirst && book.faults === undefined) ahead.expect(start, page.received - 1, likely);
    problem ??= api.outdated;
    if (problem === undefined && page.keys.some((key) => !ids.has(key))) await takePage(page);
    if (received.length >= MIN_PAGES && ids.size > MAX_SURPLUS * likely) {
      problem ??= `it does not end: ${ids.size} orders received, ${likely} expected`;
    }
    return problem !== undefined;
  };
  for (let list = NOTHING_READ; ;) {
    const isDated = !isUndated(ALL, book.profile);
    const rules = { profile: book.profile, known: ids, maxPages: Infinity, mayBeSingle: true, mayMove: true };
    list = await readList(async (start) => ahead.take(start), rules, take, list);
    const [lower] = lowerLimits(book.profile.limit);
    if (list.verdict !== 'faulty' || lower === undefined) {
      problem ??= api.outdated ?? describeProblem(list, ids.size);
      if (problem === undefined) {
        await unlessRefused(takeBeyond({ ...deps, api }, list, ends, ids, takePage));
        problem = api.outdated;
      }
      const { endsAt, isUndatedPartial } = book.profile;
      if (problem === undefined && isUndatedPartial && !isDated) {
        [list, ends] = [NOTHING_READ, NO_ENDS];
        ids.clear();
        continue;
      }
      const isPartial = endsAt !== undefined && endsAt <= list.start;
      return { ids, total: list.totals[0], problem, isDated, isPartial };
    }
    book.profile = withLimit(book.profile, lower);
  }
}

/** Takes rows that the list lacks and dates show, and learns why it does, or that it ends at no position any more. */
async function takeBeyond(
  deps: PagingDeps,
  { received }: ListState,
  ends: ListEnds,
  ids: Set<string>,
  takePage: (page: OrdersPage) => Promise<void>,
): Promise<void> {
  const { book } = deps;
  const pageRows = Math.max(...received);
  // What the other side shows is no part of the list.
  const listed = ids.size;
  const isAll = (page: OrdersPage) => isLastPage(book.profile, page, pageRows);
  const [oldest] = book.profile.endsAt === undefined ? [] : ends.below;
  // Of a list in no order of time, the ends do not show what it lacks.
  let isWhole = ends.isDescending || ends.isAscending;
  for (const side of ends.isDescending ? (['below'] as const) : (['below', 'above'] as const)) {
    const look = await lookBeyond(deps, ALL, { side, end: ends[side], isAll });
    isWhole &&= look === 'nothing';
    const hidden = typeof look === 'string' ? [] : look.hidden;
    const rows = hidden.filter(({ orderId }) => !ids.has(orderId));
    if (rows.length === 0) continue;
    await explainHidden(deps, ALL, listed);
    const keys = rows.map(({ orderId }) => orderId);
    await takePage({ rows, malformed: [], received: rows.length, keys, isKeyed: false, total: undefined });
    for (const key of keys) ids.add(key);
  }
  if (oldest === undefined) return;
  if (await isAnyOlder(deps, oldest.time)) await explainHidden(deps, ALL, listed);
  else if (isWhole) book.profile = { ...book.profile, endsAt: undefined };
}

/** A long list is remembered by identifiers alone. Its pages need to share any row, in whatever order. */
function byId(page: OrdersPage): OrdersPage {
  const elements = page.malformed.map((value) => elementId(value) ?? JSON.stringify(value));
  return { ...page, keys: [...page.rows.map(({ orderId }) => orderId), ...elements] };
}

function describeProblem({ verdict, last }: ListState, orders: number): string | undefined {
  if (verdict === 'complete') return undefined;
  if (verdict === 'few') return describeNoOrders(last);
  if (verdict === 'start ignored') return 'the shop ignores "start"';
  return verdict === 'faulty' ? `the shop fails on the page after ${orders} orders` : 'its rows kept moving';
}

function createPagesAhead<Answer>(ask: (start: number) => Promise<Answer>) {
  const pending = new Map<number, Promise<Answer>>();
  return {
    /** The answer for a position: the pending one, or that of a new request. */
    async take(start: number): Promise<Answer> {
      const answer = pending.get(start);
      // After a position that was not expected, none of the others will be.
      if (answer === undefined) pending.clear();
      pending.delete(start);
      return answer ?? ask(start);
    },
    /** Requests the positions from one on, as far as orders are likely there. */
    expect(next: number, step: number, likely: number): void {
      for (let start = next; start < likely && start < next + MAX_AHEAD * step; start += step) {
        if (pending.has(start)) continue;
        const answer = ask(start);
        // Whoever takes the answer sees its error; that of an unused answer is ignored.
        answer.catch(() => undefined);
        pending.set(start, answer);
      }
    },
  };
}
