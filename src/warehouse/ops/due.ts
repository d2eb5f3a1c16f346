/** The one book of what is to be done later, but for days, which `ops.days` has. */
import { and, eq, sql } from 'drizzle-orm';

import { backOffMs } from '../../model/back-off.ts';
import type { Db, Tx } from '../db/database.ts';
import { upsert, valuesIn } from '../db/upsert.ts';
import { due, type DUE_KINDS } from '../schema/ops.ts';

export type DueKind = (typeof DUE_KINDS)[number];

/** Something that is to be done, once `due_at` is past; see the comments of the columns. */
export type DueRow = Omit<typeof due.$inferSelect, 'shop_id'>;

/** For what concerns one record, and costs a request each time. */
const LONGEST_PAUSE_MS = 4 * 24 * 3_600_000;
/** Of a smallint. */
export const MOST_ATTEMPTS = 32_767;

/** A record that is to be asked for again, after so many attempts that failed; after none, at once. */
export function toTriedRow(
  kind: DueKind,
  key: string,
  attempts: number,
  triedAt: Temporal.Instant,
  reason: string | null,
): DueRow {
  const milliseconds = attempts === 0 ? 0 : backOffMs(attempts, LONGEST_PAUSE_MS);
  const times = { due_at: triedAt.add({ milliseconds }), since: triedAt };
  return { kind, key, ...times, attempts: Math.min(attempts, MOST_ATTEMPTS), reason, data: null };
}

/** Writes rows; one that is there keeps since when it is. */
export async function putDue(tx: Tx, shopId: number, rows: readonly DueRow[]): Promise<void> {
  const input = rows.map((row) => ({ ...row, shop_id: shopId }));
  await upsert(tx, due, input, { insertOnly: ['since'] });
}

/** The only row of a kind that has one of a shop. */
export async function readDue(db: Db, shopId: number, kind: DueKind): Promise<DueRow | undefined> {
  const [row] = await db
    .select()
    .from(due)
    .where(and(eq(due.shop_id, shopId), eq(due.kind, kind)));
  return row;
}

export async function dropDue(tx: Tx, shopId: number, kind: DueKind, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.execute(sql`
    DELETE FROM ops.due WHERE shop_id = ${shopId} AND kind = ${kind} AND key IN ${valuesIn(keys, 'text')}`);
}

/** Makes everything of a kind due now that did not fail. */
export async function hurryDue(tx: Tx, shopId: number, kind: DueKind, now: Temporal.Instant): Promise<void> {
  await tx.execute(sql`
    UPDATE ops.due SET due_at = ${now.toString()}, attempts = 0 WHERE shop_id = ${shopId} AND kind = ${kind} AND reason IS NULL`);
}

/** After a clock that ran ahead: what it put off, days included, is tried again by the next sweep. */
export async function hurryPutOff(tx: Tx, shopId: number, now: Temporal.Instant): Promise<void> {
  await tx.execute(
    sql`UPDATE ops.days SET retry_at = NULL WHERE shop_id = ${shopId} AND retry_at IS NOT NULL`,
  );
  const at = sql`${now.toString()}::timestamptz`;
  await tx.execute(sql`UPDATE ops.due SET due_at = ${at} WHERE shop_id = ${shopId} AND due_at > ${at}`);
}

/** No facet is suspended for longer. */
export const MAX_SUSPENDED_HOURS = 24;

/** A facet that a shop is not asked to count, why, and until when. */
export type SuspendedCount = { shop_id: number; facet: string; reason: string; until: Temporal.Instant };

/** Counts of these shops that are suspended now. One whose time is too far ahead was written by a fast clock, and is ignored. */
export async function readSuspendedCounts(db: Db | Tx, shopIds: readonly number[], now: Temporal.Instant) {
  const { rows } = await db.execute<SuspendedCount>(sql`
    SELECT shop_id, key AS facet, coalesce(reason, '') AS reason, due_at AS until FROM ops.due
    WHERE shop_id IN ${valuesIn(shopIds.map(String))} AND kind = 'count'
      AND due_at > ${now.toString()} AND due_at <= ${now.add({ hours: MAX_SUSPENDED_HOURS }).toString()}
    ORDER BY shop_id, since, key`);
  return rows;
}

/** Suspends facets, and removes suspensions whose time is over. */
export async function suspendCounts(
  tx: Tx,
  shopId: number,
  input: readonly Omit<SuspendedCount, 'shop_id'>[],
  now: Temporal.Instant,
): Promise<void> {
  await tx.execute(sql`
    DELETE FROM ops.due WHERE shop_id = ${shopId} AND kind = 'count' AND due_at <= ${now.toString()}`);
  const own = { kind: 'count', since: now, attempts: 0, data: null } as const;
  await putDue(
    tx,
    shopId,
    input.map(({ facet, reason, until }) => ({ ...own, key: facet, reason, due_at: until })),
  );
}
