import { and, desc, eq, isNotNull, isNull } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { days } from '../schema/ops.ts';

/** The newest days of a shop that could not be verified, and why. */
export async function readFailedDays(
  db: Db | Tx,
  shopId: number,
  limit: number,
): Promise<readonly { readonly day: string; readonly attempts: number; readonly error: string }[]> {
  const rows = await db
    .select({ day: days.day, attempts: days.attempts, error: days.last_error })
    .from(days)
    .where(and(eq(days.shop_id, shopId), isNull(days.verified_at), isNotNull(days.last_error)))
    .orderBy(desc(days.day))
    .limit(limit);
  return rows.map(({ error, ...row }) => ({ ...row, error: error ?? '' }));
}
