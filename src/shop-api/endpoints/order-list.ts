/** The list of one shop's orders: what an answer without rows means, by other answers. */
import { TerminalError, TransientError } from '../../model/errors.ts';
import type { ApiClient } from '../wire/api-request.ts';
import { listGroups } from './list-groups.ts';
import {
  createUncachedQuery,
  isWidest,
  listOrders,
  type ListOptions,
  type OrdersPage,
  type OrdersQuery,
} from './list-orders.ts';

type Ask = (query: OrdersQuery, signal?: AbortSignal, options?: ListOptions) => Promise<OrdersPage>;

/**
 * Makes `listOrders` of one shop. An answer without rows in another form than the one to a request for nothing is a page that
 * fails, as of an order that the shop cannot write.
 */
export function createOrderList(client: ApiClient): Ask {
  let own: Promise<string | undefined> | undefined;
  return async (query, signal, options) => {
    const ask = async () => listIfThere(client, query, signal, options);
    const page = await ask();
    if (page.emptyForm === undefined) return page;
    own ??= listOrders(client, createUncachedQuery(), signal).then(({ emptyForm }) => emptyForm);
    own.catch(() => (own = undefined));
    const none = await own;
    // What came may have been a passing fault.
    const again = page.emptyForm === none ? page : await ask();
    if (again.emptyForm === undefined || again.emptyForm === none) return again;
    throw new TransientError(`the shop answered with ${again.emptyForm} instead of data`, {
      scope: 'record',
    });
  };
}

/** That nothing is at the address looks like a shop without orders, until the API answers for its other list. */
async function listIfThere(
  client: ApiClient,
  ...[query, signal, options]: Parameters<Ask>
): Promise<OrdersPage> {
  try {
    return await listOrders(client, query, signal, options);
  } catch (error) {
    if (!mayMeanNone(error) || !isWidest(query)) throw error;
    const isThere = await listGroups(client, { limit: 1 }, signal).then(
      () => true,
      () => false,
    );
    if (!isThere) throw error;
    return listOrders(client, query, signal, options);
  }
}

const mayMeanNone = (error: unknown) =>
  (error instanceof TerminalError && error.status === 404) ||
  (error instanceof TransientError && error.status === 400);
