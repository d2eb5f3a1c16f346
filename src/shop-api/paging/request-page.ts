/** One request of the order list: whether the shop fails at it while it answers others. */
import { TransientError, UnavailableError } from '../../model/errors.ts';
import type { Window } from '../../model/window.ts';
import type { ListRow, OrdersPage, OrdersQuery } from '../endpoints/list-orders.ts';
import { createProbeQueries } from '../endpoints/probe-queries.ts';
import type { ShopApi } from '../shop-api.ts';
import { type Dates, FARTHEST, type KnownOrders } from './asked-dates.ts';
import { type Faults, NO_FAULTS } from './faults.ts';
import type { ListEnds } from './list-ends.ts';
import type { PageProfile } from './page-profile.ts';

/** What the dates of a request select by; `unclear` where no order shows it. */
export type DateFilter = 'created' | 'updated' | 'ignored' | 'unclear';

/** What is learned about a shop while paging; replaced at every lesson. */
type PagingBook = {
  /** Hints as seen so far. */
  profile: PageProfile;
  /** Requests that failed while others were answered. @default none did */
  faults?: Faults;
  /** Of all orders that this run was shown. */
  ends?: ListEnds;
  /** The farthest dates that the shop was seen to answer with orders. */
  farthest?: Partial<Dates>;
  /** What the dates of a request select by, as far as this run had to find out. */
  dateFilter?: DateFilter;
  /** Rows of the longest list of which both ends were confirmed: shorter ones were not cut. */
  confirmedRows?: number;
};

export type ListDeps = {
  readonly api: Pick<ShopApi, 'listOrders'>;
  readonly book: PagingBook;
  readonly now: () => Temporal.Instant;
  readonly signal?: AbortSignal | undefined;
};

export type PagingDeps = ListDeps & {
  /** The minute at which an order was created, shop-local; undefined where the row does not say. */
  readonly readCreated: (row: ListRow) => Temporal.PlainDateTime | undefined;
  /** The hour that a time lies in, where the shop's clocks show it twice. @default they never do */
  readonly shownTwice?: ((time: Temporal.PlainDateTime) => Window | undefined) | undefined;
};

export type WalkDeps = PagingDeps & {
  readonly known: KnownOrders;
  /** Asks beyond the newest row, too, where a single page agrees with its total. @default false */
  readonly confirmsEnds?: boolean | undefined;
};

/** A request that the shop answered, and the page it returned. */
export type Answered = { readonly query: OrdersQuery; readonly page: OrdersPage };

/** One request of the list fails for good, while the shop answers others. */
export class PageFault extends TransientError {
  override readonly name = 'PageFault';
  readonly query: OrdersQuery;
  /** What the shop answered instead; undefined where it did answer, with an order twice. */
  readonly answered: Answered | undefined;
  constructor(error: TransientError, query: OrdersQuery, answered: Answered | undefined) {
    super(error.message, { cause: error });
    this.query = query;
    this.answered = answered;
  }
}

/** Once a request has failed for good, others are likely to, and every attempt costs a pause. */
const FEW_ATTEMPTS = { maxAttempts: 2 };

/** Whether a list is asked for without any date, so that it holds the orders that have none as well. */
export const isUndated = ({ from, to }: Dates, { isUndatedPartial }: PageProfile): boolean =>
  from === undefined && to === undefined && !isUndatedPartial;

/** @param farthest dates for those that are left out, where the shop wants both */
export function toQuery(
  dates: Dates,
  start: number,
  profile: PageProfile,
  farthest: Partial<Dates> = {},
): OrdersQuery {
  const wantsDates = profile.wantsBothDates || profile.isUndatedPartial;
  const open = wantsDates && !isUndated(dates, profile) ? { ...FARTHEST, ...farthest } : dates;
  const [dateFrom, dateTo] = [dates.from ?? open.from, dates.to ?? open.to];
  return { start, limit: profile.limit, ...(dateFrom && { dateFrom }), ...(dateTo && { dateTo }) };
}

/**
 * Asks for a page. Where that fails for good, finds out whether the shop as a whole is down.
 *
 * @throws PageFault where the shop answers another request; else what it failed with
 */
export async function requestPage(deps: ListDeps, query: OrdersQuery): Promise<OrdersPage> {
  const { api, book, signal } = deps;
  try {
    return await api.listOrders(query, signal, book.faults && FEW_ATTEMPTS);
  } catch (error) {
    if (!isFailure(error) || signal?.aborted === true) throw error;
    const answered = await askAnything(deps);
    throw answered === undefined ? error : new PageFault(error, query, answered);
  }
}

/** The result, or the fault where the shop fails at this part of its list. @throws all else */
export async function unlessFault<Result>(asked: Promise<Result>): Promise<Result | PageFault> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof PageFault) return error;
    throw error;
  }
}

/** Whether a request failed although the shop may be up: it did not request a pause. */
export function isFailure(error: unknown): error is TransientError {
  if (!(error instanceof TransientError) || error instanceof UnavailableError) return false;
  return error.retryAfterMs === undefined;
}

/** One row of the list, by the request that was answered last. Undefined where no request is answered. */
async function askAnything({ api, book, now, signal }: ListDeps): Promise<Answered | undefined> {
  const requests = createProbeQueries(now().toZonedDateTimeISO('UTC').toPlainDateTime());
  const first = book.faults?.answered ?? 0;
  for (let asked = 0; asked < requests.length; asked++) {
    const index = (first + asked) % requests.length;
    try {
      const query = requests[index] ?? {};
      const page = await api.listOrders(query, signal, FEW_ATTEMPTS);
      book.faults = { ...(book.faults ?? NO_FAULTS), answered: index };
      return { query, page };
    } catch (error) {
      if (!isFailure(error) || signal?.aborted === true) throw error;
    }
  }
  return undefined;
}
