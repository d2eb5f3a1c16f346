/**
 * Who uses the server: each client holds a shared advisory lock in a session of its own. The server itself takes it back
 * however the client ends, and whoever gets the exclusive lock knows that nobody else is left.
 */
import { Client, DatabaseError } from 'pg';

import { passwordFileOf, readPassword, USER } from './data-folder.ts';
import { findPostmaster, stopPostmaster } from './postmaster.ts';

export type Registration = { readonly session: Client; readonly url: string; readonly psql: string };

const DATABASE = 'order_sync';
/** In the database `postgres`, which nobody else uses. */
const LOCK = 1;
const CONNECT_WITHIN_MS = 5_000;
/** The server is starting up or shutting down. */
const PASSING_CODE = /^57P0[123]$/;

/**
 * Registers a client, for whom the database is created when missing; undefined while the server does not answer yet.
 *
 * @throws DatabaseError when the server answers but refuses
 */
export async function register(dataFolder: string): Promise<Registration | undefined> {
  const { port, isReady = false } = (await findPostmaster(dataFolder)) ?? {};
  if (port === undefined || !isReady) return undefined;
  const [host, user, password] = ['127.0.0.1', USER, await readPassword(dataFolder)];
  const address = { host, port, user, password, database: 'postgres' };
  const session = new Client({ ...address, connectionTimeoutMillis: CONNECT_WITHIN_MS });
  session.on('error', () => undefined);
  try {
    await session.connect();
    await session.query(`SELECT pg_advisory_lock_shared(${LOCK})`);
    const found = await session.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (found.rowCount === 0) await session.query(`CREATE DATABASE ${DATABASE}`);
    const place = `${host}:${port}/${DATABASE}`;
    const psql = `PGPASSFILE=${passwordFileOf(dataFolder)} psql postgres://${user}@${place}`;
    return { session, url: `postgres://${user}:${password}@${place}`, psql };
  } catch (error) {
    await session.end().catch(() => undefined);
    if (!(error instanceof DatabaseError) || PASSING_CODE.test(error.code ?? '')) return undefined;
    throw error;
  }
}

/**
 * Ends a client's session, and stops the server when it was the last one. Call it under the home's lock, so that nobody
 * comes meanwhile.
 *
 * @returns whether the server was stopped
 */
export async function unregister({ session }: Registration, dataFolder: string): Promise<boolean> {
  const query = `SELECT pg_advisory_unlock_shared(${LOCK}), pg_try_advisory_lock(${LOCK}) AS last`;
  const { rows } = await session.query<{ last: boolean }>(query);
  if (rows[0]?.last === true) await stopPostmaster(dataFolder);
  await session.end();
  return rows[0]?.last === true;
}
