/** One request of the order list: whether the shop fails at it while it answers others. */
import { TransientError, UnavailableError } from '../../model/errors.ts';
import type { Window } from '../../model/window.ts';
import {
  createUncachedQuery,
  isWidest,
  type ListRow,
  type OrdersPage,
  type OrdersQuery,
} from '../endpoints/list-orders.ts';
import type { ShopApi } from '../shop-api.ts';

/**
 * What was seen lately of how a shop's order list pages. These are hints: they size windows and say what `total` counts. None
 * of them replaces a request that a proof needs, since a shop changes its page cap and its `total` without a word.
 */
export type PageProfile = {
  /** `limit` of list requests: at least 2, since pages overlap in one row. */
  readonly limit: number;
  /** Rows of a full page, as far as one was seen; 0 before the first. */
  readonly pageRows: number;
  /** Whether `total` was the number of matching orders when that number was last proven. */
  readonly totalMeaning: 'unknown' | 'matches' | 'other';
};

export const unknownProfile = (limit: number): PageProfile => ({
  limit,
  pageRows: 0,
  totalMeaning: 'unknown',
});

/** A profile for requests with another `limit`. */
export const withLimit = (profile: PageProfile, limit: number): PageProfile =>
  profile.limit === limit ? profile : { ...profile, limit, pageRows: 0 };

/** Rows that a page is expected to hold; before the first full page, what is asked for. */
export const pageCapacity = ({ limit, pageRows }: PageProfile): number =>
  pageRows > 1 ? Math.min(limit, pageRows) : limit;

/** What a run learns of a shop while paging. */
export type PagingBook = {
  /** Hints as seen so far. */
  profile: PageProfile;
  /** The dates of a request select by when orders were placed. @default not known yet */
  isByCreation?: boolean;
  /** Rows of the longest list that came: the shop does not cut a shorter one. @default 0 */
  longestList?: number;
  /** Lower limits were tried, since the widest list holds nothing. @default not yet */
  isLimitTried?: boolean;
  /** Rows of the longest page that came. @default 0 */
  longestPage?: number;
  /** No row followed the one that came alone last. @default not known yet */
  isEndSeen?: boolean;
  /** A request failed after all attempts: others probably will too, and every attempt costs a pause. @default none did */
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

/** One request of the list fails after all attempts, while the shop answers others. */
export class PageFault extends TransientError {
  override readonly name = 'PageFault';
  constructor(error: TransientError) {
    super(error.message, { cause: error });
  }
}

const FEW_ATTEMPTS = { maxAttempts: 2 };

/** Limits that are tried where a shop does not serve the configured one: the documented default, and fewer. */
const LOWER_LIMITS = [100, 20];

/** Limits that may work where one does not, the largest first. */
function lowerLimits(limit: number): readonly number[] {
  return LOWER_LIMITS.filter((lower) => lower < limit);
}

/**
 * Requests a page. If that fails after all attempts, a request that matches nothing shows whether the shop is down, or does not serve as
 * many rows; where the widest list holds none, fewer are asked for. Of the limit that works, the run asks from then on.
 *
 * @throws PageFault if the shop answers a request that matches nothing; otherwise the error of the page
 */
export async function requestPage(deps: ListDeps, query: OrdersQuery): Promise<OrdersPage> {
  const { api, book, signal } = deps;
  const asked = query.limit ?? book.profile.limit;
  try {
    const page = await api.listOrders(query, signal, book.hasFailed === true ? FEW_ATTEMPTS : {});
    const mayBeLimit = page.received === 0 && book.isLimitTried !== true && isWidest(query);
    return mayBeLimit ? await requestFewer(deps, { ...query, limit: asked }, page) : page;
  } catch (error) {
    if (!isFailure(error) || signal?.aborted === true) throw error;
    const limit = await servedLimit(deps, asked);
    if (limit === undefined) throw error;
    book.hasFailed = true;
    if (limit === asked) throw new PageFault(error);
    book.profile = withLimit(book.profile, limit);
    return requestPage(deps, { ...query, limit });
  }
}

/** @returns undefined where the shop fails at the page alone */
export async function unlessFault(asked: Promise<OrdersPage>): Promise<OrdersPage | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof PageFault) return undefined;
    throw error;
  }
}

/** A page that holds nothing because there were to be too many rows, or because there is nothing. */
async function requestFewer(deps: ListDeps, query: OrdersQuery, none: OrdersPage): Promise<OrdersPage> {
  const { api, book, signal } = deps;
  book.isLimitTried = true;
  for (const limit of lowerLimits(query.limit ?? 0)) {
    const shorter = await api.listOrders({ ...query, limit }, signal);
    if (shorter.received === 0) continue;
    // The first answer may have been a passing fault.
    const again = await api.listOrders(query, signal);
    if (again.received > 0) return again;
    book.profile = withLimit(book.profile, limit);
    return shorter;
  }
  return none;
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
