import { sql } from 'drizzle-orm';

import type { Db } from '../../src/warehouse/db/database.ts';

/** Shows fields of order forms in `bi`, as their owner does. */
export async function showFields(db: Db, shopId: number, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await db.execute(sql`
      INSERT INTO core.order_form_fields (shop_id, field_key, is_shown) VALUES (${shopId}, ${key}, true)
      ON CONFLICT (shop_id, field_key) DO UPDATE SET is_shown = true`);
  }
}
