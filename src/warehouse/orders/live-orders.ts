import { sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';

const IS_LIVE = sql`missing_since IS NULL AND deleted_at IS NULL`;

/** Live orders of one month in one currency, and their sum as decimal text. */
export type MonthTotal = {
  /** Such as `2026-01`; null for orders without a readable date. */
  readonly month: string | null;
  /** '' without one. */
  readonly currency: string;
  readonly orders: number;
  readonly sum: string;
};

/** Days, both ends included; an undefined end is open. Orders without a date count if both ends are open. */
export type CountedDays = {
  readonly from: Temporal.PlainDate | undefined;
  readonly to: Temporal.PlainDate | undefined;
};

/** Totals of live orders per month and currency. */
export async function readMonthTotals(
  db: Db,
  shopId: number,
  days: CountedDays,
): Promise<readonly MonthTotal[]> {
  const { rows } = await db.execute<MonthTotal>(sql`
    SELECT to_char(created_on, 'YYYY-MM') AS month, coalesce(currency, '') AS currency, count(*)::int AS orders,
      coalesce(sum(order_sum), 0)::text AS sum
    FROM core.orders
    WHERE shop_id = ${shopId} AND ${IS_LIVE} AND ${isCounted(days)}
    GROUP BY 1, 2`);
  return rows;
}

/** Live orders with their days. @param seenBefore only those that were first seen before @default all */
export async function readLiveOrders(
  db: Db,
  shopId: number,
  days: CountedDays,
  seenBefore?: Temporal.Instant,
): Promise<readonly { readonly orderId: string; readonly day: string | undefined }[]> {
  const { rows } = await db.execute<{ order_id: string; day: string | null }>(sql`
    SELECT order_id, created_on::text AS day FROM core.orders
    WHERE shop_id = ${shopId} AND ${IS_LIVE} AND ${isCounted(days)}
      AND first_seen_at < ${seenBefore?.toString() ?? 'infinity'}`);
  return rows.map(({ order_id: orderId, day }) => ({ orderId, day: day ?? undefined }));
}

/** Live orders whose day is not verified, in the future, or unknown. */
export async function countOutsideLedger(
  db: Db,
  shopId: number,
): Promise<{ readonly orders: number; readonly undated: number }> {
  const { rows } = await db.execute<{ orders: number; undated: number }>(sql`
    SELECT count(*)::int AS orders, count(*) FILTER (WHERE o.created_on IS NULL)::int AS undated
    FROM core.orders o
    LEFT JOIN ops.days d ON d.shop_id = o.shop_id AND d.day = o.created_on AND d.verified_at IS NOT NULL
    WHERE o.shop_id = ${shopId} AND o.missing_since IS NULL AND o.deleted_at IS NULL AND d.day IS NULL`);
  return rows[0] ?? { orders: 0, undated: 0 };
}

/** Whether a shop has live orders without a readable date. */
export async function holdsUndated(db: Db, shopId: number): Promise<boolean> {
  const { rows } = await db.execute(sql`
    SELECT 1 FROM core.orders
    WHERE shop_id = ${shopId} AND created_local IS NULL AND ${IS_LIVE} LIMIT 1`);
  return rows.length > 0;
}

/** Whether live orders are stored without their persons, who may be stored. */
export async function hasPseudonymized(db: Db, shopId: number): Promise<boolean> {
  const { rows } = await db.execute(sql`
    SELECT 1 FROM core.orders WHERE shop_id = ${shopId} AND fingerprint LIKE 'p:%' AND ${IS_LIVE} LIMIT 1`);
  return rows.length > 0;
}

export async function countLiveOrders(db: Db, shopId: number): Promise<number> {
  const { rows } = await db.execute<{ orders: number }>(sql`
    SELECT count(*)::int AS orders FROM core.orders
    WHERE shop_id = ${shopId} AND ${IS_LIVE}`);
  return rows[0]?.orders ?? 0;
}

function isCounted({ from, to }: CountedDays) {
  if (from === undefined && to === undefined) return sql`true`;
  const first = from?.toString() ?? '-infinity';
  const last = to?.toString() ?? 'infinity';
  return sql`created_on BETWEEN ${first} AND ${last}`;
}
