import { type SQL, sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import type { ChangeAgesRecord } from '../schema/ops.ts';

/** At which age of an order its changes were first seen, in days: half of them by `p50`, 99 of 100 by `p99`. */
export type ChangeAges = ChangeAgesRecord;

/** Limits of the ages by which changes are counted, in days. */
const AGE_LIMITS = [1, 2, 7, 14, 30, 60, 90, 180, 365] as const;

/** Of a shop without changes, or one that nobody has counted yet. */
export const NO_CHANGES: ChangeAges = {
  changes: 0,
  p50: 0,
  p99: 0,
  max: 0,
  by_age: [...AGE_LIMITS, null].map((under_days) => ({ under_days, changes: 0 })),
};

/** Ages of the changes kept in the history; all 0 where there are none yet. */
export async function readChangeAges(db: Db | Tx, shopId: number): Promise<ChangeAges> {
  const { rows } = await db.execute<ChangeAges>(sql`
    WITH ages AS (
      SELECT greatest(0, extract(epoch FROM h.observed_at - o.created_at) / 86400)::float8 AS age
      FROM core.order_history h JOIN core.orders o USING (shop_id, order_id)
      WHERE h.shop_id = ${shopId} AND NOT h.is_initial AND o.created_at IS NOT NULL
    )
    SELECT count(*)::int AS changes, coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY age), 0) AS p50,
      coalesce(percentile_cont(0.99) WITHIN GROUP (ORDER BY age), 0) AS p99, coalesce(max(age), 0) AS max,
      json_build_array(${sql.join(ageGroups(), sql`, `)}) AS by_age
    FROM ages`);
  return rows[0] ?? NO_CHANGES;
}

/** Each from the limit before to its own; the last has none. */
function ageGroups(): SQL[] {
  return [...AGE_LIMITS, null].map((limit, index) => {
    const atLeast = sql.raw(String(AGE_LIMITS[index - 1] ?? 0));
    const isWithin =
      limit === null ? sql`age >= ${atLeast}` : sql`age >= ${atLeast} AND age < ${sql.raw(String(limit))}`;
    return sql`json_build_object('under_days', ${sql.raw(String(limit))}, 'changes', count(*) FILTER (WHERE ${isWithin}))`;
  });
}
