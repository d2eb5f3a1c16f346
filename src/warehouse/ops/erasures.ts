import { sql } from 'drizzle-orm';

import type { Tx } from '../db/database.ts';
import { valuesIn } from '../db/upsert.ts';

/** Remembers erased persons by the hashes of their identifiers. */
export async function rememberErasures(tx: Tx, shopId: number, hashes: readonly string[]): Promise<void> {
  await tx.execute(sql`
    INSERT INTO ops.erasures (shop_id, identifier_hash)
    SELECT ${shopId}, value FROM ${valuesIn(hashes, 'text')} AS given (value)
    ON CONFLICT (shop_id, identifier_hash) DO NOTHING`);
}
