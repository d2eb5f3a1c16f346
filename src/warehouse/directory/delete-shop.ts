/** Removes every row of a shop, from whatever table. */
import { sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';
import { oneRow } from '../db/rows.ts';
import { fenced, type Lease } from '../ops/lease.ts';

/** Rows of one transaction. */
const BATCH = 5_000;

/** More than lead from any table to another; a circle would have no end. */
const MOST_REFERENCES = 20;

/** Goes with the shop itself, since it protects the deletion until then. */
const LAST: readonly string[] = ['ops.leases', 'core.shops'];

/** The tables with rows of shops, from the catalog so that none can be forgotten; none comes after one that it refers to. */
export async function listShopTables(db: Db): Promise<readonly string[]> {
  const { rows } = await db.execute<{ name: string }>(sql`
    WITH RECURSIVE tables AS (
      SELECT c.oid, format('%I.%I', n.nspname, c.relname) AS name
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'shop_id' AND NOT a.attisdropped
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname IN ('core', 'raw', 'ops')
    ),
    -- By how many references, one after the other, lead to a table.
    places AS (
      SELECT oid, 0 AS place FROM tables
      UNION
      SELECT f.confrelid, p.place + 1 FROM places p
      JOIN pg_constraint f ON f.contype = 'f' AND f.conrelid = p.oid AND f.confrelid <> p.oid
      WHERE p.place < ${MOST_REFERENCES}
    )
    SELECT name FROM tables JOIN places USING (oid) GROUP BY name ORDER BY max(place), name`);
  return rows.map(({ name }) => name);
}

export type TableRows = { readonly table: string; readonly rows: number };

/** How many rows each table has of a shop; tables without any are left out. */
export async function countShopRows(db: Db, shopId: number): Promise<readonly TableRows[]> {
  const counted: TableRows[] = [];
  for (const table of await listShopTables(db)) {
    const count = sql`SELECT count(*)::int AS rows FROM ${sql.raw(table)} WHERE shop_id = ${shopId}`;
    counted.push({ table, ...(await oneRow<{ rows: number }>(db, count)) });
  }
  return counted.filter(({ rows }) => rows > 0);
}

/**
 * Deletes all rows of a shop and then the shop, in small transactions under its lease. If it ends early, the next call
 * continues.
 *
 * @param onBatch called after each transaction with the table and the rows deleted from it
 * @throws LeaseLostError when another process took the lease; the signal's reason
 */
export async function deleteShopRows(
  db: Db,
  lease: Lease,
  signal: AbortSignal,
  onBatch: (batch: TableRows) => void,
): Promise<void> {
  const tables = await listShopTables(db);
  for (const table of tables.filter((name) => !LAST.includes(name))) {
    for (let rows = BATCH; rows === BATCH;) {
      signal.throwIfAborted();
      rows = await deleteBatch(db, lease, table);
      if (rows > 0) onBatch({ table, rows });
    }
  }
  await deleteRest(db, lease, tables);
}

async function deleteBatch(db: Db, lease: Lease, table: string): Promise<number> {
  const from = sql.raw(table);
  return fenced(db, lease, async (tx) => {
    const { rowCount } = await tx.execute(sql`
      DELETE FROM ${from} WHERE shop_id = ${lease.shopId} AND ctid = ANY (ARRAY(
        SELECT ctid FROM ${from} WHERE shop_id = ${lease.shopId} LIMIT ${BATCH}))`);
    return rowCount ?? 0;
  });
}

/**
 * Deletes the shop, and what a refresh of the summaries stored meanwhile: it may have read the orders before they were
 * deleted. The lock waits for it, and keeps the next one out.
 */
async function deleteRest(db: Db, lease: Lease, tables: readonly string[]): Promise<void> {
  await fenced(db, lease, async (tx) => {
    await tx.execute(sql`SELECT FROM core.order_statuses WHERE shop_id = ${lease.shopId} FOR UPDATE`);
    for (const table of tables) {
      await tx.execute(sql`DELETE FROM ${sql.raw(table)} WHERE shop_id = ${lease.shopId}`);
    }
  });
}
