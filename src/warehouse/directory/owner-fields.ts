/** What the owner of a warehouse says of a shop's extra order fields: which there are, and which of them `bi` shows. */
import { sql } from 'drizzle-orm';

import { TerminalError } from '../../model/errors.ts';
import type { Db, Tx } from '../db/database.ts';
import { oneRow } from '../db/rows.ts';
import { upsert } from '../db/upsert.ts';
import { orderFormFields } from '../schema/shops.ts';

/** A field of orders. Deleted orders do not count. */
export type OwnerField = {
  readonly key: string;
  /** Orders that have a value in it. */
  readonly orders: number;
  readonly customers: number;
  /** `waiting`: hidden, since nobody decided on it. */
  readonly reason: 'shown by owner' | 'hidden by owner' | 'waiting';
};

export type OwnerFields = {
  readonly fields: readonly OwnerField[];
  /** Fields whose key looks like no key, so that it may hold a person. */
  readonly unlisted: number;
  /** Fields that wait for the owner, those of `unlisted` included. */
  readonly waiting: number;
};

type FieldRow = Omit<OwnerField, 'reason'> & { readonly decided: boolean | null };

/** What keys of a form look like. */
const KEY = /^[a-z_]\w{0,62}$/i;

/** The fields of a shop, the most used first. Reads every order of it. */
export async function readOwnerFields(db: Db | Tx, shopId: number): Promise<OwnerFields> {
  const { rows } = await db.execute<FieldRow>(sql`
    WITH entries AS (
      SELECT f.key, o.customer_key, nullif(btrim(f.value ->> 'value'), '') AS value
      FROM core.orders o
      JOIN core.order_persons p ON p.shop_id = o.shop_id AND p.order_id = o.order_id
      CROSS JOIN LATERAL jsonb_each(CASE WHEN jsonb_typeof(p.fields) = 'object' THEN p.fields END) f
      WHERE o.shop_id = ${shopId} AND o.deleted_at IS NULL
    ), counted AS (
      SELECT key, count(value) AS orders, count(DISTINCT customer_key) FILTER (WHERE value IS NOT NULL) AS customers
      FROM entries GROUP BY key
    ), decided AS (
      SELECT field_key AS key, is_shown AS decided FROM core.order_form_fields WHERE shop_id = ${shopId}
    )
    SELECT key, coalesce(orders, 0)::int AS orders, coalesce(customers, 0)::int AS customers, decided
    FROM counted FULL JOIN decided USING (key)
    ORDER BY coalesce(orders, 0) DESC, key COLLATE "C"`);
  const listed = rows.filter(({ decided, key }) => decided !== null || KEY.test(key));
  return {
    fields: listed.map(({ decided, ...field }) => ({ ...field, reason: reasonOf(decided) })),
    unlisted: rows.length - listed.length,
    waiting: rows.filter(({ decided }) => decided === null).length,
  };
}

function reasonOf(decided: boolean | null): OwnerField['reason'] {
  if (decided === null) return 'waiting';
  return decided ? 'shown by owner' : 'hidden by owner';
}

/** Keys of the fields that `bi` shows. */
export async function readShownFields(db: Db, shopId: number): Promise<readonly string[]> {
  const { rows } = await db.execute<{ key: string }>(sql`
    SELECT field_key AS key FROM core.order_form_fields WHERE shop_id = ${shopId} AND is_shown`);
  return rows.map(({ key }) => key);
}

/**
 * Shows or hides a field in `bi`, at once and for all orders.
 *
 * @returns the fields afterwards; undefined where no order of the shop has such a field
 * @throws TerminalError for a login that is not the owner's
 */
export async function decideField(db: Db, shopId: number, key: string, isShown: boolean) {
  return db.transaction(async (tx) => {
    await assertOwner(tx);
    if (!(await hasField(tx, shopId, key))) return undefined;
    await upsert(tx, orderFormFields, [{ shop_id: shopId, field_key: key, is_shown: isShown }]);
    return readOwnerFields(tx, shopId);
  });
}

/** Workers have a role that may not decide this. */
async function assertOwner(tx: Tx): Promise<void> {
  const privilege = sql`SELECT has_table_privilege('core.order_form_fields', 'INSERT') AS may`;
  if ((await oneRow<{ may: boolean }>(tx, privilege)).may) return;
  throw new TerminalError(
    'only the owner of the tables may show or hide order fields: connect as it, not as a worker',
  );
}

async function hasField(tx: Tx, shopId: number, key: string): Promise<boolean> {
  const found = sql`
    SELECT EXISTS (
      SELECT FROM core.order_persons WHERE shop_id = ${shopId} AND jsonb_typeof(fields) = 'object' AND fields ? ${key}
    ) OR EXISTS (
      SELECT FROM core.order_form_fields WHERE shop_id = ${shopId} AND field_key = ${key}
    ) AS has`;
  return (await oneRow<{ has: boolean }>(tx, found)).has;
}
