import type { OrdersQuery } from './list-orders.ts';

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

/** A request for nothing that is not repeated: of some second of a year before any shop. */
export function createUncachedQuery(): OrdersQuery {
  const seconds = Math.floor(Math.random() * 365 * 86_400);
  const dateFrom = Temporal.PlainDateTime.from('1971-01-01T00:00').add({ seconds });
  return { limit: 1, dateFrom, dateTo: dateFrom.add({ seconds: 1 }) };
}
