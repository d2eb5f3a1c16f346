import { type SQL, sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';
import { fence, type Lease, leaseLost } from './lease.ts';

/**
 * Removes a shop's payloads of orders, their contents and users that were fetched before an instant, oldest first. Groups
 * stay: they hold no person, and say when the tree was last read.
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
      ORDER BY r.fetched_at LIMIT ${limit}) RETURNING 1`;
  const { rows } = await db.execute<{ orders: number; contents: number; users: number }>(sql`
    WITH fence AS (${fence(lease)}),
    old_orders AS (${removeOld(sql`raw.orders`, sql`order_id`)}),
    old_contents AS (${removeOld(sql`raw.order_contents`, sql`order_id`)}),
    old_users AS (${removeOld(sql`raw.users`, sql`user_key`)})
    SELECT (SELECT count(*)::int FROM old_orders) AS orders, (SELECT count(*)::int FROM old_contents) AS contents,
      (SELECT count(*)::int FROM old_users) AS users
    FROM fence`);
  const [removed] = rows;
  if (removed === undefined) throw leaseLost(lease);
  return removed;
}
