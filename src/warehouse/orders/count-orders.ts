/** Counts live orders by what a shop's own filters tell apart, to compare them with what the shop counts. */
import { type SQL, sql } from 'drizzle-orm';

import { type Facet, type HeldCount, SUM_STEPS } from '../../order-facets.ts';
import { CODE_FORM } from '../../shown-code.ts';
import type { Db } from '../db/database.ts';

/** Both ends included. */
type Days = { readonly from: Temporal.PlainDate; readonly to: Temporal.PlainDate };

const STEPS = sql.raw(`'{${SUM_STEPS.join(',')}}'::numeric[]`);

const isCounted = (shopId: number, { from, to }: Days): SQL => sql`
  shop_id = ${shopId} AND missing_since IS NULL AND deleted_at IS NULL
    AND created_on BETWEEN ${from.toString()} AND ${to.toString()}`;

/** One statement for all facets. @returns also the status codes that the warehouse knows, but for those that it hides */
export async function countHeldOrders(
  db: Db,
  shopId: number,
  days: Days,
): Promise<{ readonly held: readonly HeldCount[]; readonly statuses: readonly string[] }> {
  const { rows } = await db.execute<{
    status: string;
    is_asked: boolean;
    pay_status: string | null;
    steps: number | null;
    orders: number | null;
  }>(sql`
    SELECT s.status_code AS status, s.is_documented OR s.status_code ~ ${CODE_FORM} AS is_asked,
      o.pay_status, o.steps, o.orders
    FROM core.order_statuses s
    LEFT JOIN (
      SELECT status_code, pay_status_code AS pay_status, width_bucket(coalesce(order_sum, 0), ${STEPS}) AS steps,
        count(*)::int AS orders
      FROM core.orders WHERE ${isCounted(shopId, days)}
      GROUP BY 1, 2, 3
    ) o USING (status_code)
    WHERE s.shop_id = ${shopId}`);
  return {
    held: rows.flatMap(({ status, pay_status: payStatus, steps, orders }) =>
      payStatus === null || steps === null || orders === null ? [] : [{ status, payStatus, steps, orders }],
    ),
    statuses: [...new Set(rows.flatMap(({ status, is_asked }) => (is_asked ? [status] : [])))],
  };
}

/** Live orders that a facet finds, by the shop's day; days without any are left out. */
export async function countHeldByDay(
  db: Db,
  shopId: number,
  days: Days,
  facet: Facet,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.execute<{ day: string; orders: number }>(sql`
    SELECT created_on::text AS day, count(*)::int AS orders FROM core.orders
    WHERE ${isCounted(shopId, days)} AND ${isFound(facet)}
    GROUP BY created_on`);
  return new Map(rows.map(({ day, orders }) => [day, orders]));
}

function isFound(facet: Facet): SQL {
  if (facet.by === 'all') return sql`true`;
  if (facet.by === 'summ_from') return sql`order_sum >= ${facet.amount}`;
  return facet.by === 'status' ? sql`status_code = ${facet.code}` : sql`pay_status_code = ${facet.code}`;
}
