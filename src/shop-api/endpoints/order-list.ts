/** The list of one shop's orders: what its answers without rows mean, as far as other answers tell. */
import { TerminalError, TransientError } from '../../model/errors.ts';
import { createUncachedQuery } from './probe-queries.ts';
import type { ApiClient } from '../wire/api-request.ts';
import { listGroups } from './list-groups.ts';
import { isWidest, listOrders, type ListOptions, type OrdersPage, type OrdersQuery } from './list-orders.ts';

/** Limits that are tried where a shop does not serve the configured one: the documented default, and fewer. */
const LOWER_LIMITS = [100, 20];

/** Limits that may work where one does not, the largest first. */
export function lowerLimits(limit: number): readonly number[] {
  return LOWER_LIMITS.filter((lower) => lower < limit);
}

type Ask = (query: OrdersQuery, signal?: AbortSignal, options?: ListOptions) => Promise<OrdersPage>;

/** Makes `listOrders` of one shop. */
export function createOrderList(client: ApiClient): Ask {
  return withServedLimit(withOwnForms(client));
}

/** No list is that long. */
const BEYOND: OrdersQuery = { start: 1_000_000_000, limit: 1 };

/**
 * Where an answer without rows is no empty list, the shop is asked for what matches nothing. What differs from these answers
 * is a page that fails, as of an order that the shop cannot write.
 */
function withOwnForms(client: ApiClient): Ask {
  let own: Promise<ReadonlySet<string>> | undefined;
  const learn = async (signal: AbortSignal | undefined) => {
    const pages = [createUncachedQuery(), BEYOND].map(async (query) => listOrders(client, query, signal));
    return new Set((await Promise.all(pages)).flatMap(({ emptyForm }) => emptyForm ?? []));
  };
  const ask: Ask = async (query, signal, options) => {
    const page = await listOrders(client, query, signal, { ...options, emptyForms: await own });
    if (page.emptyForm === undefined || own !== undefined) return page;
    own = learn(signal);
    own.catch(() => (own = undefined));
    await own;
    // What came may have been a passing fault.
    return ask(query, signal, options);
  };
  return async (query, signal, options) => {
    try {
      return await ask(query, signal, options);
    } catch (error) {
      // That nothing is at the address looks like a shop without orders, until the API answers for its other list.
      if (!mayMeanNone(error) || !isWidest(query)) throw error;
      const isThere = await listGroups(client, { limit: 1 }, signal).then(
        () => true,
        () => false,
      );
      if (!isThere) throw error;
      return ask(query, signal, options);
    }
  };
}

const mayMeanNone = (error: unknown) =>
  (error instanceof TerminalError && error.status === 404) ||
  (error instanceof TransientError && error.status === 400);

/** Asks for fewer rows where the shop shows none because there were to be too many. */
function withServedLimit(list: Ask): Ask {
  let isTried = false;
  let highest = Number.POSITIVE_INFINITY;
  return async (query, signal, options) => {
    const ask = async (limit = query.limit) => {
      const asked = limit === undefined ? query : { ...query, limit: Math.min(limit, highest) };
      return list(asked, signal, options);
    };
    const page = await ask();
    const mayBeLimit = !isTried && page.received === 0 && isWidest(query);
    const lowers = mayBeLimit ? lowerLimits(query.limit ?? 0) : [];
    isTried ||= lowers.length > 0;
    for (const lower of lowers) {
      const shorter = await ask(lower);
      if (shorter.received === 0) continue;
      // The first answer may have been a passing fault.
      const again = await ask();
      if (again.received > 0) return again;
      highest = lower;
      return shorter;
    }
    return page;
  };
}
