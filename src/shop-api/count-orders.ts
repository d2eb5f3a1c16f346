import { TransientError } from '../model/errors.ts';
import type { ShopApi } from './shop-api.ts';
import type { ImpersonalFilter, OrderFilters, OrdersQuery } from './endpoints/list-orders.ts';

/** What orders may be counted by: the documented filters that concern no person. */
type CountFilter = Pick<OrdersQuery, 'dateFrom' | 'dateTo'> & {
  readonly filters?: Pick<OrderFilters, ImpersonalFilter>;
};

/**
 * How many orders match, by the shop's own count: one request of one row. Evidence, never proof: whether `total` counts what
 * matches is not documented.
 *
 * @throws TransientError where the answer holds no count, or contradicts it; what `listOrders` throws
 */
export async function countOrders(
  api: Pick<ShopApi, 'listOrders'>,
  filter: CountFilter,
  signal: AbortSignal,
): Promise<number> {
  const { received, total } = await api.listOrders({ ...filter, limit: 1 }, signal, { maxAttempts: 2 });
  const count = total ?? 0;
  if (count > 0 !== received > 0) {
    throw new TransientError('the answer has no count of the orders', { scope: 'record' });
  }
  return count;
}
