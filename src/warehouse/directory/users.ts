import { sql } from 'drizzle-orm';

import type { Cleared } from '../../model/persons.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Db, Tx } from '../db/database.ts';
import { type UserPerson, userPersons, type UserRow, users } from '../schema/users.ts';
import { rawUsers } from '../schema/raw.ts';
import { dropDue, putDue, toTriedRow } from '../ops/due.ts';
import { recordset, upsert, valuesIn, type WhichRows, whichRows } from '../db/upsert.ts';

/** An account as it is to be stored from now on. */
export type UserToStore = {
  readonly userOid: string;
  readonly fetchState: string;
  readonly fetchedAt: Temporal.Instant;
  /** Undefined: what is stored stays. */
  readonly row?: Cleared<UserRow> | undefined;
  /** Undefined: what is stored stays. */
  readonly person?: UserPersonToKeep['person'] | undefined;
  /** Null: the shop has no such user; undefined: what is stored stays. */
  readonly payload?: Cleared<JsonObject> | null | undefined;
  /** A sentence without values, and how often it has failed by now. */
  readonly failure?: { readonly reason: string; readonly attempts: number } | undefined;
};

/** A user to fetch, and how often that has failed since it last succeeded. */
export type DueUser = { readonly userOid: string; readonly attempts: number };

/**
 * Users to fetch: new ones first, then failed and outdated ones.
 *
 * @param maxAgeMs users fetched longer ago than this are fetched again; failed ones, as `ops.due` says
 * @param now by the clock that dated the answers
 */
export async function readDueUsers(
  db: Db,
  shopId: number,
  maxAgeMs: number,
  limit: number,
  now: Temporal.Instant,
): Promise<readonly DueUser[]> {
  const ago = (ms: number) => sql`${now.subtract({ milliseconds: ms }).toString()}::timestamptz`;
  const { rows } = await db.execute<DueUser>(sql`
    SELECT u.user_oid AS "userOid", coalesce(d.attempts, 0) AS attempts FROM core.users u
    LEFT JOIN ops.due d ON d.shop_id = u.shop_id AND d.kind = 'user' AND d.key = u.user_oid::text
    WHERE u.shop_id = ${shopId} AND (fetch_state = 'pending' OR fetched_at > ${ago(0)}
      OR fetch_state IN ('ok', 'not_found') AND fetched_at < ${ago(maxAgeMs)}
      OR fetch_state = 'failed' AND coalesce(d.due_at <= ${ago(0)}, true))
    ORDER BY fetched_at NULLS FIRST, user_oid LIMIT ${limit}`);
  return rows;
}

/** Users whose last fetch succeeded, latest first. */
export async function readLatestUsers(db: Db, shopId: number, limit: number): Promise<readonly string[]> {
  const { rows } = await db.execute<{ user_oid: string }>(sql`
    SELECT user_oid FROM core.users WHERE shop_id = ${shopId} AND fetch_state = 'ok'
    ORDER BY fetched_at DESC, user_oid DESC LIMIT ${limit}`);
  return rows.map((row) => row.user_oid);
}

/** @returns users that differ from what was stored of them, other than in when they were fetched */
export async function storeUsers(tx: Tx, shopId: number, input: readonly UserToStore[]): Promise<number> {
  const rows = input.map(({ userOid, fetchState, fetchedAt, row }) => {
    return { ...row, shop_id: shopId, user_oid: userOid, fetch_state: fetchState, fetched_at: fetchedAt };
  });
  const changed = await upsert(tx, users, rows, { silent: ['fetched_at'], returning: ['user_oid'] });
  await upsert(tx, users, rows);
  const persons = input.flatMap(({ userOid, person }) => (person === undefined ? [] : [{ userOid, person }]));
  const others = await writeUserPersons(tx, shopId, persons);
  const payloads = input.flatMap(({ userOid, fetchedAt, payload }) => {
    if (payload === undefined) return [];
    const http_status = payload === null ? 404 : 200;
    return [{ shop_id: shopId, user_key: userOid, payload, http_status, fetched_at: fetchedAt }];
  });
  await upsert(tx, rawUsers, payloads);
  const failed = input.flatMap(({ userOid, fetchedAt, failure }) =>
    failure ? [toTriedRow('user', userOid, failure.attempts, fetchedAt, failure.reason)] : [],
  );
  await putDue(tx, shopId, failed);
  const done = input.flatMap(({ userOid, fetchState }) => (fetchState === 'failed' ? [] : [userOid]));
  await dropDue(tx, shopId, 'user', done);
  return new Set([...changed.map(({ user_oid }) => user_oid), ...others]).size;
}

