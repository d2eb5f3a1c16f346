import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { valuesIn } from '../db/upsert.ts';

/** Remembers erased persons by the hashes of their identifiers, as not yet erased from what is stored. */
export async function rememberErasures(tx: Tx, shopId: number, hashes: readonly string[]): Promise<void> {
  await tx.execute(sql`
    INSERT INTO ops.erasures (shop_id, identifier_hash)
    SELECT ${shopId}, value FROM ${valuesIn(hashes, 'text')} AS given (value)
    ON CONFLICT (shop_id, identifier_hash) DO UPDATE SET completed_at = NULL`);
}

/** Records that nothing stored holds the erased persons any more. */
export async function completeErasures(tx: Tx, shopId: number): Promise<void> {
  await tx.execute(sql`
    UPDATE ops.erasures SET completed_at = now() WHERE shop_id = ${shopId} AND completed_at IS NULL`);
}

/** What the owner, and the customers, let `bi` show of extra order fields. */
export type ShownTexts = {
  /** Keys whose every value is shown. */
  readonly keys: ReadonlySet<string>;
  /** Keys with a row in `core.order_form_fields`, and texts that many share, as {@link shownText}. */
  readonly texts: ReadonlySet<string>;
};

export async function readShownTexts(db: Db, shopId: number): Promise<ShownTexts> {
  const { rows } = await db.execute<{ field_key: string; part: string; text: string }>(sql`
    SELECT field_key, part, text FROM core.shown_field_texts WHERE shop_id = ${shopId}
    UNION ALL
    SELECT field_key, CASE WHEN is_shown THEN 'all' ELSE 'key' END, field_key
    FROM core.order_form_fields WHERE shop_id = ${shopId}`);
  return {
    keys: new Set(rows.flatMap(({ field_key, part }) => (part === 'all' ? [field_key] : []))),
    texts: new Set(rows.map(({ field_key, part, text }) => shownText(field_key, part, text))),
  };
}

export function shownText(key: string, part: string, text: string): string {
  return JSON.stringify([key, part, text]);
}
