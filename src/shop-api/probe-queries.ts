import type { OrdersQuery } from './endpoints/list-orders.ts';

/**
 * Requests of one row each, of which a shop that is up answers at least one: it may be unable to show the first order of
 * its list, or to serve a list without dates.
 *
 * @param now shop-local, give or take a day
 */
export function createProbeQueries(now: Temporal.PlainDateTime): readonly OrdersQuery[] {
  const dates = { dateFrom: now.subtract({ days: 7 }), dateTo: now.subtract({ days: 1 }) };
  return [{ limit: 1 }, { start: 1, limit: 1 }, { limit: 1, ...dates }];
}
