import { sql } from 'drizzle-orm';

import { BELIEVE_LIST_AFTER_MS } from '../../model/missing-orders.ts';
import type { Tx } from '../db/database.ts';
import { readDatabaseClock } from '../db/rows.ts';
import { recordset } from '../db/upsert.ts';
import { dropDue, putDue } from '../ops/due.ts';

/** What a proven walk says of stored orders, by id. */
export type Marks = {
  /** Not listed, and gone. One that is marked keeps its time. */
  readonly missing: readonly string[];
  /** Missing before, and looked for once more. */
  readonly deleted: readonly string[];
  /** Seen again: their marks go. */
  readonly returned: readonly string[];
  /** Not listed, and not known to be gone. */
  readonly unresolved: readonly string[];
  /** Unresolved before, and no longer. */
  readonly resolved: readonly string[];
};

/** @param at the instant that the walk describes */
export async function markOrders(
  tx: Tx,
  shopId: number,
  { deleted = [], unresolved = [], missing = [], returned = [], resolved = [] }: Partial<Marks>,
  at: Temporal.Instant,
): Promise<void> {
  const marks = Object.entries({ deleted, missing, returned }).flatMap(([mark, ids]) =>
    ids.map((order_id) => ({ order_id, mark })),
  );
  // A Citus hands on CASE without what follows it: each WHEN says all of its condition.
  if (marks.length > 0)
    await tx.execute(sql`
      UPDATE core.orders o SET
        missing_since = CASE WHEN mark <> 'returned' THEN coalesce(missing_since, ${at.toString()}) END,
        deleted_at = CASE WHEN mark = 'deleted' THEN ${at.toString()}::timestamptz WHEN mark = 'missing' THEN deleted_at END
      FROM ${recordset({ order_id: 'bigint', mark: 'text' }, marks)}
      WHERE o.shop_id = ${shopId} AND o.order_id = input.order_id AND CASE
        WHEN mark = 'returned' THEN missing_since IS NOT NULL OR deleted_at IS NOT NULL
        WHEN mark = 'missing' THEN missing_since IS NULL
        ELSE missing_since IS NOT NULL AND deleted_at IS NULL END`);
  await dropDue(tx, shopId, 'missing', resolved);
  if (unresolved.length === 0) return;
  // Since another process may look at them next.
  const since = await readDatabaseClock(tx);
  const due_at = since.add({ milliseconds: BELIEVE_LIST_AFTER_MS });
  const row = { kind: 'missing', due_at, since, attempts: 0, reason: null, data: null } as const;
  const rows = unresolved.map((key) => ({ ...row, key }));
  await putDue(tx, shopId, rows);
}
