import type { ShopApi } from '../../shop-api/shop-api.ts';

/** No shop is assumed to be older. */
const EARLIEST = Temporal.PlainDate.from('2000-01-01');

/**
 * Finds the first day with orders by binary search since 2000: about fourteen requests of one row each. For display
 * only: a temporary empty response makes the result too late.
 *
 * @param latest the newest day to look at; returned when the shop has no orders
 */
export async function findFirstDay(
  api: Pick<ShopApi, 'listOrders'>,
  latest: Temporal.PlainDate,
  signal: AbortSignal,
): Promise<Temporal.PlainDate> {
  let low = EARLIEST;
  let high = latest;
  while (Temporal.PlainDate.compare(low, high) < 0) {
    const middle = low.add({ days: Math.floor(low.until(high).total('days') / 2) });
    const { received } = await api.listOrders(
      { limit: 1, dateTo: middle.toPlainDateTime('23:59:59') },
      signal,
    );
    if (received > 0) high = middle;
    else low = middle.add({ days: 1 });
  }
  return low;
}
