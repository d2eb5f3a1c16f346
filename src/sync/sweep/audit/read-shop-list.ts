import type { OrdersPage } from '../../../shop-api/endpoints/list-orders.ts';
import { lowerLimits } from '../../../shop-api/paging/around-faults.ts';
import { requestPage, unlessFault } from '../../../shop-api/paging/page-fault.ts';
import { withLimit } from '../../../shop-api/paging/page-profile.ts';
import type { Needs } from '../../run/context.ts';
import { createPagesAhead, type PagesAhead } from './pages-ahead.ts';

/** How the reading of the whole list ended. */
export type ListEnd = {
  /** Orders that came, each once. */
  readonly ids: ReadonlySet<string>;
  /** As the shop says it; undefined where it does not. */
  readonly total: number | undefined;
  /** Why the list could not be read to its end. */
  readonly problem: string | undefined;
};

type Answer = OrdersPage | 'fault';

type Listing = Needs<'api' | 'now' | 'signal', 'profile' | 'faults'>;

/** Pages that brought nothing new, or had no row in common; more would mean that the list never stands still. */
const MAX_IDLE = 50;
/** A list of which more pages came than these, and more orders than this many times the likely number, has no end. */
const MIN_PAGES = 50;
const MAX_SURPLUS = 4;
/** Answers that make sure of an end, or of an empty list. */
const END_PROBES = 3;

/**
 * Reads the list without any date, page by page, each from the last row of the page before it, so that orders without a
 * date come as well. Rows may shift meanwhile: where two pages have no row in common, it goes back by a page. While pages
 * come as expected, a few are asked for at once.
 *
 * @param held orders that the warehouse holds: with the shop's total, they tell how many are likely
 * @param takePage given each page, with rows that may have come before; returns why no more is to be read
 * @param mayAsk whether the time budget allows another page
 */
export async function readShopList(
  sweep: Listing,
  held: number,
  takePage: (page: OrdersPage) => Promise<string | undefined>,
  mayAsk: () => boolean = () => true,
): Promise<ListEnd> {
  const { state } = sweep;
  const ids = new Set<string>();
  let first: OrdersPage | undefined;
  let [start, idle, pages] = [0, 0, 0];
  const end = (problem?: string): ListEnd => ({ ids, total: first?.total, problem });
  const ahead = createPagesAhead((position: number) => ask(sweep, position));
  for (;;) {
    if (!mayAsk()) return end('the time budget was over');
    const likely = Math.max(held, first?.total ?? 0);
    if (pages++ >= MIN_PAGES && ids.size > MAX_SURPLUS * likely) {
      return end(`it has no end: ${ids.size} orders came, where ${likely} were likely`);
    }
    const page = await askSurely(ahead, start);
    if (page === 'fault') {
      const [lower] = lowerLimits(state.profile.limit);
      if (lower === undefined) return end(`the shop fails at what comes after ${ids.size} orders`);
      state.profile = withLimit(state.profile, lower);
      ahead.clear();
      continue;
    }
    if (page.received === 0 && start === 0) return end('the shop lists no orders at all');
    if (first !== undefined && start > 0 && isSame(first, page)) return end('the shop ignores "start"');
    first ??= page;
    const isNew = page.keys.some((key) => !ids.has(key));
    const isJoined = start === 0 || page.keys.some((key) => ids.has(key));
    if (!isNew || !isJoined) idle++;
    if (idle > MAX_IDLE) return end('the list shifted all the while');
    if (!isJoined) {
      ahead.clear();
      start = Math.max(0, start - Math.max(1, page.received));
      continue;
    }
    // A page that comes short may be one of many: those behind it would be asked for in vain.
    const isLikeFirst = page.received > 1 && page.received === first.received;
    if (isLikeFirst && state.faults === undefined) {
      ahead.expect(start, page.received - 1, Math.max(held, first.total ?? 0));
    }
    const objection = isNew ? await takePage(page) : undefined;
    if (objection !== undefined) return end(objection);
    for (const key of page.keys) ids.add(key);
    if (page.received > 1) start += page.received - 1;
    else if (await isEnd(sweep, start + 1, first.total === ids.size)) return end();
    else start++;
  }
}

/** Another part of the list is another page; two rows may shift into the place of each other. */
function isSame(first: OrdersPage, page: OrdersPage): boolean {
  const keys = new Set(first.keys);
  return page.received > 1 && page.received === first.received && page.keys.every((key) => keys.has(key));
}

/** An empty answer where rows were a moment ago, or where a shop lists anything at all, is asked for again. */
async function askSurely(pages: PagesAhead<Answer>, start: number): Promise<Answer> {
  for (let asked = 1; ; asked++) {
    const page = await pages.take(start);
    if (page === 'fault' || page.received > 0 || asked === END_PROBES) return page;
  }
}

/**
 * The last row came alone: the end, unless pages come short, or the list holds a single order.
 *
 * @param isCounted the shop counts as many orders as came, so that a failure beyond them may be one of what is not there
 */
async function isEnd(sweep: Listing, start: number, isCounted: boolean): Promise<boolean> {
  const probes = sweep.state.profile.isUneven || start === 1 ? END_PROBES : 1;
  for (let asked = 0; asked < probes; asked++) {
    const page = await ask(sweep, start);
    if (page === 'fault' ? !isCounted : page.received > 0) return false;
  }
  return true;
}

async function ask({ ports, state }: Listing, start: number): Promise<Answer> {
  const none = { from: undefined, to: undefined };
  return unlessFault(requestPage({ ...ports, book: state }, { start, limit: state.profile.limit }, none));
}
