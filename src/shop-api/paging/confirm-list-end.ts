import type { OrdersPage } from '../endpoints/list-orders.ts';
import { askPage } from './ask-page.ts';
import type { Dates } from './dates.ts';
import { collectRows, type Matching } from './matching.ts';
import { unlessFault } from './page-fault.ts';
import { learnPages, learnTotal, learnUneven, type PageProfile } from './page-profile.ts';
import type { PagingDeps } from './paging-deps.ts';

/** Empty pages beyond the end that are needed where pages come short at random, or where the total says more. */
const UNEVEN_PROBES = 3;
const CONTRADICTED_PROBES = 2;
/** Orders that may come and go while one list is read. */
const FEW_MOVED = 10;

/** The last page was followed by nothing but its own last row. */
export async function confirmListEnd(
  deps: PagingDeps,
  dates: Dates,
  pages: readonly OrdersPage[],
  lastRow: OrdersPage,
  askedAt: Temporal.Instant,
): Promise<Matching> {
  const { book } = deps;
  // Each page but the first begins with the last row of the page before it.
  const read = pages.reduce((sum, { received }) => sum + received - 1, 1);
  book.profile = learnPages(
    book.profile,
    pages.map(({ received }) => received),
    true,
  );
  const total = pages[0]?.total;
  for (let probes = countProbes(book.profile, pages, lastRow, read); probes > 0; probes--) {
    const beyond = await unlessFault(askPage(deps, dates, read));
    if (beyond === 'unfiltered') continue;
    // Some shops fail beyond the end. A row that they fail at would have come with the last one, unless pages come short.
    if (beyond === 'fault' ? !book.profile.isUneven : beyond.received === 0) continue;
    if (beyond === 'fault') return { kind: 'moved', pages: pages.length };
    // The page of one row was a short one, not the end.
    book.profile = learnUneven(book.profile);
    return { kind: 'moved', pages: pages.length };
  }
  book.profile = learnTotal(book.profile, read, total);
  const isSteady = isSteadyTotal([...pages, lastRow]);
  const rows = collectRows(pages, askedAt);
  return { kind: 'complete', pages: pages.length, ...rows, total: isSteady ? rows.total : undefined };
}

/**
 * How often to ask beyond the end. That the last row came alone may be chance, where pages come short at random: a total
 * that agrees speaks against it, unless it is that of the page.
 */
function countProbes(
  { isUneven, totalMeaning }: PageProfile,
  pages: readonly OrdersPage[],
  lastRow: OrdersPage,
  read: number,
): number {
  if (isUneven) return UNEVEN_PROBES;
  const total = totalMeaning === 'other' ? undefined : pages[0]?.total;
  if (total !== undefined && total > read) return CONTRADICTED_PROBES;
  return total === read && lastRow.total === read ? 0 : 1;
}

/**
 * Whether an order disappeared meanwhile, by the shop's own count: if another moved from an unread page to one that was
 * read, nothing shifted, and that other one was missed. A shop that counts the rows of each page shows nothing by that.
 */
export function isRecounted(first: OrdersPage, last: OrdersPage, read: number): boolean {
  const isOfPage = first.total === first.received && last.total === last.received;
  return first.total !== undefined && last.total === read && read < first.total && !isOfPage;
}

/** Totals of the same dates that differ by more than a few orders are meaningless. */
function isSteadyTotal(pages: readonly OrdersPage[]): boolean {
  const totals = pages.flatMap(({ total }) => total ?? []);
  return Math.max(...totals, 0) - Math.min(...totals, Infinity) <= FEW_MOVED;
}
