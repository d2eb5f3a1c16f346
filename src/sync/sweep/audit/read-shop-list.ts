import type { OrdersPage } from '../../../shop-api/endpoints/list-orders.ts';
import { lowerLimits } from '../../../shop-api/paging/around-faults.ts';
import { requestPage, unlessFault } from '../../../shop-api/paging/page-fault.ts';
import { withLimit } from '../../../shop-api/paging/page-profile.ts';
import type { Needs } from '../../run/context.ts';
import { createPagesAhead, type PagesAhead } from './pages-ahead.ts';

/** How reading the whole list ended. */
export type ListEnd = {
  /** Orders received, each once. */
  readonly ids: ReadonlySet<string>;
  /** The shop's own count; undefined where it gives none. */
  readonly total: number | undefined;
  /** Why the list could not be read to the end. */
  readonly problem: string | undefined;
};

type Answer = OrdersPage | 'fault';

type Listing = Needs<'api' | 'now' | 'signal', 'profile' | 'faults'>;

/** Pages with nothing new, or without overlap with the page before; more mean that the list never stops moving. */
const MAX_IDLE = 50;
/** A list is endless after this many pages, if it returned this many times as many orders as expected. */
const MIN_PAGES = 50;
const MAX_SURPLUS = 4;
/** Requests that confirm the end of the list, or an empty list. */
const END_PROBES = 3;

/**
 * Reads the list without date filters, so that orders without a date come as well. Each page starts at the last row of
 * the page before it. Rows may shift meanwhile: if two pages do not overlap, it goes back by one page. While pages come
 * as expected, a few are requested at once.
 *
 * @param held number of stored orders: with the shop's total, it tells how many to expect
 * @param takePage receives each page, which may repeat rows; returns a reason to stop reading, or undefined
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
  const ahead = createPagesAhead((position: number) => readPage(sweep, position));
  for (;;) {
    if (!mayAsk()) return end('the time budget ran out');
    const likely = Math.max(held, first?.total ?? 0);
    if (pages++ >= MIN_PAGES && ids.size > MAX_SURPLUS * likely) {
      return end(`it does not end: ${ids.size} orders received, ${likely} expected`);
    }
    const page = await readConfirmed(ahead, start);
    if (page === 'fault') {
      const [lower] = lowerLimits(state.profile.limit);
      if (lower === undefined) return end(`the shop fails on the page after ${ids.size} orders`);
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
    if (idle > MAX_IDLE) return end('its rows kept moving');
    if (!isJoined) {
      ahead.clear();
      start = Math.max(0, start - Math.max(1, page.received));
      continue;
    }
    // After a short page the next position is not known, so requests sent ahead would be wasted.
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

/** Whether the shop returned the first page again. A single row does not tell: it may have shifted. */
function isSame(first: OrdersPage, page: OrdersPage): boolean {
  const keys = new Set(first.keys);
  return page.received > 1 && page.received === first.received && page.keys.every((key) => keys.has(key));
}

/** Repeats a request that came back empty: that may be a temporary fault. */
async function readConfirmed(pages: PagesAhead<Answer>, start: number): Promise<Answer> {
  for (let asked = 1; ; asked++) {
    const page = await pages.take(start);
    if (page === 'fault' || page.received > 0 || asked === END_PROBES) return page;
  }
}

/**
 * Whether the list ends after a row that came alone. Asks several times where pages come short, or after a single
 * order.
 *
 * @param isCounted the shop's total equals the orders received, so a failure beyond them is no sign of more
 */
async function isEnd(sweep: Listing, start: number, isCounted: boolean): Promise<boolean> {
  const probes = sweep.state.profile.isUneven || start === 1 ? END_PROBES : 1;
  for (let asked = 0; asked < probes; asked++) {
    const page = await readPage(sweep, start);
    if (page === 'fault' ? !isCounted : page.received > 0) return false;
  }
  return true;
}

async function readPage({ ports, state }: Listing, start: number): Promise<Answer> {
  const none = { from: undefined, to: undefined };
  return unlessFault(requestPage({ ...ports, book: state }, { start, limit: state.profile.limit }, none));
}
