import { sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';

/** A code of the shop's own that nobody has classified yet. */
export type UnclassifiedCode = {
  readonly kind: 'order' | 'payment';
  readonly code: string;
  /** Orders that have it now. */
  readonly orders: number;
};

/** The codes of a shop that are still to be classified, the most used first. */
export async function readUnclassifiedCodes(db: Db, shopId: number): Promise<readonly UnclassifiedCode[]> {
  const { rows } = await db.execute<UnclassifiedCode>(sql`
    SELECT kind, code, orders::int AS orders FROM bi.unclassified_statuses WHERE shop_id = ${shopId}
    ORDER BY bi.unclassified_statuses.orders DESC, kind, code`);
  return rows;
}
