/** Reads stored payloads in batches by key, to normalize them again. */
import { sql } from 'drizzle-orm';

import type { Cleared, Profile } from '../../model/persons.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Db, Tx } from '../db/database.ts';
import { oneRow } from '../db/rows.ts';
import { update, type WhichRows, whichRows } from '../db/upsert.ts';
import { PERSON, PROFILE, type StoredPerson } from '../orders/persons.ts';
import { STRIPPED_FORM } from '../schema/orders.ts';
import { rawUsers } from '../schema/raw.ts';

/** What is known to be impersonal of a record. */
type Payload = { readonly payload: JsonValue; readonly fetchedAt: Temporal.Instant };

export type RawOrder = Payload & {
  readonly key: string;
  /** The answer for its lines, and when it came; null: there is none. */
  readonly content: JsonValue;
  readonly contentAt: Temporal.Instant | null;
  /** What is stored of its person; null: nothing. */
  readonly person: StoredPerson | null;
  /** What is stored of the person of its account. */
  readonly profile: Profile;
  /** The row in core; null where it could not be normalized so far. */
  readonly stored: {
    /** It is stored without its person: neither the customer nor what was left out can be made anew. */
    readonly isStripped: boolean;
    readonly customerKey: string;
    readonly buyerOid: string | null;
  } | null;
};

export type RawUser = Payload & {
  readonly key: string;
  /** The profile and other fields of the account's person; null: nothing is stored. */
  readonly person: { readonly content: JsonValue; readonly rest: JsonValue } | null;
  /** When it was last requested, and the result. A payload that was received but could not be normalized counts as received. */
  readonly lastAt: Temporal.Instant;
  readonly lastState: string;
};

export type RawGroup = Payload & {
  readonly key: string;
  /** Absent when the tree was last read. */
  readonly isGone: boolean;
};

export async function countRaw(db: Db, shopId: number) {
  const counted = sql`
    SELECT (SELECT count(*)::int FROM raw.orders WHERE shop_id = ${shopId}) AS orders,
      (SELECT count(*)::int FROM raw.users WHERE shop_id = ${shopId} AND payload IS NOT NULL) AS users,
      (SELECT count(*)::int FROM raw.user_groups WHERE shop_id = ${shopId}) AS user_groups`;
  return oneRow<Record<'orders' | 'users' | 'user_groups', number>>(db, counted);
}

/** By number. @param which these, or the next of all */
export async function readRawOrders(
  db: Db | Tx,
  shopId: number,
  which: WhichRows,
): Promise<readonly RawOrder[]> {
  const { isAsked, limit } = whichRows(sql`r.order_id`, which);
  const { rows } = await db.execute<RawOrder>(sql`
    SELECT r.order_id AS key, r.payload, r.fetched_at AS "fetchedAt", c.payload AS content, c.fetched_at AS "contentAt",
      CASE WHEN o.order_id IS NOT NULL THEN json_build_object('isStripped', o.fingerprint ~ ${STRIPPED_FORM},
        'customerKey', o.customer_key, 'buyerOid', o.buyer_oid::text) END AS stored,
      CASE WHEN u.user_oid IS NOT NULL THEN json_build_array(${PROFILE}) ELSE '[]' END AS profile, ${PERSON} AS person
    FROM raw.orders r
    LEFT JOIN raw.order_contents c ON c.shop_id = r.shop_id AND c.order_id = r.order_id
    LEFT JOIN core.orders o ON o.shop_id = r.shop_id AND o.order_id = r.order_id
    LEFT JOIN core.order_persons p ON p.shop_id = r.shop_id AND p.order_id = r.order_id
    LEFT JOIN core.user_persons u ON u.shop_id = r.shop_id AND u.user_oid = o.buyer_oid
    WHERE r.shop_id = ${shopId} AND ${isAsked} ORDER BY r.order_id ${limit}`);
  return rows;
}

/** @param after the last one read */
export async function readRawUsers(db: Db, shopId: number, after: string | undefined, limit: number) {
  const { rows } = await db.execute<RawUser>(sql`
    SELECT r.user_key AS key, r.payload, r.fetched_at AS "fetchedAt", coalesce(u.fetched_at, r.fetched_at) AS "lastAt",
      CASE WHEN u.user_oid IS NULL OR u.fetched_at = r.fetched_at THEN 'ok' ELSE u.fetch_state END AS "lastState",
      CASE WHEN p.user_oid IS NOT NULL THEN jsonb_build_object('content', p.content, 'rest', p.rest) END AS person
    FROM raw.users r LEFT JOIN core.users u ON u.shop_id = r.shop_id AND u.user_oid = r.user_key::bigint
    LEFT JOIN core.user_persons p ON p.shop_id = r.shop_id AND p.user_oid = r.user_key::bigint
    WHERE r.shop_id = ${shopId} AND r.payload IS NOT NULL AND r.user_key > ${after ?? ''}
    ORDER BY r.user_key LIMIT ${limit}`);
  return rows;
}

/** @param after the last one read */
export async function readRawGroups(db: Db, shopId: number, after: string | undefined, limit: number) {
  const next = whichRows(sql`r.group_oid`, { after, limit });
  const { rows } = await db.execute<RawGroup>(sql`
    SELECT r.group_oid AS key, r.payload, r.fetched_at AS "fetchedAt",
      r.fetched_at < (SELECT max(fetched_at) FROM raw.user_groups WHERE shop_id = ${shopId}) AS "isGone"
    FROM raw.user_groups r WHERE r.shop_id = ${shopId} AND ${next.isAsked} ORDER BY r.group_oid ${next.limit}`);
  return rows;
}

/** Writes payloads of users that are divided in another way now. Their times stay: they are those of the shop's answers. */
export async function replaceUserPayloads(
  tx: Tx,
  shopId: number,
  input: readonly { readonly key: string; readonly payload: Cleared<JsonObject> }[],
): Promise<void> {
  const rows = input.map(({ key, payload }) => ({ user_key: key, payload }));
  await update(tx, rawUsers, shopId, rows);
}
