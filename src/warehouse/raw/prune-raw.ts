import { type SQL, sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';
import { fence, type Lease, leaseLost } from '../ops/lease.ts';

/**
 * Removes a shop's payloads of orders, their contents and users that were fetched before an instant, oldest first. Groups
 * stay: they say when the tree was last read. What is kept of the same answers with the persons goes too.
 *
 * @param limit rows of each table at most, so that it takes milliseconds
 * @returns how many rows it removed
 * @throws LeaseLostError when another process took the lease; then nothing is removed
 */
export async function pruneRaw(
  db: Db,
  lease: Lease,
  before: Temporal.Instant,
  limit: number,
): Promise<{ readonly orders: number; readonly contents: number; readonly users: number }> {
  const removeOld = (table: SQL, key: SQL) => sql`
    DELETE FROM ${table} WHERE shop_id = ${lease.shopId} AND ${key} IN (
      SELECT ${key} FROM ${table} r JOIN fence USING (shop_id)
      WHERE r.shop_id = ${lease.shopId} AND r.fetched_at < ${before.toString()}::timestamptz
      ORDER BY r.fetched_at LIMIT ${limit}) RETURNING ${key}`;
  const { rows } = await db.execute<{ orders: number; contents: number; users: number }>(sql`
    WITH fence AS (${fence(lease)}),
    old_orders AS (${removeOld(sql`raw.orders`, sql`order_id`)}),
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
      (SELECT count(*)::int FROM old_users) AS users
    FROM fence`);
  const [removed] = rows;
  if (removed === undefined) throw leaseLost(lease);
  return removed;
}
