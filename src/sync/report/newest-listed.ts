import { createdMinute } from '../../normalize/order.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import { byTime } from '../../window.ts';

/** No zone is further from UTC. */
const MOST_OFFSET_HOURS = 14;

/**
 * When the newest order of a shop was placed, in the shop's own time, whatever its zone. One request or two, and a
 * guess: a page may be incomplete.
 */
export async function newestListed(
  api: Pick<ShopApi, 'listOrders'>,
  limit: number,
  now: Temporal.Instant,
  signal: AbortSignal,
): Promise<Temporal.PlainDateTime | undefined> {
  const utc = now.toZonedDateTimeISO('UTC').toPlainDateTime();
  const dateTo = utc.add({ hours: MOST_OFFSET_HOURS });
  const dateFrom = utc.subtract({ days: 1, hours: MOST_OFFSET_HOURS });
  const lately = await api.listOrders({ limit, dateFrom, dateTo }, signal);
  const { rows } = lately.rows.length > 0 ? lately : await api.listOrders({ limit }, signal);
  return rows
    .flatMap(({ raw }) => createdMinute(raw, { timezone: 'UTC' }) ?? [])
    .filter((created) => Temporal.PlainDateTime.compare(created, dateTo) <= 0)
    .toSorted(byTime)
    .at(-1);
}
