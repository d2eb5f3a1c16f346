import { sql } from 'drizzle-orm';

import type { JsonObject } from '../../model/json.ts';
import type { Cleared } from '../../model/persons.ts';
import type { Db, Tx } from '../db/database.ts';
import { oneRow } from '../db/rows.ts';
import { type GroupRow, userGroups } from '../schema/users.ts';
import { rawUserGroups } from '../schema/raw.ts';
import { upsert, valuesIn } from '../db/upsert.ts';

export type GroupToStore = {
  readonly groupOid: string;
  readonly fetchedAt: Temporal.Instant;
  readonly payload: Cleared<JsonObject>;
  /** Undefined where it could not be normalized: then only its payload is stored. */
  readonly row: Cleared<GroupRow> | undefined;
  /** Absent when the tree was last read. @default it was in it */
  readonly isGone?: boolean;
};

/** @param isReread stored payloads were normalized again: a group that is stored keeps its mark. @returns groups that are new or changed */
export async function storeGroups(
  tx: Tx,
  shopId: number,
  groups: readonly GroupToStore[],
  isReread = false,
): Promise<number> {
  const rows = groups.flatMap(({ fetchedAt, isGone, row }) =>
    row ? [{ ...row, shop_id: shopId, deleted_at: isGone === true ? fetchedAt : null }] : [],
  );
  const written = await upsert(tx, userGroups, rows, { insertOnly: isReread ? ['deleted_at'] : [] });
  const payloads = groups.map(({ fetchedAt, groupOid, payload }) => {
    return { shop_id: shopId, group_oid: groupOid, payload, fetched_at: fetchedAt };
  });
  await upsert(tx, rawUserGroups, payloads);
  return written.length;
}

/** Marks groups as deleted that are no longer in the tree. @returns how many */
export async function markOtherGroups(
  tx: Tx,
  shopId: number,
  tree: readonly GroupToStore[],
  at: Temporal.Instant,
): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    UPDATE core.user_groups SET deleted_at = ${at.toString()}
    WHERE shop_id = ${shopId} AND deleted_at IS NULL
      AND group_oid NOT IN ${valuesIn(tree.map(({ groupOid }) => groupOid))}`);
  return rowCount ?? 0;
}

export async function groupsReadAt(db: Db, shopId: number): Promise<Temporal.Instant | undefined> {
  const latest = sql`SELECT max(fetched_at) AS at FROM raw.user_groups WHERE shop_id = ${shopId}`;
  return (await oneRow<{ at: Temporal.Instant | null }>(db, latest)).at ?? undefined;
}
