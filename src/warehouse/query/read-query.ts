import { type Client, type Connection, DatabaseError, type FieldDef } from 'pg';

import type { Database } from '../db/database.ts';
import { TRANSACTION_SETTINGS } from '../db/session.ts';
import { becomeReader, type Reader, readerCall } from './reader-function.ts';
import {
  type PartialHistory,
  readHistories,
  readUnverified,
  type UnverifiedShop,
} from './unverified-days.ts';

export type QueryRequest = {
  readonly text: string;
  readonly role: Reader;
  /** Schemas whose views need no prefix. */
  readonly searchPath: string;
  /** IANA zone in which instants are written. */
  readonly timezone: string;
  readonly timeoutMs: number;
  /** Rows as JSON objects, in one column, instead of a text per column. */
  readonly asJson: boolean;
  /** Cancels the query. */
  readonly signal: AbortSignal;
};

export type QueryColumn = {
  readonly name: string;
  readonly isNumeric: boolean;
  /** A numeric with as many digits after the point as PostgreSQL chose, such as an average. */
  readonly isUnscaled: boolean;
};
/** Every value as PostgreSQL writes it; null: NULL. */
export type QueryRow = readonly (string | null)[];

/** What a query returns. */
export type QueryResult = {
  readonly columns: readonly QueryColumn[];
  readonly batches: AsyncIterable<readonly QueryRow[]>;
  /** Shops of which the query may have read days that are not verified. */
  readonly unverified: readonly UnverifiedShop[];
  /** Shops of which the query may call customers new who bought before. */
  readonly histories: readonly PartialHistory[];
};

const ROWS_PER_FETCH = 1000;
/** What depends on whether a customer bought before: columns, and views that have hardly any other. */
const OF_HISTORY =
  /(new|returning)_customers|is_first_order|order_number_of_customer|first_order_date|is_repeat|cohort|customer_rfm|_score|segment/i;
const BOOLEAN = 16;
const NUMERIC = 1700;
const NUMERIC_TYPES = [20, 21, 23, 700, 701, NUMERIC];

/**
 * No column can be declared as a pseudo-type such as void, nor as an array or a row that holds one, as some catalogs do; but it
 * can as a record, or as an array of records.
 */
const DECLARED_TYPES = `
  WITH RECURSIVE described AS (
    SELECT id, modifier, n FROM unnest($1::oid[], $2::int[]) WITH ORDINALITY AS described(id, modifier, n)
  ), part AS (
    SELECT id, id AS part_id FROM described
    UNION
    SELECT part.id, next.id
    FROM part JOIN pg_type whole ON whole.oid = part.part_id
    CROSS JOIN LATERAL (
      SELECT whole.typelem AS id
      UNION ALL
      SELECT atttypid FROM pg_attribute WHERE attrelid = whole.typrelid AND attnum > 0
    ) next
  )
  SELECT CASE
    WHEN id = ANY (ARRAY['record'::regtype, 'record[]'::regtype]) THEN id::regtype::text
    WHEN id IN (SELECT part.id FROM part JOIN pg_type ON oid = part_id WHERE typtype = 'p') THEN 'text'
    ELSE format_type(id, modifier)
  END AS type
  FROM described
  ORDER BY n`;

/**
 * Runs a query as one of the reading roles, which it cannot leave, in a transaction that writes nothing. Rows come in batches,
 * so that memory does not grow with the result.
 *
 * @param use gets the columns and the rows, before the transaction ends
 * @throws QueryError for a query that PostgreSQL refuses, and for more than one statement
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
    const described = await describe(client, request.text);
    const unverified = await readUnverified(client);
    const names = [request.text, ...described.map(({ name }) => name)];
    const histories = names.some((name) => OF_HISTORY.test(name)) ? await readHistories(client) : [];
    await openCursor(client, request, described);
    const columns = described.map(({ name, dataTypeID, dataTypeModifier }) => ({
      name,
      isNumeric: NUMERIC_TYPES.includes(dataTypeID),
      isUnscaled: dataTypeID === NUMERIC && dataTypeModifier === -1,
    }));
    await use({ columns, batches: fetchAll(client, request.asJson ? [] : described), unverified, histories });
  } catch (error) {
    throw toQueryError(error, request.text);
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
    await client.end();
  }
}

async function begin(client: Client, request: QueryRequest): Promise<void> {
  await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ; ${TRANSACTION_SETTINGS}`);
  await becomeReader(client, request.role);
  const settings = {
    search_path: request.searchPath,
    timezone: request.timezone,
    statement_timeout: String(request.timeoutMs),
  };
  for (const [name, value] of Object.entries(settings)) {
    await client.query('SELECT set_config($1, $2, true)', [name, value]);
  }
}

/** A column of a result, as the server describes it: its name, the OID of its type, and the type's modifier; -1: none. */
type DescribedColumn = Pick<FieldDef, 'name' | 'dataTypeID' | 'dataTypeModifier'>;

