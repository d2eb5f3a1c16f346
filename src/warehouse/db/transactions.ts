/**
 * Sessions and transactions, with or without a pooler such as PgBouncer in between: the settings they need, how they begin, and the
 * types of what comes from the database.
 */
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

/**
 * Session settings that the statements of this program rely on, whatever the defaults of the server, database or user: one form
 * for times, intervals, numbers, bytes and names, NULL as the standard has it, triggers that fire, a snapshot per statement, and
 * no time limit on long statements, transactions that wait for a shop, or connections that are kept.
 */
const SETTINGS = {
  search_path: 'public',
  datestyle: 'ISO, MDY',
  timezone: 'UTC',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  quote_all_identifiers: 'off',
  array_nulls: 'on',
  transform_null_equals: 'off',
  // Only a superuser may change it, so where it is as it should be, nobody tries.
  session_replication_role: 'origin',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  // PostgreSQL 17 and later.
  transaction_timeout: '0',
  // For the transactions that come.
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
};

/** For `db.transaction` behind a pooler, where no transaction is of a session that has these defaults. */
const TRANSACTION_MODE = { isolationLevel: 'read committed', accessMode: 'read write' } as const;

/** Prepares a session of our own; sent as one query. */
export const SESSION_SETTINGS = statement(false);

/** Prepares a transaction, where a pooler gives each transaction another session. */
export const TRANSACTION_SETTINGS = `${statement(true)};`;

/** Sets what the server knows and has otherwise. */
function statement(isLocal: boolean): string {
  const wanted = Object.entries(SETTINGS).map(([name, value]) => `('${name}', '${value}')`);
  return `SELECT set_config(name, value, ${isLocal}) FROM (VALUES ${wanted.join(', ')}) AS wanted (name, value)
    WHERE current_setting(name, true) <> value`;
}

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
    const prepared: typeof work = async (tx) => {
      await tx.execute(sql.raw(TRANSACTION_SETTINGS));
      return work(tx);
    };
    try {
      return await (isPooled
        ? drizzle(client).transaction(prepared, { ...TRANSACTION_MODE, ...config })
        : drizzle(client).transaction(work, config));
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
