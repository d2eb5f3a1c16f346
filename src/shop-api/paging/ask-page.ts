import { TerminalError } from '../../errors.ts';
import { EVER, isInWindow, windowText } from '../../window.ts';
import type { ShopApi } from '../shop-api.ts';
import type { ListRow, OrdersPage } from '../endpoints/orders.ts';
import type { Faults } from './faults.ts';
import { requestPage } from './page-fault.ts';
import { learnBothDates, type PageProfile } from './page-profile.ts';

/** What is learned of a shop on the way; replaced at every lesson. */
type PagingBook = {
  /** Hints as seen so far. */
  profile: PageProfile;
  /** Requests that failed while others were answered. @default none did */
  faults?: Faults;
};

export type PagingDeps = {
  readonly api: Pick<ShopApi, 'listOrders'>;
  readonly book: PagingBook;
  /** The minute at which an order was created, shop-local; undefined where the row does not tell. */
  readonly createdOf: (row: ListRow) => Temporal.PlainDateTime | undefined;
  readonly now: () => Temporal.Instant;
  readonly signal?: AbortSignal | undefined;
};

/** The dates of a request; an absent one leaves that end open. */
export type Dates = {
  readonly from: Temporal.PlainDateTime | undefined;
  readonly to: Temporal.PlainDateTime | undefined;
};

/** For a shop that takes one date for none: beyond these lies no order that a date filter is trusted with. */
export const FARTHEST = {
  from: Temporal.PlainDateTime.from('1970-01-01T00:00:00'),
  to: Temporal.PlainDateTime.from('2037-12-31T23:59:59'),
};
/** More rows than this far outside what was asked for are no oddities of single orders. */
const MAX_FAR_SHARE = 0.05;

/**
 * Asks for one page.
 *
 * @returns 'unfiltered' where the shop took the one date that was sent for none; from then on both are sent
 * @throws TerminalError when the server does not filter by the date of creation
 * @throws PageFault when this request fails for good while others are answered
 */
export async function askPage(
  deps: PagingDeps,
  dates: Dates,
  start: number,
): Promise<OrdersPage | 'unfiltered'> {
  const { book } = deps;
  const { limit, wantsBothDates } = book.profile;
  const isDated = dates.from !== undefined || dates.to !== undefined;
  const sent = wantsBothDates && isDated ? { ...FARTHEST, ...definedOf(dates) } : definedOf(dates);
  const query = {
    start,
    limit,
    ...(sent.from && { dateFrom: sent.from }),
    ...(sent.to && { dateTo: sent.to }),
  };
  const page = await requestPage(deps, query, dates);
  const far = farRows(deps, dates, page);
  const isFarOff = far > 1 && far > page.rows.length * MAX_FAR_SHARE;
  if (!isFarOff && !isFilteredByUpdate(deps, dates, page)) return page;
  if (sent.from === undefined || sent.to === undefined) {
    book.profile = learnBothDates(book.profile);
    return 'unfiltered';
  }
  const asked = windowText({ from: dates.from ?? EVER.from, to: dates.to ?? EVER.to });
  throw new TerminalError(
    `the shop was asked for orders of ${asked}, and answered with others: it ignores date_from ` +
      'and date_to, or filters by another date. Its orders cannot be synced by day; ask the platform which date the ' +
      'filter uses.',
  );
}

/** Rows more than two days outside: neither a filter by whole days nor one in another zone brings rows that far. */
function farRows({ createdOf }: PagingDeps, { from, to }: Dates, page: OrdersPage): number {
  const near = {
    from: from?.subtract({ days: 2 }) ?? EVER.from,
    to: to?.add({ days: 2 }) ?? EVER.to,
  };
  return page.rows.filter((row) => {
    const created = createdOf(row);
    return created !== undefined && !isInWindow(near, created);
  }).length;
}

/** Some rows were created outside of the dates, and all were updated within them. */
function isFilteredByUpdate({ createdOf }: PagingDeps, { from, to }: Dates, page: OrdersPage): boolean {
  const asked = {
    from: from?.subtract({ minutes: 1 }) ?? EVER.from,
    to: to?.add({ minutes: 2 }) ?? EVER.to,
  };
  const isOutside = page.rows.some((row) => {
    const created = createdOf(row);
    return created !== undefined && !isInWindow(asked, created);
  });
  if (!isOutside) return false;
  return page.rows.every((row) => {
    const updated = updatedOf(row);
    return updated !== undefined && isInWindow(asked, updated);
  });
}

/** As documented, `YYYY-MM-DD HH:MM:SS`; undefined for anything else. */
function updatedOf({ raw }: ListRow): Temporal.PlainDateTime | undefined {
  const text = raw['updated'];
  const isTime = typeof text === 'string' && /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text);
  try {
    return isTime ? Temporal.PlainDateTime.from(text.replace(' ', 'T')) : undefined;
  } catch {
    return undefined;
  }
}

function definedOf({ from, to }: Dates): { from?: Temporal.PlainDateTime; to?: Temporal.PlainDateTime } {
  return { ...(from && { from }), ...(to && { to }) };
}
