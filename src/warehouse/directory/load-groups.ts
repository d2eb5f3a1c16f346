import { sql } from 'drizzle-orm';

import type { JsonValue } from '../../json.ts';
import type { Db, Tx } from '../db/database.ts';
import { parseInstant } from '../db/instant.ts';
import { userGroups } from '../schema/users.ts';
import { rawUserGroups } from '../schema/raw.ts';
import { upsert } from '../db/upsert.ts';

export type GroupToLoad = {
  readonly row: Omit<Required<typeof userGroups.$inferInsert>, 'shop_id' | 'deleted_at'>;
  readonly payload: JsonValue;
};

/** A group of which no row could be made. */
export type UnreadGroup = { readonly groupOid: string; readonly payload: JsonValue };

/**
 * Writes the tree as it was read; where it was read whole, groups that are not in it any more are marked as deleted.
 *
 * @param isWhole false where parts of it could not be read
 * @param unread groups of the tree of which no row could be made: they are kept as they came
 */
export async function loadGroups(
  tx: Tx,
  shopId: number,
  tree: readonly GroupToLoad[],
  fetchedAt: Temporal.Instant,
  unread: readonly UnreadGroup[] = [],
  isWhole = true,
): Promise<void> {
  await upsert(
    tx,
    userGroups,
    tree.map(({ row }) => ({ ...row, shop_id: shopId, deleted_at: null })),
  );
  const all = [...tree.map(({ row, payload }) => ({ groupOid: row.group_oid, payload })), ...unread];
  const payloads = all.map(({ groupOid, payload }) => ({
    shop_id: shopId,
    group_oid: groupOid,
    payload,
    fetched_at: fetchedAt.toString(),
  }));
  await upsert(tx, rawUserGroups, payloads, { nul: 'escaped' });
  if (!isWhole) return;
  const ids = JSON.stringify(all.map(({ groupOid }) => groupOid));
  await tx.execute(sql`
    UPDATE core.user_groups SET deleted_at = ${fetchedAt.toString()}
    WHERE shop_id = ${shopId} AND deleted_at IS NULL
      AND group_oid NOT IN (SELECT id::bigint FROM json_array_elements_text(${ids}::json) AS id)`);
}

/** When the tree was last read. */
export async function groupsReadAt(db: Db, shopId: number): Promise<Temporal.Instant | undefined> {
  const { rows } = await db.execute<{ read_at: string | null }>(
    sql`SELECT max(fetched_at) AS read_at FROM raw.user_groups WHERE shop_id = ${shopId}`,
  );
  return parseInstant(rows[0]?.read_at ?? null);
}
