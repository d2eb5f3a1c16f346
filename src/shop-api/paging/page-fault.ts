import { TransientError, UnavailableError } from '../../errors.ts';
import type { ListRow, OrdersPage, OrdersQuery } from '../endpoints/list-orders.ts';
import { createProbeQueries } from '../probe-queries.ts';
import type { Dates } from './dates.ts';
import type { PagingDeps } from './paging-deps.ts';
import { NO_FAULTS } from './faults.ts';

/** A request that the shop answered, and the page it returned. */
export type Answered = { readonly query: OrdersQuery; readonly page: OrdersPage };

/** One request of the list fails for good, while the shop answers others. */
export class PageFault extends TransientError {
  override readonly name = 'PageFault';
  readonly dates: Dates;
  /** The position after the page that was asked for. */
  readonly end: number;
  /** What the shop answered instead; undefined where it did answer, with an order twice. */
  readonly answered: Answered | undefined;
  /** Orders that came for nearer dates; undefined where none were asked for. */
  rows: readonly ListRow[] | undefined;
  constructor(error: TransientError, asked: Pick<PageFault, 'dates' | 'end' | 'answered'>) {
    super(error.message, { cause: error });
    this.dates = asked.dates;
    this.end = asked.end;
    this.answered = asked.answered;
  }
}

type ListDeps = Pick<PagingDeps, 'api' | 'book' | 'now' | 'signal'>;

/** Once a request has failed for good, others are likely to, and every attempt costs a pause. */
const FEW_ATTEMPTS = { maxAttempts: 2 };

/**
 * Asks for a page. Where that fails for good, finds out whether the shop as a whole is down.
 *
 * @throws PageFault where the shop answers another request; else what it failed with
 */
export async function requestPage(deps: ListDeps, query: OrdersQuery, dates: Dates): Promise<OrdersPage> {
  const { api, book, signal } = deps;
  try {
    return await api.listOrders(query, signal, book.faults && FEW_ATTEMPTS);
  } catch (error) {
    if (!isFailure(error) || signal?.aborted === true) throw error;
    const answered = await askAnything(deps);
    if (answered === undefined) throw error;
    throw new PageFault(error, { dates, end: (query.start ?? 0) + (query.limit ?? 0), answered });
  }
}

/** The result, or 'fault' where the shop fails at this part of its list. @throws all else */
export async function unlessFault<Result>(asked: Promise<Result>): Promise<Result | 'fault'> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof PageFault) return 'fault';
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
      const page = await api.listOrders(query, signal, { maxAttempts: 2 });
      book.faults = { ...(book.faults ?? NO_FAULTS), answered: index };
      return { query, page };
    } catch (error) {
      if (!isFailure(error) || signal?.aborted === true) throw error;
    }
  }
  return undefined;
}
