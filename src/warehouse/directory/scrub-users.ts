import { getTableColumns, sql } from 'drizzle-orm';

import type { Cleared } from '../../cleared.ts';
import { type JsonObject, parseJson } from '../../json.ts';
import type { Db, Tx } from '../db/database.ts';
import { parseInstant } from '../db/instant.ts';
import { restoreText } from '../db/pg-json.ts';
import { recordset, valuesIn } from '../db/upsert.ts';
import type { RawUser } from '../ops/raw-records.ts';
import { type RewrittenUser, rewriteUsers } from './rewrite-directory.ts';
import { stampChanges } from '../orders/change-stamp.ts';
import { users } from '../schema/users.ts';

/** A stored account, with the shop's answer if it is kept. */
export type StoredUser = {
  readonly userOid: string;
  readonly raw: RawUser | undefined;
  /** Where to reach the person, by the row. */
  readonly contacts: readonly (string | null)[];
  readonly isEmpty: boolean;
};

type UserRow = {
  key: string;
  fetch_state: string;
  held_at: string | null;
  payload: string | null;
  fetched_at: string | null;
  login: string | null;
  email: string | null;
  phone: string | null;
  is_empty: boolean;
};

/** Columns that hold no person; all others are emptied. */
const IMPERSONAL: ReadonlySet<string> = new Set([
  'shop_id',
  'user_oid',
  'fetch_state',
  'group_oid',
  'level',
  'owner_oid',
  'visible',
  'access',
  'created_local',
  'updated_local',
  'created_at',
  'fetched_at',
] satisfies (keyof typeof users.$inferSelect)[]);
const PERSONAL = Object.keys(getTableColumns(users)).filter((column) => !IMPERSONAL.has(column));
const personal = sql.raw(PERSONAL.join(', '));

/** Accounts of persons, by number; without those of guests and erased ones. @param after the last one read */
export async function readStoredUsers(
  db: Db,
  shopId: number,
  after: string | undefined,
  limit: number,
): Promise<readonly StoredUser[]> {
  const { rows } = await db.execute<UserRow>(sql`
    SELECT u.user_oid AS key, u.fetch_state, u.fetched_at AS held_at, r.payload::text, r.fetched_at,
      u.login, u.email, u.phone, num_nonnulls(${personal}) = 0 AS is_empty
    FROM (
      SELECT * FROM core.users
      WHERE shop_id = ${shopId} AND fetch_state NOT IN ('guest', 'erased')
        AND ${after === undefined ? sql`true` : sql`user_oid > ${after}::bigint`}
      ORDER BY user_oid LIMIT ${limit}
    ) u LEFT JOIN raw.users r ON r.shop_id = u.shop_id AND r.user_key = u.user_oid::text
    ORDER BY u.user_oid`);
  return rows.map((row) => ({
    userOid: row.key,
    raw:
      row.payload === null || row.fetched_at === null
        ? undefined
        : {
            key: row.key,
            payload: parseJson(restoreText(row.payload)),
            fetchedAt: parseInstant(row.fetched_at),
            held: { fetchState: row.fetch_state, fetchedAt: row.held_at },
          },
    contacts: [row.login, row.email, row.phone],
    isEmpty: row.is_empty,
  }));
}

/** Makes all users due, as if they had never been requested. */
export async function requestUsersAgain(tx: Tx, shopId: number): Promise<void> {
  await tx.execute(sql`
    UPDATE core.users SET fetch_state = 'pending'
    WHERE shop_id = ${shopId} AND fetch_state IN ('ok', 'not_found', 'failed')`);
}

export type ScrubbedUsers = {
  /** Users whose payloads were cleared; without a row where none can be made. */
  readonly rewritten: readonly {
    readonly userOid: string;
    readonly user: RewrittenUser | undefined;
    readonly payload: Cleared<JsonObject>;
  }[];
  /** Users of whom no payload is kept: the row loses what is personal. */
  readonly emptied: readonly string[];
  /** Accounts that are removed, and what stands for them in their orders. */
  readonly removed: readonly { readonly userOid: string; readonly standIn: string }[];
};

export type ScrubbedUserCounts = Readonly<Record<'core.users' | 'raw.users' | 'ops.rejections', number>>;

