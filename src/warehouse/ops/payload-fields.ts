import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';

/** `form`: extra fields of the order form, by their keys. */
export type FieldResource = 'order' | 'line' | 'form';

/**
 * Adds fields that were not seen before. They are new to the operator if they are not read, the shop was loaded
 * before, and the names of its fields are known since.
 *
 * @param fields `is_read`: the program reads it
 * @param isLoaded whether every day of the shop had been verified once
 * @param at an instant before the records of these fields were listed, and after those of the run before
 */
export async function recordFields(
  db: Db,
  shopId: number,
  fields: readonly { readonly resource: FieldResource; readonly field: string; readonly is_read: boolean }[],
  isLoaded: boolean,
  at: Temporal.Instant,
): Promise<void> {
  await db.execute(sql`
    INSERT INTO ops.payload_fields (shop_id, resource, field, is_new, first_seen_at)
    SELECT ${shopId}, resource, field,
      ${isLoaded} AND NOT is_read AND EXISTS (SELECT FROM ops.payload_fields WHERE shop_id = ${shopId}), ${at.toString()}
    FROM json_to_recordset(${JSON.stringify(fields)}::json) AS g (resource text, field text, is_read boolean)
    ON CONFLICT (shop_id, resource, field) DO NOTHING`);
}

/** When each field of a shop's list rows was seen first. */
export async function readFieldTimes(db: Db, shopId: number): Promise<ReadonlyMap<string, Temporal.Instant>> {
  const { rows } = await db.execute<{ field: string; at: Temporal.Instant }>(sql`
    SELECT field, first_seen_at AS at FROM ops.payload_fields
    WHERE shop_id = ${shopId} AND resource = 'order'`);
  return new Map(rows.map(({ field, at }) => [field, at]));
}

/** Keys of extra order fields on which the owner of a shop has not decided, without those that look like no key; of all shops. */
export async function readHiddenFields(db: Db | Tx) {
  const { rows } = await db.execute<{ shop_id: number; field: string }>(sql`
    SELECT f.shop_id, f.field FROM ops.payload_fields f
    LEFT JOIN core.order_form_fields w ON w.shop_id = f.shop_id AND w.field_key = f.field
    WHERE f.resource = 'form' AND w.field_key IS NULL
    ORDER BY f.shop_id, f.field COLLATE "C"`);
  return rows.map(({ shop_id, field }) => ({ shopId: shop_id, key: field }));
}

/** Forgets the names of all fields: later sweeps record them anew, and none of them is new then. */
export async function forgetFields(tx: Tx, shopId: number): Promise<void> {
  await tx.execute(sql`DELETE FROM ops.payload_fields WHERE shop_id = ${shopId}`);
}
