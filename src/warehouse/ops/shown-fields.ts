import { sql } from 'drizzle-orm';

import { ERASED_TEXT } from '../../erased.ts';
import type { Db } from '../db/database.ts';
import { fenced, type Lease } from './lease.ts';

/** A longer text is no choice from a list. */
const MAX_LENGTH = 200;

/**
 * Decides anew what `bi` shows of the extra fields of a shop's orders: keys, names, labels and values that enough
 * different customers share. A field's values are shown only if they make up at least half of its entries: a field of
 * names has a few common ones as well. Reads every order of the shop, and writes only what changed.
 *
 * @param minPeers how many customers must share a text; guests without any contact do not count, since they may all be
 *   one person
 * @returns how many fields have values, none of which is shown, and no row in `core.order_form_fields` yet
 * @throws LeaseLostError when another process took the lease; then nothing is written
 */
export async function refreshShownFields(db: Db, lease: Lease, minPeers: number): Promise<number> {
  const { shopId } = lease;
  const { rows } = await fenced(db, lease, (tx) =>
    tx.execute<{ waiting: number }>(sql`
      WITH entries AS MATERIALIZED (
        SELECT CASE WHEN o.customer_key NOT LIKE 'o:%' THEN o.customer_key END AS customer, f.key,
          nullif(btrim(f.value ->> 'value'), '') AS value, f.value ->> 'name' AS name, f.value ->> 'label' AS label
        FROM core.orders o
        CROSS JOIN LATERAL jsonb_each(CASE WHEN jsonb_typeof(o.fields) = 'object' THEN o.fields END) f
        WHERE o.shop_id = ${shopId} AND o.deleted_at IS NULL AND f.key !~ ${`^${ERASED_TEXT} \\d+$`}
      ), shared AS (
        SELECT key AS field_key, part, text, count(*) AS entries
        FROM entries
        CROSS JOIN LATERAL (VALUES ('key', key), ('name', name), ('label', label), ('value', value)) p (part, text)
        WHERE length(text) <= ${MAX_LENGTH} AND length(key) <= ${MAX_LENGTH} AND text <> ${ERASED_TEXT}
        GROUP BY key, part, text
        HAVING count(DISTINCT customer) >= ${minPeers}
      ), fields AS (
        SELECT field_key, f.entries, coalesce(s.entries, 0) * 2 >= f.entries AS is_category
        FROM (SELECT key AS field_key, count(value) AS entries FROM entries GROUP BY key) f
        LEFT JOIN (
          SELECT field_key, sum(entries) AS entries FROM shared WHERE part = 'value' GROUP BY field_key
        ) s USING (field_key)
      ), shown AS (
        SELECT field_key, part, text FROM shared JOIN fields USING (field_key) WHERE part <> 'value' OR is_category
      ), hidden AS (
        DELETE FROM core.shown_field_texts t
        WHERE t.shop_id = ${shopId} AND (t.field_key, t.part, t.text) NOT IN (TABLE shown)
      ), added AS (
        INSERT INTO core.shown_field_texts (shop_id, field_key, part, text)
        SELECT ${shopId}, field_key, part, text FROM shown
        ON CONFLICT DO NOTHING
      )
      SELECT count(*)::int AS waiting FROM fields f
      WHERE f.entries > 0 AND NOT f.is_category AND NOT EXISTS (
        SELECT FROM core.order_form_fields w WHERE w.shop_id = ${shopId} AND w.field_key = f.field_key)`),
  );
  return rows[0]?.waiting ?? 0;
}
