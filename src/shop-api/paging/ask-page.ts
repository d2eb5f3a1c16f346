import { TerminalError } from '../../errors.ts';
import { EVER, isInWindow, windowText } from '../../window.ts';
import type { ListRow, OrdersPage } from '../endpoints/list-orders.ts';
import { type Dates, FARTHEST } from './dates.ts';
import { requestPage } from './page-fault.ts';
import { learnBothDates } from './page-profile.ts';
import type { PagingDeps } from './paging-deps.ts';

/** A larger share of rows far outside what was asked for is no oddity of single orders. */
const MAX_FAR_SHARE = 0.05;

/**
 * Asks for one page.
 *
 * @returns 'unfiltered' where the shop ignored the one date that was sent; from then on both are sent
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
  const sent = wantsBothDates && isDated ? { ...FARTHEST, ...pickDefined(dates) } : pickDefined(dates);
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
function farRows({ readCreated }: PagingDeps, { from, to }: Dates, page: OrdersPage): number {
  const near = {
    from: from?.subtract({ days: 2 }) ?? EVER.from,
    to: to?.add({ days: 2 }) ?? EVER.to,
  };
  return page.rows.filter((row) => {
    const created = readCreated(row);
    return created !== undefined && !isInWindow(near, created);
  }).length;
}

/** Some rows were created outside of the dates, and all were updated within them. */
function isFilteredByUpdate({ readCreated }: PagingDeps, { from, to }: Dates, page: OrdersPage): boolean {
  const asked = {
    from: from?.subtract({ minutes: 1 }) ?? EVER.from,
    to: to?.add({ minutes: 2 }) ?? EVER.to,
  };
  const isOutside = page.rows.some((row) => {
    const created = readCreated(row);
    return created !== undefined && !isInWindow(asked, created);
  });
  if (!isOutside) return false;
  return page.rows.every((row) => {
    const updated = readUpdated(row);
    return updated !== undefined && isInWindow(asked, updated);
  });
}

/** As documented, `YYYY-MM-DD HH:MM:SS`; undefined for anything else. */
function readUpdated({ raw }: ListRow): Temporal.PlainDateTime | undefined {
  const text = raw['updated'];
  const isTime = typeof text === 'string' && /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text);
  try {
    return isTime ? Temporal.PlainDateTime.from(text.replace(' ', 'T')) : undefined;
  } catch {
    return undefined;
  }
}

function pickDefined({ from, to }: Dates): { from?: Temporal.PlainDateTime; to?: Temporal.PlainDateTime } {
  return { ...(from && { from }), ...(to && { to }) };
}
