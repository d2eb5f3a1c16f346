/** What the warehouse holds of a person, and where somebody else's records may mention the person. */
import { type SQL, sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';
import { valuesIn } from '../db/upsert.ts';

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

/** Records that may mention one of the contacts in a text: candidates as well. Reads all texts of the shop. */
export async function findMentions(db: Db, shopId: number, search: PersonSearch) {
  const inText = (text: SQL) => holds(text, text, search);
  const orders = await db.execute<{ id: string }>(sql`
    SELECT p.order_id::text AS id FROM core.order_persons p WHERE p.shop_id = ${shopId} AND ${inText(sql`p::text`)}
    UNION
    SELECT o.order_id::text FROM core.orders o WHERE o.shop_id = ${shopId} AND (
      ${inText(sql`concat_ws(' ', o.color, o.currency, o.pay_method, o.discount_raw, o.delivery_name,
        o.order_hash)`)}
      OR ${inText(sql`concat_ws(' ', o.status_code, o.pay_status_code)`)})
    UNION
    SELECT h.order_id::text FROM core.order_history h
    WHERE h.shop_id = ${shopId} AND ${inText(sql`concat_ws(' ', h.status_code, h.pay_status_code)`)}
    UNION
    SELECT l.order_id::text FROM core.order_lines l
    WHERE l.shop_id = ${shopId} AND ${inText(sql`concat_ws(' ', l.code, l.product_name, l.sku, l.discount_raw)`)}`);
  const users = await db.execute<{ id: string }>(sql`
    SELECT p.user_oid::text AS id FROM core.user_persons p WHERE p.shop_id = ${shopId} AND ${inText(sql`p::text`)}`);
  return { orderIds: orders.rows.map(({ id }) => id), userOids: users.rows.map(({ id }) => id) };
}

function holds(email: SQL, phone: SQL, { emails, phoneEnds }: PersonSearch): SQL {
  return sql`(
    EXISTS (SELECT FROM ${valuesIn(emails, 'text')} AS sought (value) WHERE strpos(lower(ops.shown_text(${email})), sought.value) > 0)
    OR EXISTS (
      SELECT FROM ${valuesIn(phoneEnds, 'text')} AS sought (value)
      WHERE strpos(regexp_replace(ops.shown_text(${phone}), '\\D', '', 'g'), sought.value) > 0))`;
}
