import type { OrdersPage, OrdersQuery } from '../endpoints/list-orders.ts';
import { type Dates, FARTHEST, knowsFarthest, nearerThanFarthest } from './asked-dates.ts';
import { assertFiltersByCreation, doubtFilter } from './date-filter.ts';
import { addRows, NO_ENDS, placeRows } from './list-ends.ts';
import { learnBothDates } from './page-profile.ts';
import { type PagingDeps, requestPage, toQuery } from './request-page.ts';

/**
 * Asks for one page. Where the shop ignores a single date, asks again with both, from then on.
 *
 * @throws FilterFault when the dates do not select the page's rows by the time of creation, as far as can be told
 * @throws PageFault when this request fails for good while others are answered
 */
export async function askPage(deps: PagingDeps, dates: Dates, start: number): Promise<OrdersPage> {
  const { book } = deps;
  const query = toQuery(dates, start, book.profile, book.farthest);
  const page = await requestPage(deps, query);
  book.ends = addRows(book.ends ?? NO_ENDS, placeRows(deps, page.rows));
  const far = farthestIn(query);
  if (page.received > 0) book.farthest = { ...far, ...book.farthest };
  else if (start === 0 && !knowsFarthest(book.farthest, far)) return askNearer(deps, dates, page);
  const doubt = doubtFilter(deps, dates, page);
  if (doubt === undefined) return page;
  if (doubt === 'far off' && (query.dateFrom === undefined || query.dateTo === undefined)) {
    book.profile = learnBothDates(book.profile);
    return askPage(deps, dates, start);
  }
  await assertFiltersByCreation(deps, page.rows);
  return page;
}

const farthestIn = ({ dateFrom, dateTo }: OrdersQuery): Partial<Dates> => ({
  ...(dateFrom?.equals(FARTHEST.from) === true && { from: FARTHEST.from }),
  ...(dateTo?.equals(FARTHEST.to) === true && { to: FARTHEST.to }),
});

/** The page, by nearer dates: some shops know none before 2000, or in years to come, and find nothing. */
async function askNearer(deps: PagingDeps, dates: Dates, empty: OrdersPage): Promise<OrdersPage> {
  const { book } = deps;
  const nearer = nearerThanFarthest(deps.now().toZonedDateTimeISO('UTC').toPlainDateTime());
  const closed = {
    from: dates.from?.equals(FARTHEST.from) === false ? dates.from : nearer.from,
    to: dates.to?.equals(FARTHEST.to) === false ? dates.to : nearer.to,
  };
  const page = await requestPage(deps, toQuery(closed, 0, book.profile));
  if (page.received === 0) return empty;
  book.farthest = nearer;
  return page;
}
