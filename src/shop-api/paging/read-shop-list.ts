import { elementId, type OrdersPage } from '../endpoints/list-orders.ts';
import { type ListDeps, requestPage, unlessFault } from './ask-page.ts';
import { type ListState, NOTHING_READ, type Verdict } from './list-state.ts';
import { lowerLimits, withLimit } from './page-profile.ts';
import { readList } from './read-list.ts';

/** How reading the whole list ended. */
export type ListEnd = {
  /** Orders received, each once. */
  readonly ids: ReadonlySet<string>;
  /** The shop's own count; undefined where it gives none. */
  readonly total: number | undefined;
  /** Why the list could not be read to the end. */
  readonly problem: string | undefined;
};

/** A list is endless after this many pages, if it returned this many times as many orders as expected. */
const MIN_PAGES = 50;
const MAX_SURPLUS = 4;
/** Pages requested at once, though each is used only after the one before it. */
const MAX_AHEAD = 4;
const OUT_OF_TIME = 'the time budget ran out';

/**
 * Reads the list without date filters, so that orders without a date come as well. Rows may shift meanwhile: if two pages
 * do not overlap, it goes back by one page. While pages come as expected, a few are requested at once.
 *
 * @param held number of stored orders: with the shop's total, it tells how many to expect
 * @param takePage receives each page, which may repeat rows; returns a reason to stop reading, or undefined
 * @param mayAsk whether the time budget allows another page
 */
export async function readShopList(
  deps: ListDeps,
  held: number,
  takePage: (page: OrdersPage) => Promise<string | undefined>,
  mayAsk: () => boolean = () => true,
): Promise<ListEnd> {
  const { book } = deps;
  const ids = new Set<string>();
  const ahead = createPagesAhead(async (start: number) =>
    unlessFault(requestPage(deps, { start, limit: book.profile.limit }).then(byId)),
  );
  let problem = mayAsk() ? undefined : OUT_OF_TIME;
  const take = async (page: OrdersPage, { start, received, totals }: ListState) => {
    const likely = Math.max(held, totals[0] ?? 0);
    // After a short page the next position is not known, so requests sent ahead would be wasted.
    const isLikeFirst = page.received > 1 && page.received === received[0];
    if (isLikeFirst && book.faults === undefined) ahead.expect(start, page.received - 1, likely);
    if (page.keys.some((key) => !ids.has(key))) problem = await takePage(page);
    if (received.length >= MIN_PAGES && ids.size > MAX_SURPLUS * likely) {
      problem ??= `it does not end: ${ids.size} orders received, ${likely} expected`;
    }
    if (!mayAsk()) problem ??= OUT_OF_TIME;
    return problem !== undefined;
  };
  for (let list = NOTHING_READ; ;) {
    const rules = { profile: book.profile, known: ids, maxPages: Infinity, mayBeSingle: true, mayMove: true };
    if (problem === undefined) list = await readList(async (start) => ahead.take(start), rules, take, list);
    const [lower] = lowerLimits(book.profile.limit);
    if (list.verdict !== 'faulty' || lower === undefined) {
      return { ids, total: list.totals[0], problem: problem ?? describeProblem(list.verdict, ids.size) };
    }
    book.profile = withLimit(book.profile, lower);
  }
}

/** A long list is remembered by identifiers alone. Its pages need to share any row, in whatever order. */
function byId(page: OrdersPage): OrdersPage {
  const elements = page.malformed.map((value) => elementId(value) ?? JSON.stringify(value));
  return { ...page, keys: [...page.rows.map(({ orderId }) => orderId), ...elements] };
}

function describeProblem(verdict: Verdict, orders: number): string | undefined {
  if (verdict === 'complete') return undefined;
  if (verdict === 'few') return 'the shop lists no orders at all';
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
