import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';

import { TRANSACTION_MODE, TRANSACTION_SETTINGS } from './session.ts';
import { drizzlePool } from './transactions.ts';

const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${TRANSACTION_SETTINGS}`;

/** Such statements cannot run in a transaction; migrations may have some. */
const OUTSIDE_TRANSACTION = /^\s*VACUUM\b|\bCONCURRENTLY\b/i;

/**
 * The database through a pooler that may give each transaction another session: every statement runs in a transaction
 * with the settings it needs, which costs single statements two more round trips.
 */
export function openPooled(pool: Pool) {
  const query = async (statement: string | QueryConfig, values?: unknown[]): Promise<QueryResult> => {
    const client = await pool.connect();
    const text = typeof statement === 'string' ? statement : statement.text;
    const run = () => client.query(statement, values);
    return OUTSIDE_TRANSACTION.test(text)
      ? run().finally(() => client.release())
      : inTransaction(client, run);
  };
  const db = drizzlePool(Object.assign(pool, { query }));
  const begin = db.transaction.bind(db);
  const transaction: NodePgDatabase['transaction'] = (work, config) =>
    begin(
      async (tx) => {
        await tx.execute(sql.raw(TRANSACTION_SETTINGS));
        return work(tx);
      },
      { ...TRANSACTION_MODE, ...config },
    );
  return { db: Object.assign(db, { transaction }), query };
}

/** Releases the client; one whose transaction could not be ended is discarded. */
async function inTransaction<Result>(client: PoolClient, run: () => Promise<Result>): Promise<Result> {
  let isLost = false;
  try {
    await client.query(BEGIN);
    const result = await run();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => (isLost = true));
    throw error;
  } finally {
    client.release(isLost);
  }
}
