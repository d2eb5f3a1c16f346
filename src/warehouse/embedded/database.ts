/** The one database of the embedded server. */
import { Client, DatabaseError } from 'pg';

import { TerminalError } from '../../errors.ts';
import { DATABASE, DATABASE_USER } from './data-folder.ts';

const CONNECT_WITHIN_MS = 5_000;
/** The server is starting up or shutting down. */
const CANNOT_CONNECT_NOW = '57P03';

/**
 * The URL of the database, which is created when missing; undefined while the server does not answer yet.
 *
 * @throws TerminalError when the server answers but refuses
 */
export async function prepareDatabase(port: number, password: string): Promise<string | undefined> {
  const server = `postgres://${DATABASE_USER}:${password}@127.0.0.1:${port}`;
  const client = new Client({
    connectionString: `${server}/postgres`,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
    return `${server}/${DATABASE}`;
  } catch (cause) {
    if (!(cause instanceof DatabaseError) || cause.code === CANNOT_CONNECT_NOW) return undefined;
    throw new TerminalError(`The embedded PostgreSQL could not prepare its database: ${cause.message}`, {
      cause,
    });
  } finally {
    await client.end().catch(() => undefined);
  }
}
