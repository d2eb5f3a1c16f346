import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';

export type FieldResource = 'order' | 'line';

export type SeenField = {
  readonly resource: FieldResource;
  readonly field: string;
  /** Whether the program reads it. */
  readonly is_read: boolean;
};

/**
 * Adds fields that were not seen before. They are new to the operator if they are not read, the shop was loaded
 * before, and the names of its fields are known since.
 *
 * @param isLoaded whether every day of the shop had been verified once
 */
export async function recordFields(
  db: Db,
  shopId: number,
  fields: readonly SeenField[],
  isLoaded: boolean,
): Promise<void> {
  await db.execute(sql`
    INSERT INTO ops.payload_fields (shop_id, resource, field, is_new)
    SELECT ${shopId}, resource, field,
      ${isLoaded} AND NOT is_read AND EXISTS (SELECT FROM ops.payload_fields WHERE shop_id = ${shopId})
    FROM json_to_recordset(${JSON.stringify(fields)}::json) AS g (resource text, field text, is_read boolean)
    ON CONFLICT (shop_id, resource, field) DO NOTHING`);
}

/** Forgets the names of all fields: later sweeps record them anew, and none of them is new then. */
export async function forgetFields(tx: Tx, shopId: number): Promise<void> {
  await tx.execute(sql`DELETE FROM ops.payload_fields WHERE shop_id = ${shopId}`);
}
