import { sql } from 'drizzle-orm';

import type { JsonObject } from '../../model/json.ts';
import type { Cleared } from '../../model/persons.ts';
import type { Db, Tx } from '../db/database.ts';
import { userGroups } from '../schema/users.ts';
import { rawUserGroups } from '../schema/raw.ts';
import type { RawGroup } from '../raw/raw-records.ts';
import { upsert, valuesIn } from '../db/upsert.ts';

type GroupRow = Cleared<Omit<typeof userGroups.$inferSelect, 'shop_id' | 'deleted_at'>>;

export type GroupToLoad = {
  readonly groupOid: string;
  readonly payload: Cleared<JsonObject>;
  /** Undefined where it could not be normalized: then only its payload is stored. */
  readonly row: GroupRow | undefined;
};

/**
 * Writes the tree, and marks groups that are no longer in it as deleted.
 *
 * @param isWhole false where parts of the tree could not be read: then no group is marked
 * @returns groups that are new, changed or gone
 */
export async function loadGroups(
  tx: Tx,
  shopId: number,
  tree: readonly GroupToLoad[],
  fetchedAt: Temporal.Instant,
  isWhole = true,
): Promise<number> {
  const rows = tree.flatMap(({ row }) => (row ? [{ ...row, shop_id: shopId, deleted_at: null }] : []));
  const { length: written } = await upsert(tx, userGroups, rows);
  const payloads = tree.map(({ groupOid, payload }) => ({
    shop_id: shopId,
    group_oid: groupOid,
    payload,
    fetched_at: fetchedAt,
  }));
  await upsert(tx, rawUserGroups, payloads, { nul: 'escaped' });
  if (!isWhole) return written;
  const gone = await tx.execute(sql`
    UPDATE core.user_groups SET deleted_at = ${fetchedAt.toString()}
    WHERE shop_id = ${shopId} AND deleted_at IS NULL
      AND group_oid NOT IN ${valuesIn(tree.map(({ groupOid }) => groupOid))}`);
  return written + (gone.rowCount ?? 0);
}

export async function groupsReadAt(db: Db, shopId: number): Promise<Temporal.Instant | undefined> {
  const { rows } = await db.execute<{ read_at: Temporal.Instant | null }>(
    sql`SELECT max(fetched_at) AS read_at FROM raw.user_groups WHERE shop_id = ${shopId}`,
  );
  return rows[0]?.read_at ?? undefined;
}

export type RewrittenGroup = { readonly row: GroupRow; readonly raw: RawGroup };

/** Writes groups that were normalized again. @returns groups added or changed */
export async function rewriteGroups(tx: Tx, shopId: number, rewritten: readonly RewrittenGroup[]) {
  const rows = rewritten.map(({ row, raw }) => ({
    ...row,
    shop_id: shopId,
    deleted_at: raw.isGone ? raw.fetchedAt : null,
  }));
  return (await upsert(tx, userGroups, rows, { insertOnly: ['deleted_at'] })).length;
}
