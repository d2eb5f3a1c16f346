import { sql, type SQL } from 'drizzle-orm';

import type { Db } from '../db/database.ts';
import { oneRow } from '../db/rows.ts';
import { fenced, type Lease } from './lease.ts';

/**
 * Removes a shop's runs that began before an instant, and of its rejections those that were resolved, or whose order was
 * deleted, before it. The last sweep stays: it says how the shop is doing.
 *
 * @param limit rows of each table at most, so that it takes milliseconds
 * @throws LeaseLostError when another process took the lease; then nothing is removed
 */
export async function pruneRecords(db: Db, lease: Lease, before: Temporal.Instant, limit: number) {
  const cutoff = sql`${before.toString()}::timestamptz`;
  return fenced(db, lease, async (tx) => {
    const runs = await tx.execute(sql`
      DELETE FROM ops.runs WHERE run_id IN (
        SELECT run_id FROM ops.runs r
        WHERE r.shop_id = ${lease.shopId} AND r.status <> 'running' AND r.started_at < least(${cutoff}, (
          SELECT max(started_at) FROM ops.runs l WHERE l.shop_id = ${lease.shopId} AND kind IN ('sync', 'backfill') AND l.status <> 'running'))
        ORDER BY r.started_at NULLS FIRST LIMIT ${limit})`);
    // Its subqueries do not refer to the rejection: a Citus cannot look up a distributed row for each row of a table on its
    // coordinator.
    const rejections = await tx.execute(sql`
      DELETE FROM ops.rejections WHERE rejection_id IN (
        SELECT rejection_id FROM ops.rejections r
        WHERE r.shop_id = ${lease.shopId} AND (r.resolved_at < ${cutoff}
          OR r.resource IN ('order', 'content') AND CASE WHEN r.source_key ~ '^[0-9]{1,18}$' THEN r.source_key::bigint END IN (
            SELECT order_id FROM core.orders
            WHERE shop_id = ${lease.shopId} AND missing_since IS NOT NULL AND deleted_at < ${cutoff}))
        LIMIT ${limit})`);
    return { runs: runs.rowCount ?? 0, rejections: rejections.rowCount ?? 0 };
  });
}

/**
 * Removes a shop's payloads of orders, their contents and users that were fetched before an instant, oldest first. Groups
 * stay: they say when the tree was last read. What is kept of the same answers with the persons goes too.
 *
 * @param limit rows of each table at most, so that it takes milliseconds
 * @returns how many rows it removed
 * @throws LeaseLostError when another process took the lease; then nothing is removed
 */
export async function pruneRaw(db: Db, lease: Lease, before: Temporal.Instant, limit: number) {
  const removeOld = (table: SQL, key: SQL) => sql`
    DELETE FROM ${table} WHERE shop_id = ${lease.shopId} AND ${key} IN (
      SELECT ${key} FROM ${table}
      WHERE shop_id = ${lease.shopId} AND fetched_at < ${before.toString()}::timestamptz
      ORDER BY fetched_at LIMIT ${limit}) RETURNING ${key}`;
  const removing = sql`
    WITH old_orders AS (${removeOld(sql`raw.orders`, sql`order_id`)}),
    old_contents AS (${removeOld(sql`raw.order_contents`, sql`order_id`)}),
    old_users AS (${removeOld(sql`raw.users`, sql`user_key`)}),
    orders AS (
      UPDATE core.order_persons p SET
        rest = CASE WHEN p.order_id NOT IN (TABLE old_orders) THEN p.rest END,
        content_rest = CASE WHEN p.order_id NOT IN (TABLE old_contents) THEN p.content_rest END
      WHERE p.shop_id = ${lease.shopId} AND num_nonnulls(p.rest, p.content_rest) > 0
        AND p.order_id IN (TABLE old_orders UNION TABLE old_contents)
    ),
    users AS (
      UPDATE core.user_persons p SET rest = NULL
      WHERE p.shop_id = ${lease.shopId} AND p.rest IS NOT NULL AND p.user_oid::text IN (TABLE old_users)
    )
    SELECT (SELECT count(*)::int FROM old_orders) AS orders, (SELECT count(*)::int FROM old_contents) AS contents,
      (SELECT count(*)::int FROM old_users) AS users`;
  return fenced(db, lease, (tx) => oneRow<{ orders: number; contents: number; users: number }>(tx, removing));
}
