/** One request of the order list: whether the shop respects its dates, and fails at it while it answers others. */
import { TerminalError, TransientError, UnavailableError } from '../../errors.ts';
import { EVER, isInWindow, type Window, windowText } from '../../window.ts';
import type { ListRow, OrdersPage, OrdersQuery } from '../endpoints/list-orders.ts';
import { createProbeQueries } from '../probe-queries.ts';
import type { ShopApi } from '../shop-api.ts';
import { type Dates, FARTHEST, type KnownOrders } from './asked-dates.ts';
import { type Faults, NO_FAULTS } from './faults.ts';
import { learnBothDates, type PageProfile } from './page-profile.ts';

/** What is learned about a shop while paging; replaced at every lesson. */
type PagingBook = {
  /** Hints as seen so far. */
  profile: PageProfile;
  /** Requests that failed while others were answered. @default none did */
  faults?: Faults;
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
};

export type WalkDeps = PagingDeps & { readonly known: KnownOrders };

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

/** A larger share of rows far outside what was asked for is no oddity of single orders. */
const MAX_FAR_SHARE = 0.05;
/** Once a request has failed for good, others are likely to, and every attempt costs a pause. */
const FEW_ATTEMPTS = { maxAttempts: 2 };

/**
 * Asks for one page. Where the shop ignores a single date, asks again with both, from then on.
 *
 * @throws TerminalError when the server does not filter by the date of creation
 * @throws PageFault when this request fails for good while others are answered
 */
export async function askPage(deps: PagingDeps, dates: Dates, start: number): Promise<OrdersPage> {
  const { book } = deps;
  const query = toQuery(dates, start, book.profile);
  const page = await requestPage(deps, query);
  if (!isFarOff(deps, dates, page) && !isFilteredByUpdate(deps, dates, page)) return page;
  if (query.dateFrom === undefined || query.dateTo === undefined) {
    book.profile = learnBothDates(book.profile);
    return askPage(deps, dates, start);
  }
  const asked = windowText({ from: dates.from ?? EVER.from, to: dates.to ?? EVER.to });
  throw new TerminalError(
    `the shop was asked for orders of ${asked}, and answered with others: it ignores date_from ` +
      'and date_to, or filters by another date. Its orders cannot be synced by day; ask the platform which date the ' +
      'filter uses.',
  );
}

export function toQuery({ from, to }: Dates, start: number, profile: PageProfile): OrdersQuery {
  const isDated = from !== undefined || to !== undefined;
  const open = profile.wantsBothDates && isDated ? FARTHEST : { from: undefined, to: undefined };
  const [dateFrom, dateTo] = [from ?? open.from, to ?? open.to];
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

/** Too many rows lie more than two days outside: no filter by whole days or in another zone brings rows that far. */
function isFarOff(deps: PagingDeps, dates: Dates, page: OrdersPage): boolean {
  const far = countOutside(deps, widen(dates, { days: 2 }, { days: 2 }), page);
  return far > 1 && far > page.rows.length * MAX_FAR_SHARE;
}

/** Some rows were created outside of the dates, and all were updated within them. */
function isFilteredByUpdate(deps: PagingDeps, dates: Dates, page: OrdersPage): boolean {
  const asked = widen(dates, { minutes: 1 }, { minutes: 2 });
  if (countOutside(deps, asked, page) === 0) return false;
  return page.rows.every((row) => {
    const updated = readUpdated(row);
    return updated !== undefined && isInWindow(asked, updated);
  });
}

function widen({ from, to }: Dates, below: Temporal.DurationLike, above: Temporal.DurationLike): Window {
  return { from: from?.subtract(below) ?? EVER.from, to: to?.add(above) ?? EVER.to };
}

function countOutside({ readCreated }: PagingDeps, window: Window, { rows }: OrdersPage): number {
  return rows.filter((row) => {
    const created = readCreated(row);
    return created !== undefined && !isInWindow(window, created);
  }).length;
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
