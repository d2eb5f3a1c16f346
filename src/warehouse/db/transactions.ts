import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Pool } from 'pg';

/**
 * The database of a pool. Drizzle itself never gives a connection back that breaks while its transaction begins, and the pool
 * would be one smaller from then on.
 */
export function drizzlePool(pool: Pool): NodePgDatabase {
  const transaction: NodePgDatabase['transaction'] = async (work, config) => {
    const client = await pool.connect();
    try {
      return await drizzle(client).transaction(work, config);
    } finally {
      client.release();
    }
  };
  return Object.assign(drizzle(pool), { transaction });
}
