import { type Client, type Connection, DatabaseError, type FieldDef } from 'pg';

import { QueryError } from '../../model/errors.ts';
import type { Database } from '../db/database.ts';
import { TRANSACTION_SETTINGS } from '../db/transactions.ts';
import { type Reader, takeRole } from './take-role.ts';
import { readUnverified, type UnverifiedShop } from './unverified-days.ts';

export type QueryRequest = {
  readonly text: string;
  readonly role: Reader;
  /** Schemas whose views need no prefix. */
  readonly searchPath: string;
  /** IANA zone in which instants are written. */
  readonly timezone: string;
  readonly timeoutMs: number;
  /** Cancels the query. */
  readonly signal: AbortSignal;
};

export type QueryColumn = {
  readonly name: string;
  readonly kind: 'number' | 'boolean' | 'json' | 'time' | 'text';
  /** A numeric with as many digits after the point as PostgreSQL chose, such as an average. */
  readonly isUnscaled: boolean;
};
/** Every value as PostgreSQL writes it, but true and false; null: NULL. */
export type QueryRow = readonly (string | null)[];

/** What a query returns. */
export type QueryResult = {
  readonly columns: readonly QueryColumn[];
  readonly batches: AsyncIterable<readonly QueryRow[]>;
  /** Shops of which the query may have read days that are not verified. */
  readonly unverified: readonly UnverifiedShop[];
};

const ROWS_PER_BATCH = 1000;
const NUMERIC = 1700;
/** By the OID of the type; all others are texts. */
const KINDS: Readonly<Record<number, QueryColumn['kind']>> = {
  16: 'boolean',
  20: 'number',
  21: 'number',
  23: 'number',
  700: 'number',
  701: 'number',
  [NUMERIC]: 'number',
  114: 'json',
  3802: 'json',
  1114: 'time',
  1184: 'time',
};

/**
 * Runs one statement in a transaction that only reads, as one of the reading roles. Rows come in batches, so that memory does not
 * grow with the result.
 *
 * The role keeps a query from reading by mistake what it should not. It does not lock anybody in: whoever writes the query could
 * reset the role, and has the settings of this program anyway.
 *
 * @param use gets the columns and the rows, before the transaction ends
 * @throws QueryError for a statement that PostgreSQL refuses, or that returns no rows
 */
export async function readQuery(
  database: Database,
  request: QueryRequest,
  use: (result: QueryResult) => Promise<void>,
): Promise<void> {
  const client = await database.connect();
  try {
    await begin(client, request);
    using _cancelling = await cancelOnAbort(database, client, request.signal);
    const unverified = await readUnverified(client);
    const { text, signal } = request;
    try {
      const { fields } = await exchange(client, (connection) => {
        connection.parse({ name: ASKED, text, types: [] }, true);
        connection.describe({ type: 'S', name: ASKED }, true);
      });
      if (fields.length === 0)
        throw new QueryError('this statement returns no rows; only queries can be run', text);
      const columns = fields.map(toColumn);
      await use({ columns, batches: readBatches(client, columns, signal), unverified });
    } catch (error) {
      throw toQueryError(error, text);
    }
  } finally {
    // Ends the transaction, too.
    await client.end();
  }
}

async function begin(client: Client, request: QueryRequest): Promise<void> {
  await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${TRANSACTION_SETTINGS}`);
  await takeRole(client, request.role);
  const settings = {
    search_path: request.searchPath,
    timezone: request.timezone,
    statement_timeout: String(request.timeoutMs),
  };
  for (const [name, value] of Object.entries(settings)) {
    await client.query('SELECT set_config($1, $2, true)', [name, value]);
  }
}

const toColumn = ({ name, dataTypeID, dataTypeModifier }: FieldDef): QueryColumn => ({
  name,
  kind: KINDS[dataTypeID] ?? 'text',
  isUnscaled: dataTypeID === NUMERIC && dataTypeModifier === -1,
});

/** Name of the statement and of its cursor, which last until the transaction ends. */
const ASKED = 'asked';

async function* readBatches(
  client: Client,
  columns: readonly QueryColumn[],
  signal: AbortSignal,
): AsyncGenerator<readonly QueryRow[]> {
  const readable = (value: string | null, at: number) =>
    columns[at]?.kind === 'boolean' && value !== null ? String(value === 't') : value;
  let isOpen = false;
  for (let hasMore = true; hasMore;) {
    signal.throwIfAborted();
    const batch = await exchange(client, (connection) => {
      if (!isOpen) connection.bind({ portal: ASKED, statement: ASKED }, true);
      connection.execute({ portal: ASKED, rows: String(ROWS_PER_BATCH) }, true);
    });
    isOpen = true;
    hasMore = batch.hasMore;
    yield batch.rows.map((row) => row.map(readable));
  }
}

type Exchange = { fields: readonly FieldDef[]; rows: QueryRow[]; hasMore: boolean };

/** Sends messages of the extended protocol, which takes one statement only, and collects what the server answers. */
async function exchange(client: Client, send: (connection: Connection) => void): Promise<Exchange> {
  const outcome = Promise.withResolvers<Exchange>();
  const answer: Exchange = { fields: [], rows: [], hasMore: false };
  // What pg hands the server's messages to.
  client.query({
    submit(connection: Connection): void {
      send(connection);
      connection.sync();
    },
    handleRowDescription: ({ fields }: Pick<Exchange, 'fields'>) => {
      answer.fields = fields;
    },
    handleDataRow: ({ fields }: { readonly fields: QueryRow }) => void answer.rows.push(fields),
    handlePortalSuspended: () => {
      answer.hasMore = true;
    },
    handleCommandComplete: () => undefined,
    handleError: outcome.reject,
    handleReadyForQuery: () => outcome.resolve(answer),
  });
  return outcome.promise;
}

async function cancelOnAbort(database: Database, client: Client, signal: AbortSignal): Promise<Disposable> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const cancel = () =>
    void database.query('SELECT pg_cancel_backend($1)', [rows[0]?.pid]).catch(() => undefined);
  signal.addEventListener('abort', cancel);
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', cancel) };
}

/** Classes of SQLSTATE that speak of the connection or the server, not of the query. */
const OF_SERVER = /^(080|28|53|57P|58|XX)/;

/** The error to throw for one of the server's about a query; others are returned as they are. */
function toQueryError(error: unknown, text: string): unknown {
  if (!(error instanceof DatabaseError) || OF_SERVER.test(error.code ?? '')) return error;
  const { code, detail, hint } = error;
  const position = error.position === undefined ? undefined : Number(error.position);
  return new QueryError(error.message, text, { code, detail, hint, position }, error);
}