type StoredUserPerson = UserPerson & Pick<typeof userPersons.$inferSelect, 'rest'>;

/** What an account says of its person; null: nothing is stored. */
export type UserPersonToKeep = {
  readonly userOid: string;
  readonly person: Cleared<StoredUserPerson> | null;
};

/** @returns the accounts of which something else is stored now */
export async function writeUserPersons(tx: Tx, shopId: number, input: readonly UserPersonToKeep[]) {
  const records = input.flatMap(({ userOid, person }) =>
    person === null ? [] : [{ ...person, shop_id: shopId, user_oid: userOid }],
  );
  const gone = input.flatMap(({ userOid, person }) => (person === null ? [userOid] : []));
  const { rows } = await tx.execute<{ user_oid: string }>(sql`
    DELETE FROM core.user_persons WHERE shop_id = ${shopId} AND user_oid IN ${valuesIn(gone)}
    RETURNING user_oid`);
  const written = await upsert(tx, userPersons, records, { returning: ['user_oid'] });
  return [...rows, ...written].map(({ user_oid }) => user_oid);
}

/** By number. @param which these, or the next of all */
export async function readUserPersons(db: Db, shopId: number, which: WhichRows) {
  const { isAsked, limit } = whichRows(sql`user_oid`, which);
  const { rows } = await db.execute<{ userOid: string; person: StoredUserPerson }>(sql`
    SELECT user_oid AS "userOid", to_jsonb(p) - '{shop_id,user_oid}'::text[] AS person
    FROM core.user_persons p WHERE shop_id = ${shopId} AND ${isAsked} ORDER BY user_oid ${limit}`);
  return rows;
}

/** An account that is removed, and the number that stands for it in its orders. */
export type RemovedAccount = { readonly userOid: string; readonly standIn: string };

/** Adds what stands for removed accounts. The group stays, for what groups bought. */
export async function addStandIns(tx: Tx, shopId: number, removed: readonly RemovedAccount[]): Promise<void> {
  const input = recordset({ userOid: 'bigint', standIn: 'bigint' }, removed);
  await tx.execute(sql`
    INSERT INTO core.users AS u (shop_id, user_oid, fetch_state, group_oid)
    SELECT o.shop_id, "standIn", 'erased', o.group_oid
    FROM ${input} JOIN core.users o ON o.shop_id = ${shopId} AND o.user_oid = "userOid"
    ON CONFLICT (shop_id, user_oid) DO UPDATE SET group_oid = coalesce(excluded.group_oid, u.group_oid)`);
  // Of orders that others have now.
  await tx.execute(sql`
    UPDATE core.order_versions v SET customer_key = 'u:' || "standIn"::text
    FROM ${input} WHERE v.shop_id = ${shopId} AND v.customer_key = 'u:' || "userOid"::text`);
}

/** Removes accounts that no order has any more. */
export async function removeAccounts(tx: Tx, shopId: number, userOids: readonly string[]): Promise<void> {
  await tx.execute(sql`
    DELETE FROM raw.users WHERE shop_id = ${shopId} AND user_key IN ${valuesIn(userOids, 'text')}`);
  await tx.execute(sql`
    DELETE FROM core.users WHERE shop_id = ${shopId} AND user_oid IN ${valuesIn(userOids)}`);
  await tx.execute(sql`
    DELETE FROM ops.rejections
    WHERE shop_id = ${shopId} AND resource = 'user' AND source_key IN ${valuesIn(userOids, 'text')}`);
  await dropDue(tx, shopId, 'user', userOids);
}

/** Makes users due, as if they had never been requested. @param userOids @default all */
export async function requestUsersAgain(tx: Tx, shopId: number, userOids?: readonly string[]): Promise<void> {
  const isAsked = userOids === undefined ? sql`true` : sql`user_oid IN ${valuesIn(userOids)}`;
  await tx.execute(sql`
    UPDATE core.users SET fetch_state = 'pending'
    WHERE shop_id = ${shopId} AND ${isAsked} AND fetch_state IN ('ok', 'not_found', 'failed')`);
}
