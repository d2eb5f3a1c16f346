import { hostname } from 'node:os';
import { callbackify } from 'node:util';

import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { Client, type ClientBase, type ClientConfig, Pool, type QueryResult } from 'pg';

import { TerminalError } from '../../model/errors.ts';
import { databaseSentence } from './database-error.ts';
import { drizzlePool, giveTypes, SESSION_SETTINGS, TYPES } from './transactions.ts';
import { type WaitOptions, watchWaiting } from './waiting-connections.ts';

export type Db = NodePgDatabase;
/** An open transaction. Every write takes one, so that its type shows what is atomic. */
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];

export type Database = AsyncDisposable & {
  readonly db: Db;
  /** Runs plain SQL, for libraries that write their own. */
  query(text: string, values?: unknown[]): Promise<QueryResult>;
  /** Opens a connection outside the pool. Behind a pooler its settings and locks last for a transaction only. */
  connect(): Promise<Client>;
  /** Through a pooler such as PgBouncer: there are transactions, but no sessions. */
  readonly isPooled: boolean;
};

/** Where the database is; a function is asked anew at each connection, since the password may change meanwhile. */
export type DatabaseUrl = string | (() => string);

const CONNECT_WITHIN_MS = 10_000;
/** Many sweeps may share few connections, and each of their transactions takes a second or two. */
const WAIT_FOR_CONNECTION_MS = 60_000;
/** Firewalls forget connections on which nothing passes. */
const KEEP_ALIVE_MS = 10_000;
const MIN_POSTGRES = 15;
/** PostgreSQL truncates longer names. */
const NAME_BYTES = 63;

/**
 * The driver takes these modes for `verify-full`, and prints a warning of seven lines that this will change. Said plainly, it
 * stays so.
 */
const withPlainTls = (url: string) =>
  url.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full');

/**
 * Opens a connection pool and checks that PostgreSQL is reachable and new enough.
 *
 * @param url gives `postgres://USER:PASSWORD@HOST:PORT/DATABASE`
 * @param name the purpose of the connections, shown in `pg_stat_activity`
 * @param waits what to do about connections that wait long
 * @throws TerminalError when it is unreachable or too old
 */
export async function openDatabase(
  url: DatabaseUrl,
  maxConnections = 8,
  name = 'order-sync',
  waits: WaitOptions = {},
): Promise<Database> {
  // Shows in pg_stat_activity which of several workers a connection belongs to.
  const applicationName = `${name} ${hostname()}:${process.pid}`.slice(0, NAME_BYTES);
  // No `options`: a pooler refuses startup parameters that it does not know.
  const currentSettings = () => ({
    connectionString: withPlainTls(typeof url === 'string' ? url : url()),
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
  const isPooled = await inspect(currentSettings());
  const ask = () => connect({ ...currentSettings(), query_timeout: CONNECT_WITHIN_MS });
  const watch = watchWaiting(ask, applicationName, isPooled, waits);
  const pool = new Pool({
    // The pool hands its own settings on; its time limit is for waiting until one of its connections is free.
    Client: class extends Client {
      constructor(input?: ClientConfig) {
        super({ ...input, ...currentSettings(), types: TYPES });
        watch.add(this);
      }
    },
    connectionTimeoutMillis: WAIT_FOR_CONNECTION_MS,
    max: maxConnections,
    // Called before the pool hands out a new connection.
    ...(isPooled ? {} : { verify: callbackify(prepareSession) }),
  });
  // The pool replaces an idle connection that broke; without a listener it would end the process.
  pool.on('error', () => undefined);
  // A connection that breaks in use fails its query.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    giveTypes(client);
  });
  const db = drizzlePool(pool, isPooled);
  return {
    db,
    query: pool.query.bind(pool),
    isPooled,
    connect: () =>
      connect(currentSettings(), async (client) => {
        watch.add(client);
        if (!isPooled) await prepareSession(client);
      }),
    async [Symbol.asyncDispose]() {
      await pool.end();
      watch[Symbol.dispose]();
    },
  };
}

async function prepareSession(client: ClientBase): Promise<void> {
  await client.query(SESSION_SETTINGS);
}

async function connect(
  settings: ClientConfig,
  prepare: (client: Client) => Promise<void> = async () => undefined,
): Promise<Client> {
  const client = new Client(settings);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await prepare(client);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

/** Checks the server once. @returns whether there is a pooler: at login it reports a process id other than the server's */
async function inspect(settings: ClientConfig): Promise<boolean> {
  let client: Client | undefined;
  try {
    client = await connect({ ...settings, query_timeout: CONNECT_WITHIN_MS });
    const { rows } = await client.query<{ version: number; encoding: string; pid: number }>(
      `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
         pg_backend_pid() AS pid`,
    );
    const { version = 0, encoding = '', pid } = rows[0] ?? {};
    assertSuitable(Math.floor(version / 10_000), encoding);
    return Reflect.get(client, 'processID') !== pid;
  } catch (error) {
    if (error instanceof TerminalError) throw error;
    throw new TerminalError(`The database of DATABASE_URL: ${databaseSentence(error)}`, { cause: error });
  } finally {
    await client?.end();
  }
}

function assertSuitable(version: number, encoding: string): void {
  if (version < MIN_POSTGRES) {
    throw new TerminalError(`PostgreSQL ${version} is too old: ${MIN_POSTGRES} or later is needed`);
  }
  if (encoding !== 'UTF8') {
    throw new TerminalError(
      `the database is encoded in ${encoding}, which cannot hold every name: create one with ENCODING 'UTF8'`,
    );
  }
}
