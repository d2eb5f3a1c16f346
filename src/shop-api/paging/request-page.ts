/** One request of the order list: whether the shop fails at it while it answers others. */
import { TransientError, UnavailableError } from '../../model/errors.ts';
import type { Window } from '../../model/window.ts';
import type { ListRow, OrdersPage, OrdersQuery } from '../endpoints/list-orders.ts';
import { lowerLimits } from '../endpoints/order-list.ts';
import { createProbeQueries, createUncachedQuery } from '../endpoints/probe-queries.ts';
import type { ShopApi } from '../shop-api.ts';
import { type PageProfile, withLimit } from './page-profile.ts';

/** What the dates of a request select by; `unclear` where no order shows it. */
export type DateFilter = 'created' | 'updated' | 'ignored' | 'unclear';

/** What a run learns of a shop while paging. */
export type PagingBook = {
  /** Hints as seen so far. */
  profile: PageProfile;
  /** What the dates of a request select by. @default not known yet */
  dateFilter?: DateFilter;
  /** Rows of the longest list that came: the shop does not cut a shorter one. @default 0 */
  longestList?: number;
  /** Which of the small requests was answered last, after a page that failed. @default none failed */
  answered?: number;
  /** A limit that is known not to be what the shop fails at. @default none */
  soundLimit?: number;
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

/** One request of the list fails for good, while the shop answers others. */
export class PageFault extends TransientError {
  override readonly name = 'PageFault';
  constructor(error: TransientError) {
    super(error.message, { cause: error });
  }
}

/** Once a request has failed for good, others are likely to, and every attempt costs a pause. */
const FEW_ATTEMPTS = { maxAttempts: 2 };

/**
 * Asks for a page, which may be outdated. Where that fails for good, finds out whether the shop as a whole is down.
 *
 * @throws PageFault where the shop answers another request; else what it failed with
 */
export async function requestPage(deps: ListDeps, query: OrdersQuery): Promise<OrdersPage> {
  const { api, book, signal } = deps;
  try {
    const attempts = book.answered === undefined ? {} : FEW_ATTEMPTS;
    return await api.listOrders(query, signal, { ...attempts, mayBeOutdated: true });
  } catch (error) {
    if (!isFailure(error) || signal?.aborted === true) throw error;
    if (!(await isAnythingAnswered(deps))) throw error;
    const limit = await servedLimit(deps, query.limit ?? 1);
    if (limit === query.limit) throw new PageFault(error);
    if (limit === 1) throw error;
    book.profile = withLimit(book.profile, limit);
    return requestPage(deps, { ...query, limit });
  }
}

/** The largest limit at which the shop answers a request for nothing, 1 at last; found out once in a run. */
async function servedLimit(deps: ListDeps, limit: number): Promise<number> {
  const { book } = deps;
  if (book.soundLimit === limit) return limit;
  for (const tried of [limit, ...lowerLimits(limit), 1]) {
    if (!(await isAnswered(deps, { ...createUncachedQuery(), limit: tried }))) continue;
    book.soundLimit = tried;
    return tried;
  }
  // Of a shop that does not answer that at all, nothing follows.
  return limit;
}

async function isAnswered({ api, signal }: ListDeps, query: OrdersQuery): Promise<boolean> {
  try {
    await api.listOrders(query, signal, { ...FEW_ATTEMPTS, mayBeOutdated: true });
    return true;
  } catch (error) {
    if (!isFailure(error) || signal?.aborted === true) throw error;
    return false;
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
function isFailure(error: unknown): error is TransientError {
  if (!(error instanceof TransientError) || error instanceof UnavailableError) return false;
  return error.retryAfterMs === undefined;
}

/** Whether the shop answers a request of one row, first by the one that was answered last. */
async function isAnythingAnswered(deps: ListDeps): Promise<boolean> {
  const { book, now } = deps;
  const requests = createProbeQueries(now().toZonedDateTimeISO('UTC').toPlainDateTime());
  for (let asked = 0; asked < requests.length; asked++) {
    const index = ((book.answered ?? 0) + asked) % requests.length;
    if (!(await isAnswered(deps, requests[index] ?? {}))) continue;
    book.answered = index;
    return true;
  }
  return false;
}
