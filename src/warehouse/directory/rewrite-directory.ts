import type { Tx } from '../db/database.ts';
import type { GroupToLoad } from './load-groups.ts';
import type { UserToLoad } from './load-users.ts';
import type { RawGroup, RawUser } from '../raw/raw-records.ts';
import { userGroups, users } from '../schema/users.ts';
import { upsertCounted, upsertReturning } from '../db/upsert.ts';
import { type UserPersonToKeep, writeUserPersons } from './user-persons.ts';

export type RewrittenUser = {
  readonly row: Extract<UserToLoad['answer'], { kind: 'found' }>['row'];
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
export async function rewriteUsers(
  tx: Tx,
  shopId: number,
  rewritten: readonly RewrittenUser[],
): Promise<number> {
  const rows = rewritten.map(({ row, raw: { held, fetchedAt } }) => ({
    ...row,
    shop_id: shopId,
    fetch_state: held === undefined || isFrom(held, fetchedAt) ? 'ok' : held.fetchState,
    fetched_at: held === undefined ? fetchedAt.toString() : held.fetchedAt,
  }));
  const changed = await upsertReturning(tx, users, rows, 'user_oid');
  const persons = rewritten.flatMap(({ row, person }) =>
    person === undefined ? [] : [{ userOid: row.user_oid, person }],
  );
  return new Set([...changed, ...(await writeUserPersons(tx, shopId, persons))]).size;
}

function isFrom(held: NonNullable<RawUser['held']>, answeredAt: Temporal.Instant): boolean {
  return held.fetchedAt !== null && Temporal.Instant.from(held.fetchedAt).equals(answeredAt);
}

export type RewrittenGroup = { readonly row: GroupToLoad['row']; readonly raw: RawGroup };

/** Writes groups that were normalized again. @returns groups added or changed */
export async function rewriteGroups(
  tx: Tx,
  shopId: number,
  rewritten: readonly RewrittenGroup[],
): Promise<number> {
  const rows = rewritten.map(({ row, raw }) => ({
    ...row,
    shop_id: shopId,
    deleted_at: raw.isGone ? raw.fetchedAt.toString() : null,
  }));
  return upsertCounted(tx, userGroups, rows, { insertOnly: ['deleted_at'] });
}
