/**
 * Who uses the server: each client holds a shared advisory lock in a session of its own. The server itself takes it back
 * however the client ends, and whoever gets the exclusive lock knows that nobody else is left.
 */
import { Client, DatabaseError } from 'pg';

import { NAME, readPassword } from './home.ts';
import { findPostmaster, stopPostmaster } from './postmaster.ts';

export type Registration = { readonly session: Client; readonly url: string };

/** In the database `postgres`, which nobody else uses. */
const LOCK = 1;
/** The server is starting up or shutting down. */
const PASSING_CODE = /^57P0[123]$/;

/**
 * Registers a client, for whom the database is created when missing; undefined while the server does not answer yet.
 *
 * @throws DatabaseError when the server answers but refuses
 */
export async function register(dataFolder: string): Promise<Registration | undefined> {
  const { port, isReady = false } = (await findPostmaster(dataFolder)) ?? {};
  if (!isReady) return undefined;
  const server = `${NAME}:${await readPassword(dataFolder)}@127.0.0.1:${port}`;
  const session = new Client({ connectionString: urlOf(server, 'postgres'), connectionTimeoutMillis: 5_000 });
  session.on('error', () => undefined);
  try {
    await session.connect();
    await session.query(`SELECT pg_advisory_lock_shared(${LOCK})`);
    const found = await session.query('SELECT FROM pg_database WHERE datname = $1', [NAME]);
    if (found.rowCount === 0) await session.query(`CREATE DATABASE ${NAME}`);
    return { session, url: urlOf(server, NAME) };
  } catch (error) {
    await session.end().catch(() => undefined);
    if (!(error instanceof DatabaseError) || PASSING_CODE.test(error.code ?? '')) return undefined;
    throw error;
  }
}

/** The server has no certificate, whatever PGSSLMODE asks of others. */
const urlOf = (server: string, database: string) => `postgres://${server}/${database}?sslmode=disable`;

/**
 * Ends a client's session; stops the server and returns true when it was the last one. Call it under the home's lock, so
 * that nobody comes meanwhile.
 */
export async function unregister({ session }: Registration, dataFolder: string): Promise<boolean> {
  try {
    const query = `SELECT pg_advisory_unlock_shared(${LOCK}), pg_try_advisory_lock(${LOCK}) AS last`;
    const { rows } = await session.query<{ last: boolean }>(query);
    const isLast = rows[0]?.last === true;
    if (isLast) await stopPostmaster(dataFolder);
    return isLast;
  } finally {
    await session.end();
  }
}
