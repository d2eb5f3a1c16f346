import { sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';

/** A code of the shop's own that is not classified yet. */
export type UnclassifiedCode = {
  readonly kind: 'order' | 'payment';
  readonly code: string;
  /** Current orders with it. */
  readonly orders: number;
};

/** The unclassified codes of a shop, the most used first. */
export async function readUnclassifiedCodes(db: Db, shopId: number): Promise<readonly UnclassifiedCode[]> {
  const { rows } = await db.execute<UnclassifiedCode>(sql`
    SELECT kind, code, orders::int AS orders FROM bi.unclassified_statuses WHERE shop_id = ${shopId}
    ORDER BY bi.unclassified_statuses.orders DESC, kind, code`);
  return rows;
}
