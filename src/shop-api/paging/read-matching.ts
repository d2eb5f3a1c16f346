import type { OrdersPage } from '../endpoints/list-orders.ts';
import { askPage } from './ask-page.ts';
import { confirmListEnd, isRecounted } from './confirm-list-end.ts';
import type { Dates } from './dates.ts';
import { collectRows, type Matching } from './matching.ts';
import { compareOverlap, hasDuplicates } from './page-overlap.ts';
import { learnPages, type PageProfile } from './page-profile.ts';
import type { PagingDeps } from './paging-deps.ts';

/** How often an empty page is requested again that must hold a row. */
const EMPTY_RETRIES = 2;
const FEW_PAGES = 10;
/** After a page with fewer rows than this, the next ones cost little. */
const LONG_PAGE = 50;

/**
 * Reads all orders that match: page by page, each requested from the last row of the page before it. Pages that have exactly
 * this row in common show that nothing shifted; a page of this row alone shows that nothing follows.
 *
 * @param maxPages gives up as 'cut' after so many pages
 * @throws TerminalError when the server does not filter by the date of creation
 */
export async function readMatching(deps: PagingDeps, dates: Dates, maxPages: number): Promise<Matching> {
  const askedAt = deps.now();
  const first = await askPage(deps, dates, 0);
  if (first === 'unfiltered') return { kind: 'moved', pages: 1 };
  if (hasDuplicates(first)) return { kind: 'moved', pages: 1, hasDuplicates: true };
  if (first.received < 2) return { kind: 'few', ...collectRows([first], askedAt) };
  if (isLongList(deps.book.profile, first, maxPages)) {
    deps.book.profile = learnPages(deps.book.profile, [first.received], false);
    return { kind: 'cut', isStartIgnored: false, ...collectRows([first], askedAt) };
  }
  const pages = [first];
  const known = new Set(first.keys);
  for (let read = first.received; ;) {
    const next = await askNonEmpty(deps, dates, read - 1);
    if (next === 'unfiltered') return { kind: 'moved', pages: 1 };
    const overlap = compareOverlap(pages, known, next);
    if (overlap === 'moved')
      return { kind: 'moved', pages: Math.max(pages.length, next.received > 2 ? 2 : 1) };
    if (overlap === 'first again')
      return { kind: 'cut', isStartIgnored: true, ...collectRows(pages, askedAt) };
    if (next.received === 1) {
      if (isRecounted(first, next, read)) return { kind: 'moved', pages: pages.length };
      return confirmListEnd(deps, dates, pages, next, askedAt);
    }
    pages.push(next);
    read += next.received - 1;
    if (pages.length >= maxPages) {
      deps.book.profile = learnPages(
        deps.book.profile,
        pages.map(({ received }) => received),
        false,
      );
      return { kind: 'cut', isStartIgnored: false, ...collectRows(pages, askedAt) };
    }
    for (const key of next.keys) known.add(key);
  }
}

/**
 * A total that is far more than so many pages hold saves reading them in vain. Where it is wrong, it only costs a split:
 * it is used only where few pages may be read, as for a long window, which would be split anyway.
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

/** Requests a page from a row that was there a moment ago: an empty one is a passing fault, or the row is gone. */
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
