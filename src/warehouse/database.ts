import { hostname } from 'node:os';

import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { Client, Pool } from 'pg';

import { TerminalError } from '../errors.ts';
import { databaseSentence } from './database-error.ts';

export type Db = NodePgDatabase;
/** An open transaction. Every write takes one, so that its type shows what is atomic. */
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];

export type Database = AsyncDisposable & {
  readonly db: Db;
  /** One connection of its own, outside the pool, for locks that live as long as a session. */
  connect(): Promise<Client>;
};

const OLDEST_POSTGRES = 15;

/**
 * What the statements of this program are written for, whatever the server, the database or the user is set to: dates
 * as ISO, one snapshot per statement, and no end to a migration or to a sum over years.
 */
const SESSION = Object.entries({
  timezone: 'UTC',
  datestyle: 'ISO',
  standard_conforming_strings: 'on',
  default_transaction_isolation: String.raw`read\ committed`,
  default_transaction_read_only: 'off',
  statement_timeout: '0',
  lock_timeout: '0',
})
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/**
 * Opens a pool on a PostgreSQL and makes sure that it answers and is new enough.
 *
 * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE`
 * @throws TerminalError with a sentence when it does not answer or is too old
 */
export async function openDatabase(url: string, maxConnections = 8): Promise<Database> {
  const settings = {
    connectionString: url,
    // Tells in pg_stat_activity which of several workers a connection is of; PostgreSQL takes 63 bytes.
    application_name: `order-sync ${hostname()}:${process.pid}`.slice(0, 63),
    connectionTimeoutMillis: 10_000,
    options: SESSION,
  };
  const pool = new Pool({ ...settings, max: maxConnections });
  // An idle connection that breaks is replaced by the pool at the next query; without a listener it would end the process.
  pool.on('error', () => undefined);
  // One that breaks in use fails its query, which is where it is dealt with.
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    const { rows } = await pool.query<{ version: number; encoding: string }>(
      `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding`,
    );
    const version = Math.floor((rows[0]?.version ?? 0) / 10_000);
    if (version < OLDEST_POSTGRES) {
      throw new TerminalError(`PostgreSQL ${version} is too old: ${OLDEST_POSTGRES} or later is needed`);
    }
    const encoding = rows[0]?.encoding ?? '';
    if (encoding !== 'UTF8') {
      throw new TerminalError(
        `the database is encoded in ${encoding}, which cannot hold every name: create one with ENCODING 'UTF8'`,
      );
    }
  } catch (error) {
    await pool.end();
    if (error instanceof TerminalError) throw error;
    throw new TerminalError(`The database of DATABASE_URL: ${databaseSentence(error)}`, { cause: error });
  }
  return {
    db: drizzle(pool),
    async connect() {
      const client = new Client(settings);
      client.on('error', () => undefined);
      await client.connect();
      return client;
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
}
