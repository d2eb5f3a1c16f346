import { sql } from 'drizzle-orm';

import type { Cleared } from '../../cleared.ts';
import type { JsonObject } from '../../json.ts';
import type { Db, Tx } from '../db/database.ts';
import { users } from '../schema/users.ts';
import { rawUsers } from '../schema/raw.ts';
import type { RawUser } from '../raw/raw-records.ts';
import { findDiffering, upsert } from '../db/upsert.ts';
import { type UserPersonToKeep, writeUserPersons } from './user-persons.ts';

type FoundUser = {
  readonly kind: 'found';
  readonly row: Cleared<Omit<Required<typeof users.$inferInsert>, 'shop_id' | 'fetch_state' | 'fetched_at'>>;
  readonly person: UserPersonToKeep['person'];
  readonly payload: Cleared<JsonObject>;
};

/** The shop's answer for one user. */
export type UserToLoad = {
  readonly userOid: string;
  readonly fetchedAt: Temporal.Instant;
  readonly answer:
    | FoundUser
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
  const changed = new Set<string>();
  for (const rows of [found, others]) {
    for (const userOid of await findDifferingUsers(tx, rows)) changed.add(userOid);
    await upsert(tx, users, rows);
  }
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

async function findDifferingUsers(tx: Tx, rows: readonly (typeof users.$inferInsert)[]) {
  const given = rows.map(({ fetched_at: _fetched, ...row }) => row);
  const differing = await findDiffering(tx, users, given);
  return differing.map((key) => String(key['user_oid']));
}

export type RewrittenUser = {
  readonly row: FoundUser['row'];
  /** Undefined: what is stored of the person stays. */
  readonly person: UserPersonToKeep['person'] | undefined;
  readonly raw: RawUser;
};

/**
 * Writes users that were normalized again. The time and result of the last fetch stay, unless it failed only because this
 * payload could not be normalized.
 *
 * @returns users added or changed
 */
export async function rewriteUsers(tx: Tx, shopId: number, rewritten: readonly RewrittenUser[]) {
  const rows = rewritten.map(({ row, raw: { held, fetchedAt } }) => ({
    ...row,
    shop_id: shopId,
    fetch_state: held === undefined || isFrom(held, fetchedAt) ? 'ok' : held.fetchState,
    fetched_at: held === undefined ? fetchedAt.toString() : held.fetchedAt,
  }));
  const changed = await upsert(tx, users, rows, { returning: ['user_oid'] });
  const persons = rewritten.flatMap(({ row, person }) =>
    person === undefined ? [] : [{ userOid: row.user_oid, person }],
  );
  const written = await writeUserPersons(tx, shopId, persons);
  return new Set([...changed.map(({ user_oid }) => user_oid), ...written]).size;
}

function isFrom(held: NonNullable<RawUser['held']>, answeredAt: Temporal.Instant): boolean {
  return held.fetchedAt !== null && Temporal.Instant.from(held.fetchedAt).equals(answeredAt);
}
