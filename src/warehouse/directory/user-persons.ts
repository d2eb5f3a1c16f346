/** What is stored of the persons of accounts: in `core.user_persons`, and nowhere else. */
import { sql } from 'drizzle-orm';

import type { Cleared } from '../../cleared.ts';
import type { JsonValue } from '../../json.ts';
import type { Db, Tx } from '../db/database.ts';
import { storableJson } from '../db/pg-json.ts';
import { recordset, upsert, valuesIn, type WhichRows, whichRows } from '../db/upsert.ts';
import { userPersons } from '../schema/users.ts';

type PersonRecord = Required<typeof userPersons.$inferInsert>;

/** What an account says of its person; null: nothing is stored. */
export type UserPersonToKeep = {
  readonly userOid: string;
  readonly person: Cleared<Omit<PersonRecord, 'shop_id' | 'user_oid'>> | null;
};

/** @returns the accounts of which something else is stored now */
export async function writeUserPersons(tx: Tx, shopId: number, given: readonly UserPersonToKeep[]) {
  const records = given.flatMap(({ userOid, person }) =>
    person === null
      ? []
      : [{ ...person, rest: storableJson(person.rest ?? null), shop_id: shopId, user_oid: userOid }],
  );
  const gone = given.flatMap(({ userOid, person }) => (person === null ? [userOid] : []));
  const { rows } = await tx.execute<{ user_oid: string }>(sql`
    DELETE FROM core.user_persons WHERE shop_id = ${shopId} AND user_oid IN ${valuesIn(gone)}
    RETURNING user_oid`);
  const written = await upsert(tx, userPersons, records, { returning: ['user_oid'] });
  return [...rows, ...written].map(({ user_oid }) => user_oid);
}

/** A row of `core.user_persons`. */
export type StoredUserPerson = {
  readonly userOid: string;
  readonly person: { readonly content: JsonValue; readonly rest: JsonValue } & Readonly<
    Record<'login' | 'email' | 'phone' | 'name' | 'org_name' | 'gender' | 'address', string | null>
  > & { readonly images: JsonValue };
};

/** By number. @param which these, or the next of all */
export async function readUserPersons(
  db: Db,
  shopId: number,
  which: WhichRows,
): Promise<readonly StoredUserPerson[]> {
  const { isAsked, limit } = whichRows(sql`user_oid`, which);
  const { rows } = await db.execute<{ user_oid: string } & StoredUserPerson['person']>(sql`
    SELECT user_oid, login, email, phone, name, org_name, gender, address, images, content, rest
    FROM core.user_persons WHERE shop_id = ${shopId} AND ${isAsked} ORDER BY user_oid ${limit}`);
  return rows.map(({ user_oid: userOid, ...person }) => ({ userOid, person }));
}

/** An account that is removed, and the number that stands for it in its orders. */
export type RemovedAccount = { readonly userOid: string; readonly standIn: string };

const REMOVED = { user_oid: 'bigint', stand_in: 'bigint' };

/** Adds what stands for removed accounts. The group stays, for what groups bought. */
export async function addStandIns(tx: Tx, shopId: number, removed: readonly RemovedAccount[]): Promise<void> {
  const given = removed.map(({ userOid, standIn }) => ({ user_oid: userOid, stand_in: standIn }));
  await tx.execute(sql`
    INSERT INTO core.users AS u (shop_id, user_oid, fetch_state, group_oid)
    SELECT o.shop_id, given.stand_in, 'erased', o.group_oid
    FROM ${recordset(REMOVED, given)} JOIN core.users o ON o.shop_id = ${shopId} AND o.user_oid = given.user_oid
    ON CONFLICT (shop_id, user_oid) DO UPDATE SET group_oid = coalesce(excluded.group_oid, u.group_oid)`);
  // Of orders that others have now.
  await tx.execute(sql`
    UPDATE core.order_versions v SET customer_key = 'u:' || given.stand_in::text
    FROM ${recordset(REMOVED, given)} WHERE v.shop_id = ${shopId} AND v.customer_key = 'u:' || given.user_oid::text`);
}

/** Removes accounts that no order has any more. @returns rows by table */
export async function removeAccounts(tx: Tx, shopId: number, userOids: readonly string[]) {
  const removedRows = (statement: { rowCount: number | null }) => statement.rowCount ?? 0;
  const payloads = await tx.execute(sql`
    DELETE FROM raw.users WHERE shop_id = ${shopId} AND user_key IN ${valuesIn(userOids, 'text')}`);
  const users = await tx.execute(sql`
    DELETE FROM core.users WHERE shop_id = ${shopId} AND user_oid IN ${valuesIn(userOids)}`);
  const rejections = await tx.execute(sql`
    DELETE FROM ops.rejections
    WHERE shop_id = ${shopId} AND resource = 'user' AND source_key IN ${valuesIn(userOids, 'text')}`);
  return {
    'core.users': removedRows(users),
    'raw.users': removedRows(payloads),
    'ops.rejections': removedRows(rejections),
  };
}

/** Makes all users due, as if they had never been requested. */
export async function requestUsersAgain(tx: Tx, shopId: number): Promise<void> {
  await tx.execute(sql`
    UPDATE core.users SET fetch_state = 'pending'
    WHERE shop_id = ${shopId} AND fetch_state IN ('ok', 'not_found', 'failed')`);
}