/**
 * Asks the server which columns a statement returns, without running it. The protocol takes one statement only.
 *
 * @throws DatabaseError for what is not a single valid statement; QueryError for one that returns no rows
 */
async function describe(client: Client, text: string): Promise<readonly DescribedColumn[]> {
  const outcome = Promise.withResolvers<readonly DescribedColumn[]>();
  let columns: readonly DescribedColumn[] = [];
  // What pg hands the server's messages to.
  client.query({
    submit(connection: Connection): void {
      connection.parse({ name: '', text, types: [] }, true);
      connection.describe({ type: 'S', name: '' }, true);
      connection.sync();
    },
    handleRowDescription: ({ fields }: { readonly fields: readonly DescribedColumn[] }) => {
      columns = fields;
    },
    handleError: outcome.reject,
    handleReadyForQuery: () => outcome.resolve(columns),
  });
  if ((await outcome.promise).length > 0) return columns;
  throw new QueryError(
    'this statement returns no rows; only queries can be run, with SELECT, VALUES, TABLE, SHOW or EXPLAIN',
  );
}

async function openCursor(
  client: Client,
  { text, asJson }: QueryRequest,
  described: readonly DescribedColumn[],
): Promise<void> {
  const { rows } = await client.query<{ type: string }>(DECLARED_TYPES, [
    described.map(({ dataTypeID }) => dataTypeID),
    described.map(({ dataTypeModifier }) => dataTypeModifier),
  ]);
  const columns = uniqueNames(described).map((name, at) => ({ name, type: rows[at]?.type ?? 'text' }));
  const selected = asJson ? 'row_to_json(row_read)' : '*';
  await client.query(
    `DECLARE result NO SCROLL CURSOR FOR SELECT ${selected} FROM ${readerCall(client, text, columns)}`,
  );
}

/** A query may name two columns alike; a row type and a JSON object may not. */
function uniqueNames(columns: readonly DescribedColumn[]): readonly string[] {
  const taken = new Set<string>();
  return columns.map(({ name }) => {
    let unique = name;
    for (let count = 2; taken.has(unique); count += 1) unique = `${name}_${count}`;
    taken.add(unique);
    return unique;
  });
}

async function* fetchAll(
  client: Client,
  columns: readonly DescribedColumn[],
): AsyncGenerator<readonly QueryRow[]> {
  const types = { getTypeParser: () => (value: string) => value };
  const isBoolean = columns.map(({ dataTypeID }) => dataTypeID === BOOLEAN);
  const readable = (value: string | null, at: number) =>
    isBoolean[at] === true && value !== null ? String(value === 't') : value;
  for (;;) {
    const { rows } = await client.query<(string | null)[]>({
      text: `FETCH ${ROWS_PER_FETCH} FROM result`,
      rowMode: 'array',
      types,
    });
    if (rows.length === 0) return;
    yield isBoolean.includes(true) ? rows.map((row) => row.map(readable)) : rows;
  }
}

async function cancelOnAbort(database: Database, client: Client, signal: AbortSignal): Promise<Disposable> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const cancel = () =>
    void database.query('SELECT pg_cancel_backend($1)', [rows[0]?.pid]).catch(() => undefined);
  signal.addEventListener('abort', cancel);
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', cancel) };
}

type QueryFault = {
  /** SQLSTATE, where the server refused it. */
  readonly code?: string | undefined;
  /** Where in the query, in characters from 1. */
  readonly position?: number | undefined;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
};

/** A query of somebody's own failed. The message is the server's, and may quote values. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly fault: QueryFault;

  constructor(message: string, fault: QueryFault = {}, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

/** Classes of SQLSTATE that speak of the connection or the server, not of the query. */
const OF_SERVER = /^(08|28|53|57P|58|XX)/;

/** The error to throw for one of the server's about a query; others are returned as they are. @param text of the query */
function toQueryError(error: unknown, text: string): unknown {
  if (!(error instanceof DatabaseError) || OF_SERVER.test(error.code ?? '')) return error;
  // Some errors are found when the query is described, others when the function runs it.
  const internal = error.internalQuery === text ? error.internalPosition : undefined;
  const position = Number(error.position ?? internal);
  const { code, detail, hint } = error;
  const fault = { code, detail, hint, position: Number.isInteger(position) ? position : undefined };
  return new QueryError(error.message, fault, error);
}
