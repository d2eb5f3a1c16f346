/** What the warehouse holds of a person, where somebody else's records may mention the person, and how both are deleted. */
import { type SQL, sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { recordset, valuesIn, type WhichRows, whichRows } from '../db/upsert.ts';
import { keepNoVersions } from '../ops/change-stamp.ts';
import { PERSON, type PersonToKeep, type StoredPerson, writePersons } from './persons.ts';

/** An account or an order, and how to reach its person. */
export type PersonRecord = {
  /** Null: an account. */
  readonly orderId: string | null;
  /** The account; null for guests. */
  readonly userOid: string | null;
  /** Of an account: often its e-mail address. */
  readonly login: string | null;
  readonly email: string | null;
  readonly phone: string | null;
};

/** How to look for a person: the matches are candidates, to be compared in their normalized form. */
export type PersonSearch = {
  readonly userOids: readonly string[];
  /** Normalized addresses. */
  readonly emails: readonly string[];
  /** Ends of phone numbers, digits only. */
  readonly phoneEnds: readonly string[];
};

/** Accounts and orders that may be of the person. Reads all of the shop. */
export async function findPersonRecords(db: Db, shopId: number, search: PersonSearch) {
  const { rows } = await db.execute<PersonRecord>(sql`
    SELECT NULL::bigint AS "orderId", u.user_oid AS "userOid", p.login, p.email, p.phone FROM core.users u
    LEFT JOIN core.user_persons p ON p.shop_id = u.shop_id AND p.user_oid = u.user_oid
    WHERE u.shop_id = ${shopId} AND u.fetch_state NOT IN ('guest', 'erased')
      AND (u.user_oid IN ${valuesIn(search.userOids)} OR ${holds(sql`p.email`, sql`p.phone`, search)}
        OR ${holds(sql`p.login`, sql`p.login`, search)})
    UNION ALL
    SELECT o.order_id, CASE WHEN NOT o.is_guest THEN o.buyer_oid END, NULL, p.buyer_email, p.buyer_phone
    FROM core.orders o LEFT JOIN core.order_persons p ON p.shop_id = o.shop_id AND p.order_id = o.order_id
    WHERE o.shop_id = ${shopId}
      AND (o.buyer_oid IN ${valuesIn(search.userOids)} AND NOT o.is_guest
        OR ${holds(sql`p.buyer_email`, sql`p.buyer_phone`, search)})`);
  return rows;
}

/** Persons of orders and accounts whose texts may mention one of the contacts: candidates as well. Reads all of the shop. */
export async function findMentions(db: Db, shopId: number, search: PersonSearch) {
  const inText = holds(sql`p::text`, sql`p::text`, search);
  const find = async (table: SQL, key: SQL) => {
    const { rows } = await db.execute<{ id: string }>(sql`
      SELECT p.${key}::text AS id FROM ${table} p WHERE p.shop_id = ${shopId} AND ${inText}`);
    return rows.map(({ id }) => id);
  };
  return {
    orderIds: await find(sql`core.order_persons`, sql`order_id`),
    userOids: await find(sql`core.user_persons`, sql`user_oid`),
  };
}

function holds(email: SQL, phone: SQL, { emails, phoneEnds }: PersonSearch): SQL {
  return sql`(
    EXISTS (SELECT FROM ${valuesIn(emails, 'text')} AS sought (value) WHERE strpos(lower(ops.shown_text(${email})), sought.value) > 0)
    OR EXISTS (
      SELECT FROM ${valuesIn(phoneEnds, 'text')} AS sought (value)
      WHERE strpos(regexp_replace(ops.shown_text(${phone}), '\\D', '', 'g'), sought.value) > 0))`;
}

export type PersonalOrder = {
  readonly orderId: string;
  readonly buyerOid: string | null;
  readonly fingerprint: string;
  /** The row of `core.order_persons`; null: there is none. */
  readonly person: StoredPerson | null;
};

/** Stored orders, by id. @param which these, or the next of those that are stored with something of a person */
export async function readPersonalOrders(
  db: Db,
  shopId: number,
  which: WhichRows,
): Promise<readonly PersonalOrder[]> {
  const { isAsked, limit } = whichRows(sql`o.order_id`, which);
  const holdsPerson = sql`(o.fingerprint NOT LIKE 'p:%' OR p.order_id IS NOT NULL)`;
  const { rows } = await db.execute<PersonalOrder>(sql`
    SELECT o.order_id AS "orderId", o.buyer_oid AS "buyerOid", o.fingerprint, ${PERSON} AS person
    FROM core.orders o LEFT JOIN core.order_persons p ON p.shop_id = o.shop_id AND p.order_id = o.order_id
    WHERE o.shop_id = ${shopId} AND ${isAsked} AND (${'ids' in which} OR ${holdsPerson})
    ORDER BY o.order_id ${limit}`);
  return rows;
}

export type ForgottenOrder = {
  readonly orderId: string;
  readonly fingerprint: string;
  /** The number that takes the place of its account. */
  readonly standIn: string | undefined;
  /** What is kept of the person. */
  readonly person: PersonToKeep;
};

/** What the shop did is not changed: no lines are due, and nothing counts as changed there. */
export async function forgetOrders(
  tx: Tx,
  shopId: number,
  forgotten: readonly ForgottenOrder[],
): Promise<void> {
  if (forgotten.length === 0) return;
  const input = recordset({ orderId: 'bigint', fingerprint: 'text', standIn: 'bigint' }, forgotten);
  await keepNoVersions(tx);
  await tx.execute(sql`
    UPDATE core.orders o SET fingerprint = input.fingerprint, order_hash = NULL,
      buyer_oid = coalesce("standIn", o.buyer_oid), customer_key = coalesce('u:' || "standIn"::text, o.customer_key)
    FROM ${input} WHERE o.shop_id = ${shopId} AND o.order_id = "orderId"`);
  await tx.execute(sql`
    UPDATE core.order_versions v SET customer_key = 'u:' || "standIn"::text FROM ${input}
    WHERE v.shop_id = ${shopId} AND v.order_id = "orderId" AND "standIn" IS NOT NULL`);
  // A cast, since Citus updates rows by no function that may depend on the session, as `jsonb_build_object` may.
  await tx.execute(sql`
    UPDATE raw.orders r SET payload = (payload - 'hash') || coalesce(('{"master_oid": ' || "standIn"::text || '}')::jsonb, '{}')
    FROM ${input} WHERE r.shop_id = ${shopId} AND r.order_id = "orderId"`);
  const kept = forgotten.map(({ orderId, person }) => {
    return { orderId, person: person && { ...person, content_rest: null } };
  });
  await writePersons(tx, shopId, kept);
}
