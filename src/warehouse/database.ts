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
    options: '-c timezone=UTC',
  };
  const pool = new Pool({ ...settings, max: maxConnections });
  // An idle connection that breaks is replaced by the pool at the next query; without a listener it would end the process.
  pool.on('error', () => undefined);
  // One that breaks in use fails its query, which is where it is dealt with.
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    const { rows } = await pool.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::int AS version`,
    );
    const version = Math.floor((rows[0]?.version ?? 0) / 10_000);
    if (version < OLDEST_POSTGRES) {
      throw new TerminalError(`PostgreSQL ${version} is too old: ${OLDEST_POSTGRES} or later is needed`);
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
