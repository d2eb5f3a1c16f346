import { type SQL, sql } from 'drizzle-orm';

import { BELIEVE_LIST_AFTER_MS } from '../../model/missing-orders.ts';
import type { Tx } from '../db/database.ts';
import { readDatabaseClock } from '../db/instant.ts';
import { valuesIn } from '../db/upsert.ts';
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
  readonly doubted: readonly string[];
  /** In doubt before, and no more. */
  readonly settled: readonly string[];
};

/** @param at the instant that the walk describes */
export async function markOrders(
  tx: Tx,
  shopId: number,
  { deleted = [], doubted = [], missing = [], returned = [], settled = [] }: Partial<Marks>,
  at: Temporal.Instant,
): Promise<void> {
  const isMarked = sql`(missing_since IS NOT NULL OR deleted_at IS NOT NULL)`;
  await mark(tx, shopId, returned, sql`missing_since = NULL, deleted_at = NULL`, isMarked);
  await mark(tx, shopId, missing, sql`missing_since = ${at.toString()}`, sql`missing_since IS NULL`);
  const isMarkable = sql`missing_since IS NOT NULL AND deleted_at IS NULL`;
  await mark(tx, shopId, deleted, sql`deleted_at = ${at.toString()}`, isMarkable);
  await dropDue(tx, shopId, 'missing', settled);
  if (doubted.length === 0) return;
  // Since another process may look at them next.
  const since = await readDatabaseClock(tx);
  const due_at = since.add({ milliseconds: BELIEVE_LIST_AFTER_MS });
  const row = { kind: 'missing', due_at, since, attempts: 0, reason: null, data: null } as const;
  await putDue(
    tx,
    shopId,
    doubted.map((key) => ({ ...row, key })),
  );
}

async function mark(tx: Tx, shopId: number, ids: readonly string[], marks: SQL, condition: SQL) {
  if (ids.length === 0) return;
  await tx.execute(sql`
    UPDATE core.orders SET ${marks} WHERE shop_id = ${shopId} AND ${condition} AND order_id IN ${valuesIn(ids)}`);
}
