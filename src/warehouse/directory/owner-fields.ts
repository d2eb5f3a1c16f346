/** What the owner of a warehouse says of a shop's extra order fields: which there are, and which of them `bi` shows. */
import { sql } from 'drizzle-orm';

import { ERASED_TEXT } from '../../erased.ts';
import { TerminalError } from '../../errors.ts';
import type { Db, Tx } from '../db/database.ts';
import { readShopState, updateShopState } from '../ops/stored-shop-state.ts';
import { orderFormFields } from '../schema/shops.ts';

/** A field whose key `bi` shows. Deleted orders do not count. */
export type OwnerField = {
  readonly key: string;
  /** Orders that have a value in it. */
  readonly orders: number;
  readonly customers: number;
  /** Orders whose value `bi` shows. */
  readonly orders_shown: number;
  /** Why that is so. `waiting`: it has values that nobody decided on, and too few customers share them. */
  readonly reason: 'shown by owner' | 'hidden by owner' | 'shared' | 'waiting' | 'empty';
};

export type OwnerFields = {
  readonly fields: readonly OwnerField[];
  /** Fields whose key `bi` does not show: few customers share it, so it may hold a person. */
  readonly unlisted: number;
  /** Fields that wait for the owner, those of `unlisted` included. */
  readonly waiting: number;
  /** As many customers must share what is shown without the owner's word; null: no sweep has decided yet. */
  readonly minPeers: number | null;
};

type FieldRow = Omit<OwnerField, 'reason'> & {
  readonly decided: boolean | null;
  readonly is_key_shared: boolean | null;
  readonly is_shared: boolean | null;
};

/** The fields of a shop, the most used first. Reads every order of it. */
export async function readOwnerFields(db: Db | Tx, shopId: number): Promise<OwnerFields> {
  const { rows } = await db.execute<FieldRow>(sql`
    WITH entries AS MATERIALIZED (
      SELECT f.key, o.customer_key, nullif(btrim(f.value ->> 'value'), '') AS value
      FROM core.orders o
      CROSS JOIN LATERAL jsonb_each(CASE WHEN jsonb_typeof(o.fields) = 'object' THEN o.fields END) f
      WHERE o.shop_id = ${shopId} AND o.deleted_at IS NULL AND f.key !~ ${`^${ERASED_TEXT} \\d+$`}
    ), counted AS (
      SELECT e.key, count(e.value) AS orders, count(t.text) AS orders_shared,
        count(DISTINCT e.customer_key) FILTER (WHERE e.value IS NOT NULL) AS customers
      FROM entries e
      LEFT JOIN core.shown_field_texts t
        ON t.shop_id = ${shopId} AND t.field_key = e.key AND t.part = 'value' AND t.text = e.value
      GROUP BY e.key
    ), decided AS (
      SELECT field_key AS key, is_shown AS decided FROM core.order_form_fields WHERE shop_id = ${shopId}
    ), shared AS (
      SELECT field_key AS key, bool_or(part = 'key') AS is_key_shared, bool_or(part = 'value') AS is_shared
      FROM core.shown_field_texts WHERE shop_id = ${shopId} GROUP BY field_key
    )
    SELECT key, coalesce(orders, 0)::int AS orders, coalesce(customers, 0)::int AS customers,
      (CASE decided WHEN true THEN coalesce(orders, 0) WHEN false THEN 0 ELSE orders_shared END)::int AS orders_shown,
      decided, is_key_shared, is_shared
    FROM counted FULL JOIN decided USING (key) LEFT JOIN shared USING (key)
    ORDER BY coalesce(orders, 0) DESC, key COLLATE "C"`);
  const all = rows.map((row) => ({ ...row, reason: reasonOf(row) }));
  const shown = all.filter(({ decided, is_key_shared }) => decided !== null || is_key_shared === true);
  const state = await readShopState(db, shopId);
  return {
    fields: shown.map(({ decided: _decided, is_key_shared: _key, is_shared: _value, ...field }) => field),
    unlisted: all.length - shown.length,
    waiting: all.filter(({ reason }) => reason === 'waiting').length,
    minPeers: state?.fields_min_peers ?? null,
  };
}

function reasonOf({ decided, orders, is_shared }: FieldRow): OwnerField['reason'] {
  if (decided !== null) return decided ? 'shown by owner' : 'hidden by owner';
  if (orders === 0) return 'empty';
  return is_shared === true ? 'shared' : 'waiting';
}

/**
 * Shows or hides a field in `bi`, at once and for all orders.
 *
 * @param now when, for the state of the shop, which counts the fields that wait
 * @returns the fields afterwards; undefined where no order of the shop has such a field
 * @throws TerminalError for a login that is not the owner's
 */
export async function decideField(
  db: Db,
  shopId: number,
  key: string,
  isShown: boolean,
  now: Temporal.Instant,
): Promise<OwnerFields | undefined> {
  return db.transaction(async (tx) => {
    await assertOwner(tx);
    if (!(await hasField(tx, shopId, key))) return undefined;
    await tx
      .insert(orderFormFields)
      .values({ shop_id: shopId, field_key: key, is_shown: isShown })
      .onConflictDoUpdate({
        target: [orderFormFields.shop_id, orderFormFields.field_key],
        set: { is_shown: isShown },
      });
    const after = await readOwnerFields(tx, shopId);
    // A sweep that is running writes only what it changed itself, so this stays.
    if (after.minPeers !== null) await updateShopState(tx, shopId, { fields_waiting: after.waiting }, now);
    return after;
  });
}

/** Workers have a role that may not decide this. */
async function assertOwner(tx: Tx): Promise<void> {
  const { rows } = await tx.execute<{ may: boolean }>(sql`
    SELECT has_table_privilege('core.order_form_fields', 'INSERT') AS may`);
  if (rows[0]?.may === true) return;
  throw new TerminalError(
    'only the owner of the tables may show or hide order fields: connect as it, not as a worker',
  );
}

async function hasField(tx: Tx, shopId: number, key: string): Promise<boolean> {
  const { rows } = await tx.execute<{ has: boolean }>(sql`
    SELECT EXISTS (
      SELECT FROM core.orders WHERE shop_id = ${shopId} AND jsonb_typeof(fields) = 'object' AND fields ? ${key}
    ) OR EXISTS (
      SELECT FROM core.order_form_fields WHERE shop_id = ${shopId} AND field_key = ${key}
    ) AS has`);
  return rows[0]?.has === true;
}
