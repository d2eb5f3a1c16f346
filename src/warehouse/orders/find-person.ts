/** What the warehouse holds of a person, to find all that identifies the person. */
import { type SQL, sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';
import { valuesIn } from '../db/upsert.ts';

/** An account or an order, and how to reach its person. */
export type PersonRecord = {
  readonly source: 'user' | 'order';
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
export async function findPersonRecords(
  db: Db,
  shopId: number,
  search: PersonSearch,
): Promise<readonly PersonRecord[]> {
  const { rows } = await db.execute<{
    source: 'user' | 'order';
    user_oid: string | null;
    login: string | null;
    email: string | null;
    phone: string | null;
  }>(sql`
    SELECT 'user' AS source, user_oid, login, email, phone FROM core.users
    WHERE shop_id = ${shopId} AND fetch_state NOT IN ('guest', 'erased')
      AND (user_oid IN ${valuesIn(search.userOids)} OR ${matches(sql`email`, sql`phone`, search)}
        OR ${matches(sql`login`, sql`login`, search)})
    UNION
    SELECT 'order', CASE WHEN NOT is_guest THEN buyer_oid END, NULL, buyer_email, buyer_phone FROM core.orders
    WHERE shop_id = ${shopId}
      AND (buyer_oid IN ${valuesIn(search.userOids)} AND NOT is_guest
        OR ${matches(sql`buyer_email`, sql`buyer_phone`, search)})`);
  return rows.map(({ user_oid: userOid, ...record }) => ({ ...record, userOid }));
}

function matches(email: SQL, phone: SQL, { emails, phoneEnds }: PersonSearch): SQL {
  return sql`(
    EXISTS (SELECT FROM ${valuesIn(emails, 'text')} AS e (value) WHERE strpos(lower(${email}), e.value) > 0)
    OR EXISTS (
      SELECT FROM ${valuesIn(phoneEnds, 'text')} AS p (value)
      WHERE strpos(regexp_replace(${phone}, '\\D', '', 'g'), p.value) > 0))`;
}
