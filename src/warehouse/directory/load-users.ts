import { sql } from 'drizzle-orm';

import type { Cleared } from '../../cleared.ts';
import type { JsonObject } from '../../json.ts';
import type { Db, Tx } from '../db/database.ts';
import { users } from '../schema/users.ts';
import { rawUsers } from '../schema/raw.ts';
import { findDiffering, upsert } from '../db/upsert.ts';
import { type UserPersonToKeep, writeUserPersons } from './user-persons.ts';

type UserRecord = Required<typeof users.$inferInsert>;

/** The shop's answer for one user. */
export type UserToLoad = {
  readonly userOid: string;
  readonly fetchedAt: Temporal.Instant;
  readonly answer:
    | {
        readonly kind: 'found';
        readonly row: Cleared<Omit<UserRecord, 'shop_id' | 'fetch_state' | 'fetched_at'>>;
        readonly person: UserPersonToKeep['person'];
        readonly payload: Cleared<JsonObject>;
      }
    | { readonly kind: 'not_found' }
    /** With a payload where the shop answered, but it could not be normalized. */
    | { readonly kind: 'failed'; readonly payload?: Cleared<JsonObject> };
};

/**
 * Users to fetch: new ones first, then failed and outdated ones.
 *
 * @param maxAgeMs users fetched longer ago than this are fetched again
 * @param retryMs failed ones, after this
 * @param now by the clock that dated the answers
 */
export async function readDueUsers(
  db: Db,
  shopId: number,
  maxAgeMs: number,
  retryMs: number,
  limit: number,
  now: Temporal.Instant = Temporal.Now.instant(),
): Promise<readonly string[]> {
  const ago = (ms: number) => sql`${now.subtract({ milliseconds: ms }).toString()}::timestamptz`;
  const { rows } = await db.execute<{ user_oid: string }>(sql`
    SELECT user_oid FROM core.users
    WHERE shop_id = ${shopId} AND (fetch_state = 'pending'
      OR fetch_state IN ('ok', 'not_found') AND fetched_at < ${ago(maxAgeMs)}
      OR fetch_state = 'failed' AND fetched_at < ${ago(retryMs)})
    ORDER BY fetched_at NULLS FIRST, user_oid LIMIT ${limit}`);
  return rows.map((row) => row.user_oid);
}

/** Users whose last fetch succeeded, latest first. */
export async function readLatestUsers(db: Db, shopId: number, limit: number): Promise<readonly string[]> {
  const { rows } = await db.execute<{ user_oid: string }>(sql`
    SELECT user_oid FROM core.users WHERE shop_id = ${shopId} AND fetch_state = 'ok'
    ORDER BY fetched_at DESC, user_oid DESC LIMIT ${limit}`);
  return rows.map((row) => row.user_oid);
}

/**
 * Writes the answers; a user that failed or vanished keeps its known data.
 *
 * @returns users that differ from what was stored of them, other than in when they were fetched
 */
export async function loadUsers(tx: Tx, shopId: number, toLoad: readonly UserToLoad[]): Promise<number> {
  const stamp = (user: UserToLoad) => ({
    shop_id: shopId,
    user_oid: user.userOid,
    fetched_at: user.fetchedAt.toString(),
  });
  const found = toLoad.flatMap((user) =>
    user.answer.kind === 'found' ? [{ ...user.answer.row, ...stamp(user), fetch_state: 'ok' }] : [],
  );
  const others = toLoad.flatMap((user) =>
    user.answer.kind === 'found' ? [] : [{ ...stamp(user), fetch_state: user.answer.kind }],
  );
  const changed = new Set([
    ...(await findDifferingUsers(tx, found)),
    ...(await findDifferingUsers(tx, others)),
  ]);
  await upsert(tx, users, found);
  await upsert(tx, users, others);
  const persons = toLoad.flatMap(({ userOid, answer }) =>
    answer.kind === 'found' ? [{ userOid, person: answer.person }] : [],
  );
  const known = await writeUserPersons(tx, shopId, persons);
  const payloads = toLoad.flatMap(({ userOid, fetchedAt, answer }): (typeof rawUsers.$inferInsert)[] => {
    const own = { shop_id: shopId, user_key: userOid, fetched_at: fetchedAt.toString() };
    if (answer.kind === 'not_found') return [{ ...own, payload: null, http_status: 404 }];
    const { payload } = answer;
    return payload === undefined ? [] : [{ ...own, payload, http_status: 200 }];
  });
  await upsert(tx, rawUsers, payloads, { nul: 'escaped' });
  return changed.union(new Set(known)).size;
}

async function findDifferingUsers(
  tx: Tx,
  rows: readonly (typeof users.$inferInsert)[],
): Promise<readonly string[]> {
  const given = rows.map(({ fetched_at: _fetched, ...row }) => row);
  const differing = await findDiffering(tx, users, given);
  return differing.map((key) => String(key['user_oid']));
}
