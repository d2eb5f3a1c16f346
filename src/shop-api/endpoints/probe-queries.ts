import type { OrdersQuery } from './list-orders.ts';

/** A request for nothing that is not repeated, which a shop that is up answers: of some second of a year before any shop. */
export function createUncachedQuery(): OrdersQuery {
  const seconds = Math.floor(Math.random() * 365 * 86_400);
  const dateFrom = Temporal.PlainDateTime.from('1971-01-01T00:00').add({ seconds });
  return { limit: 1, dateFrom, dateTo: dateFrom.add({ seconds: 1 }) };
}
