import { TransientError, UnavailableError } from '../../errors.ts';
import type { ListRow, OrdersPage, OrdersQuery } from '../endpoints/orders.ts';
import { smallRequests } from '../probe-requests.ts';
import type { Dates, PagingDeps } from './ask-page.ts';
import { NO_FAULTS } from './faults.ts';

/** A request that the shop answers, and how. */
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

/** Once a request has failed for good, others are expected to, and every try costs a pause. */
const FEW_TRIES = { maxTries: 2 };

/**
 * Asks for a page. Where that fails for good, finds out whether the shop as a whole is away.
 *
 * @throws PageFault where the shop answers another request; else what it failed with
 */
export async function requestPage(deps: ListDeps, query: OrdersQuery, dates: Dates): Promise<OrdersPage> {
  const { api, book, signal } = deps;
  try {
    return await api.listOrders(query, signal, book.faults && FEW_TRIES);
  } catch (error) {
    if (!isFailure(error) || signal?.aborted === true) throw error;
    const answered = await askAnything(deps);
    if (answered === undefined) throw error;
    throw new PageFault(error, { dates, end: (query.start ?? 0) + (query.limit ?? 0), answered });
  }
}

/** What the shop answers, or that it fails at this part of its list. @throws all else */
export async function unlessFault<Result>(asked: Promise<Result>): Promise<Result | 'fault'> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof PageFault) return 'fault';
    throw error;
  }
}

/** Whether a request failed though the shop may be there: it did not ask for a pause. */
export function isFailure(error: unknown): error is TransientError {
  if (!(error instanceof TransientError) || error instanceof UnavailableError) return false;
  return error.retryAfterMs === undefined;
}

/** One row of the list, by the request that was answered last. Undefined where no request is answered. */
async function askAnything({ api, book, now, signal }: ListDeps): Promise<Answered | undefined> {
  const requests = smallRequests(now().toZonedDateTimeISO('UTC').toPlainDateTime());
  const first = book.faults?.answered ?? 0;
  for (let asked = 0; asked < requests.length; asked++) {
    const index = (first + asked) % requests.length;
    try {
      const query = requests[index] ?? {};
      const page = await api.listOrders(query, signal, { maxTries: 2 });
      book.faults = { ...(book.faults ?? NO_FAULTS), answered: index };
      return { query, page };
    } catch (error) {
      if (!isFailure(error) || signal?.aborted === true) throw error;
    }
  }
  return undefined;
}
