import type { OrdersPage } from '../endpoints/list-orders.ts';
import type { Dates } from './asked-dates.ts';
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
  const query = toQuery(dates, start, book.profile);
  const page = await requestPage(deps, query);
  book.ends = addRows(book.ends ?? NO_ENDS, placeRows(deps, page.rows));
  const doubt = doubtFilter(deps, dates, page);
  if (doubt === undefined) return page;
  if (doubt === 'far off' && (query.dateFrom === undefined || query.dateTo === undefined)) {
    book.profile = learnBothDates(book.profile);
    return askPage(deps, dates, start);
  }
  await assertFiltersByCreation(deps, page.rows);
  return page;
}