/**
 * Writes users from whom something personal was removed, and removes erased accounts.
 *
 * @param personalOfOrders columns of the accounts' orders to empty where they still have the account's number
 */
export async function scrubUsers(
  tx: Tx,
  shopId: number,
  { rewritten, emptied, removed }: ScrubbedUsers,
  personalOfOrders: readonly string[],
): Promise<ScrubbedUserCounts> {
  const rows = rewritten.flatMap(({ user }) => user ?? []);
  await rewriteUsers(tx, shopId, rows);
  const payloads = rewritten.map(({ userOid, payload }) => ({ user_key: userOid, payload }));
  await tx.execute(sql`
    UPDATE raw.users r SET payload = given.payload
    FROM ${recordset(
      [
        { name: 'user_key', type: 'text' },
        { name: 'payload', type: 'jsonb' },
      ],
      payloads,
      'escaped',
    )}
    WHERE r.shop_id = ${shopId} AND r.user_key = given.user_key`);
  const withoutRow = rewritten.flatMap(({ userOid, user }) => (user === undefined ? [userOid] : []));
  await emptyUsers(tx, shopId, [...emptied, ...withoutRow]);
  const gone = await removeAccounts(tx, shopId, removed, personalOfOrders);
  return {
    'core.users': rewritten.length + emptied.length + gone.users,
    'raw.users': payloads.length + gone.payloads,
    'ops.rejections': gone.rejections,
  };
}

const setNull = (columns: readonly string[]) =>
  sql.raw(columns.map((column) => `${column} = NULL`).join(', '));

async function emptyUsers(tx: Tx, shopId: number, userOids: readonly string[]): Promise<void> {
  if (userOids.length === 0) return;
  await tx.execute(sql`
    UPDATE core.users SET ${setNull(PERSONAL)}
    WHERE shop_id = ${shopId} AND user_oid IN ${valuesIn(userOids)}`);
}

async function removeAccounts(
  tx: Tx,
  shopId: number,
  removed: ScrubbedUsers['removed'],
  personalOfOrders: readonly string[],
) {
  if (removed.length === 0) return { users: 0, payloads: 0, rejections: 0 };
  const keys = removed.map(({ userOid }) => userOid);
  const given = recordset(
    [
      { name: 'user_oid', type: 'bigint' },
      { name: 'stand_in', type: 'bigint' },
    ],
    removed.map(({ userOid, standIn }) => ({ user_oid: userOid, stand_in: standIn })),
  );
  // The group stays, for what groups bought.
  await tx.execute(sql`
    INSERT INTO core.users AS u (shop_id, user_oid, fetch_state, group_oid)
    SELECT o.shop_id, given.stand_in, 'erased', o.group_oid
    FROM ${given} JOIN core.users o ON o.shop_id = ${shopId} AND o.user_oid = given.user_oid
    ON CONFLICT (shop_id, user_oid) DO UPDATE SET group_oid = coalesce(excluded.group_oid, u.group_oid)`);
  // Of orders whose list row is not kept, nothing is known but the row.
  await tx.execute(sql`
    UPDATE core.orders o SET buyer_oid = given.stand_in, customer_key = 'u:' || given.stand_in,
      ${setNull(personalOfOrders)}, row_changed_at = ${await stampChanges(tx, shopId)}
    FROM ${given} WHERE o.shop_id = ${shopId} AND o.buyer_oid = given.user_oid`);
  const removedRows = (statement: { rowCount: number | null }) => statement.rowCount ?? 0;
  const payloads = await tx.execute(sql`
    DELETE FROM raw.users WHERE shop_id = ${shopId} AND user_key IN ${valuesIn(keys, 'text')}`);
  const users = await tx.execute(sql`
    DELETE FROM core.users WHERE shop_id = ${shopId} AND user_oid IN ${valuesIn(keys)}`);
  const rejections = await tx.execute(sql`
    DELETE FROM ops.rejections
    WHERE shop_id = ${shopId} AND resource = 'user' AND source_key IN ${valuesIn(keys, 'text')}`);
  return { users: removedRows(users), payloads: removedRows(payloads), rejections: removedRows(rejections) };
}
