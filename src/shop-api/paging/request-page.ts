/** One request of the order list: whether the shop fails at it while it answers others. */
import { TransientError, UnavailableError } from '../../model/errors.ts';
import type { Window } from '../../model/window.ts';
import type { ListRow, OrdersPage, OrdersQuery } from '../endpoints/list-orders.ts';
import { lowerLimits } from '../endpoints/order-list.ts';
import { createUncachedQuery } from '../endpoints/probe-queries.ts';
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
  /** Rows of the longest page that came. @default 0 */
  longestPage?: number;
  /** A row was missing behind one that came alone. @default none was */
  hidesRows?: boolean;
  /** A request failed for good: others are likely to, and every attempt costs a pause. @default none did */
  hasFailed?: boolean;
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

const FEW_ATTEMPTS = { maxAttempts: 2 };

/**
 * Asks for a page. Where that fails for good, a request for nothing shows whether the shop is down, or does not serve as
 * many rows; then fewer are asked for from now on.
 *
 * @throws PageFault where the shop answers a request for nothing; else what it failed with
 */
export async function requestPage(deps: ListDeps, query: OrdersQuery): Promise<OrdersPage> {
  const { api, book, signal } = deps;
  try {
    return await api.listOrders(query, signal, book.hasFailed === true ? FEW_ATTEMPTS : {});
  } catch (error) {
    if (!isFailure(error) || signal?.aborted === true) throw error;
    const asked = query.limit ?? book.profile.limit;
    const limit = await servedLimit(deps, asked);
    if (limit === undefined) throw error;
    book.hasFailed = true;
    if (limit === asked) throw new PageFault(error);
    book.profile = withLimit(book.profile, limit);
    return requestPage(deps, { ...query, limit });
  }
}

/** The largest limit at which the shop answers a request for nothing; undefined where it answers none. */
async function servedLimit({ api, signal }: ListDeps, asked: number): Promise<number | undefined> {
  for (const limit of [asked, ...lowerLimits(asked)]) {
    try {
      await api.listOrders({ ...createUncachedQuery(), limit }, signal, FEW_ATTEMPTS);
      return limit;
    } catch (error) {
      if (!isFailure(error) || signal?.aborted === true) throw error;
    }
  }
  return undefined;
}

/** Whether a request failed although the shop may be up: it did not request a pause. */
function isFailure(error: unknown): error is TransientError {
  if (!(error instanceof TransientError) || error instanceof UnavailableError) return false;
  return error.retryAfterMs === undefined;
}
