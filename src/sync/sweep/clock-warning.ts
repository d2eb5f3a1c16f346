import type { ShopZone } from '../../normalize/local-time.ts';
import { createdMinute } from '../../normalize/order.ts';
import { type ClockSkew, clockSkew, clockSkewText, MOST_AHEAD_HOURS } from '../../plan/clock/clock-skew.ts';
import type { ListRow } from '../../shop-api/endpoints/list-orders.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { readNeighbours } from '../../warehouse/orders/stored-orders.ts';
import { byTime, EVER, isBefore } from '../../model/window.ts';

/** A warning if the newest stored order shows that the time zone or a clock is wrong. Queries only the database. */
export async function heldClockWarning(
  db: Db,
  shopId: number,
  timezone: string,
  now: Temporal.Instant,
): Promise<string | undefined> {
  const [newest] = await readNeighbours(db, shopId, 'before', latest(now, timezone), 1);
  const skew = newest && clockSkew(newest.createdLocal, newest.firstSeenAt, timezone);
  return skew && clockSkewText(skew, timezone);
}

/**
 * The same for orders that the shop lists as placed from now on. One request: even an incomplete page shows that
 * something is wrong.
 */
export async function listedClockSkew(
  api: Pick<ShopApi, 'listOrders'>,
  { timezone, pageLimit }: { readonly timezone: string; readonly pageLimit: number },
  now: Temporal.Instant,
  signal: AbortSignal,
): Promise<ClockSkew | undefined> {
  const dateTo = latest(now, timezone);
  const dateFrom = now.toZonedDateTimeISO(timezone).toPlainDateTime();
  const { rows } = await api.listOrders({ limit: pageLimit, dateFrom, dateTo }, signal);
  const newest = newestCreated(rows, { timezone }, dateTo);
  return newest && clockSkew(newest, now, timezone);
}

/** When the newest of listed orders was placed. @param until what is dated later does not count */
export function newestCreated(rows: readonly ListRow[], shop: ShopZone, until = EVER.to) {
  const times = rows.flatMap(({ raw }) => createdMinute(raw, shop) ?? []);
  return times
    .filter((time) => !isBefore(until, time))
    .toSorted(byTime)
    .at(-1);
}

/** Later dates say nothing about a clock. */
function latest(now: Temporal.Instant, timezone: string): Temporal.PlainDateTime {
  return now.toZonedDateTimeISO(timezone).add({ hours: MOST_AHEAD_HOURS }).toPlainDateTime();
}
