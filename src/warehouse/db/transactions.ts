/** Transactions of a pool, with or without a pooler such as PgBouncer behind it, and the types of what comes from the database. */
import { sql } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import {
  Client,
  type CustomTypesConfig,
  type Pool,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
  types,
} from 'pg';

import { parseJson } from '../../model/json.ts';
import { restoreText } from './pg-json.ts';
import { TRANSACTION_MODE, TRANSACTION_SETTINGS } from './session.ts';

/**
 * The database of a pool. Drizzle itself never gives a connection back that breaks while its transaction begins, and the pool
 * would be one smaller from then on.
 *
 * @param isPooled the pooler may give each transaction another session: every statement runs in a transaction with the settings it
 *   needs, which costs single statements two more round trips
 */
export function drizzlePool(pool: Pool, isPooled: boolean): NodePgDatabase {
  if (isPooled) Object.assign(pool, { query: queryInTransaction });
  const transaction: NodePgDatabase['transaction'] = async (work, config) => {
    const client = await pool.connect();
    try {
      if (!isPooled) return await drizzle(client).transaction(work, config);
      return await drizzle(client).transaction(
        async (tx) => {
          await tx.execute(sql.raw(TRANSACTION_SETTINGS));
          return work(tx);
        },
        { ...TRANSACTION_MODE, ...config },
      );
    } finally {
      client.release();
    }
  };
  return Object.assign(drizzle(pool), { transaction });
}

const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${TRANSACTION_SETTINGS}`;

/** Such statements cannot run in a transaction. */
const OUTSIDE_TRANSACTION = /^\s*VACUUM\b/i;

/** A connection whose transaction could not be ended is discarded. */
async function queryInTransaction(
  this: Pool,
  statement: string | QueryConfig,
  values?: unknown[],
): Promise<QueryResult> {
  const client = await this.connect();
  const isOutside = OUTSIDE_TRANSACTION.test(typeof statement === 'string' ? statement : statement.text);
  let isLost = false;
  try {
    if (!isOutside) await client.query(BEGIN);
    const result = await client.query(statement, values);
    if (!isOutside) await client.query('COMMIT');
    return result;
  } catch (error) {
    if (!isOutside) await client.query('ROLLBACK').catch(() => (isLost = true));
    throw error;
  } finally {
    client.release(isLost);
  }
}

const PARSERS = new Map<number, (text: string) => unknown>([
  [types.builtins.TIMESTAMPTZ, (text) => Temporal.Instant.from(text)],
  [types.builtins.TIMESTAMP, (text) => Temporal.PlainDateTime.from(text)],
  [types.builtins.JSONB, (text) => parseJson(restoreText(text))],
]);

/** A timestamptz is an instant, a timestamp a local time, and a jsonb keeps all digits; all else is as `others` parse it. */
function withTypes(others: CustomTypesConfig): CustomTypesConfig {
  const getTypeParser: CustomTypesConfig['getTypeParser'] = (oid: number, format?: 'text' | 'binary') =>
    PARSERS.get(oid) ?? others.getTypeParser(oid, format);
  return { getTypeParser };
}

export const TYPES = withTypes(types);

/** Makes a connection give these also to Drizzle, which asks for times as text. */
export function giveTypes(client: PoolClient): void {
  const typed = (asked: unknown) => (isTyped(asked) ? { ...asked, types: withTypes(asked.types) } : asked);
  const query = (asked: unknown, ...rest: readonly unknown[]): unknown =>
    // oxlint-disable-next-line typescript/unbound-method -- it is applied to the connection
    Reflect.apply(Client.prototype.query, client, [typed(asked), ...rest]);
  Reflect.set(client, 'query', query);
}

const isTyped = (asked: unknown): asked is { readonly types: CustomTypesConfig } =>
  typeof asked === 'object' && asked !== null && Reflect.get(asked, 'types') !== undefined;
