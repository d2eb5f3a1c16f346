import type { ShopApi } from '../../shop-api/shop-api.ts';

/** No shop of the platform is taken to be older. */
const EARLIEST = Temporal.PlainDate.from('2000-01-01');

/**
 * Finds the first day that holds orders by halving the years since 2000: some fourteen requests of one row each. Only to
 * be shown: a passing empty answer may make it later than it is.
 *
 * @param latest the newest day to look at; returned when the shop holds no orders
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
