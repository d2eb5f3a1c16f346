import type { OrdersQuery } from './endpoints/orders.ts';

/**
 * Requests of one row each, of which a shop that is there answers one at least: the first order of its list may be one that it
 * cannot show, and a list without dates more than it can serve.
 *
 * @param now shop-local, give or take a day
 */
export function smallRequests(now: Temporal.PlainDateTime): readonly OrdersQuery[] {
  const dates = { dateFrom: now.subtract({ days: 7 }), dateTo: now.subtract({ days: 1 }) };
  return [{ limit: 1 }, { start: 1, limit: 1 }, { limit: 1, ...dates }];
}
