import { getTableName, type InferInsertModel, type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';

import type { Db, Tx } from './database.ts';
import { jsonText } from './pg-json.ts';

export type UpsertOptions<Column extends string> = {
  /** Written when a row is new, never changed afterwards. */
  readonly insertOnly?: readonly Column[];
  /** Written when something else changed; a difference in these alone is none. */
  readonly silent?: readonly Column[];
  /** What becomes of NUL characters; payloads keep them escaped, so that they come back as they were. @default 'removed' */
  readonly nul?: 'removed' | 'escaped';
};

/**
 * Inserts rows, or updates those whose primary key exists and whose values differ: an unchanged row is not written.
 * The SQL is derived from the Drizzle table and has one parameter, the rows as JSON, however many they are.
 *
 * @param rows all with the same columns; no primary key twice
 * @returns rows inserted or changed
 */
export async function upsert<Table extends PgTable>(
  tx: Tx,
  table: Table,
  rows: readonly InferInsertModel<Table>[],
  options: UpsertOptions<keyof InferInsertModel<Table> & string> = {},
): Promise<number> {
  const first = rows[0];
  if (first === undefined) return 0;
  const { head, tail } = statementOf(table, Object.keys(first), options);
  const result = await tx.execute(sql`${head}${jsonText(rows, options.nul)}${tail}`);
  return result.rowCount ?? 0;
}

/**
 * Upserts like `upsert`, and tells which rows were not there before.
 *
 * @param key the column that names a row among those given
 * @returns the keys of rows inserted, as text
 */
export async function insertedKeys<Table extends PgTable>(
  tx: Tx,
  table: Table,
  rows: readonly InferInsertModel<Table>[],
  key: keyof InferInsertModel<Table> & string,
  options: UpsertOptions<keyof InferInsertModel<Table> & string> = {},
): Promise<ReadonlySet<string>> {
  const first = rows[0];
  if (first === undefined) return new Set();
  const { head, tail } = statementOf(table, Object.keys(first), options);
  // A row version that an update made carries the number of its transaction here.
  const isInserted = sql.raw(` RETURNING stored.${quoted(key)}::text AS key, stored.xmax = 0 AS is_inserted`);
  const { rows: written } = await tx.execute<{ key: string; is_inserted: boolean }>(
    sql`${head}${jsonText(rows, options.nul)}${tail}${isInserted}`,
  );
  return new Set(written.flatMap((row) => (row.is_inserted ? [row.key] : [])));
}

type Statement = { readonly head: SQL; readonly tail: SQL };

/** The same few statements are run all the time, and take longer to be put together than their rows. */
const statements = new WeakMap<PgTable, Map<string, Statement>>();

/** What stands before and after the one parameter. */
function statementOf(
  table: PgTable,
  present: readonly string[],
  { insertOnly = [], silent = [] }: UpsertOptions<string>,
): Statement {
  const ofTable = statements.get(table) ?? new Map<string, Statement>();
  statements.set(table, ofTable);
  const key = JSON.stringify([present, insertOnly, silent]);
  const known = ofTable.get(key);
  if (known !== undefined) return known;
  const { schema, columns, keys } = shapeOf(table, present);
  const fixed = new Set<string>([...keys, ...insertOnly]);
  const updated = columns.filter((column) => !fixed.has(column.name));
  const compared = updated.filter((column) => !silent.includes(column.name));
  const names = list(columns.map(({ name }) => quoted(name)));
  const made = {
    head: sql.raw(`INSERT INTO ${quoted(schema)}.${quoted(getTableName(table))} AS stored (${names})
    SELECT ${names} FROM json_to_recordset(`),
    tail: sql.raw(`::json) AS given(${typed(columns)})
    ON CONFLICT (${list(keys.map(quoted))}) ${onConflict(updated, compared)}`),
  };
  ofTable.set(key, made);
  return made;
}

/**
 * Of rows as they should be, the primary keys of those that are stored with other values in the given columns.
 *
 * @param rows all with the same columns, the primary key among them; what is not stored at all is not told
 */
export async function differing<Table extends PgTable>(
  db: Db | Tx,
  table: Table,
  rows: readonly Partial<InferInsertModel<Table>>[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const first = rows[0];
  if (first === undefined) return [];
  const { schema, columns, keys } = shapeOf(table, Object.keys(first));
  const isKey = (column: Column) => keys.includes(column.name);
  const joined = keys.map((key) => `stored.${quoted(key)} = given.${quoted(key)}`);
  const compared = columns.filter((column) => !isKey(column));
  const { rows: found } = await db.execute(sql`
    SELECT ${sql.raw(list(keys.map((key) => `stored.${quoted(key)}`)))}
    FROM ${sql.raw(`${quoted(schema)}.${quoted(getTableName(table))}`)} AS stored
    JOIN ${recordset(columns, rows)} ON ${sql.raw(joined.join(' AND '))}
    WHERE (${sql.raw(side('stored', compared))}) IS DISTINCT FROM (${sql.raw(side('given', compared))})`);
  return found;
}

/** Rows as a table in FROM: `json_to_recordset` with the types of the given columns. */
export function recordset(
  columns: readonly Column[],
  rows: readonly unknown[],
  nul?: UpsertOptions<string>['nul'],
): SQL {
  return sql`json_to_recordset(${jsonText(rows, nul)}::json) AS given(${sql.raw(typed(columns))})`;
}

export type Column = { readonly name: string; readonly type: string };

function shapeOf(table: PgTable, present: readonly string[]) {
  const config = getTableConfig(table);
  const keys = [
    ...config.columns.filter((column) => column.primary),
    ...config.primaryKeys.flatMap((key) => key.columns),
  ].map((column) => column.name);
  const columns = config.columns
    .filter((column) => present.includes(column.name))
    .map((column): Column => ({ name: column.name, type: column.getSQLType() }));
  return { schema: config.schema ?? 'public', columns, keys };
}

function onConflict(updated: readonly Column[], compared: readonly Column[]): string {
  if (compared.length === 0) return 'DO NOTHING';
  const set = updated.map(({ name }) => `${quoted(name)} = excluded.${quoted(name)}`);
  return `DO UPDATE SET ${list(set)}
    WHERE (${side('stored', compared)}) IS DISTINCT FROM (${side('excluded', compared)})`;
}

/** The columns of one side of a comparison. */
function side(alias: string, columns: readonly Column[]): string {
  return list(columns.map(({ name }) => `${alias}.${quoted(name)}`));
}

function typed(columns: readonly Column[]): string {
  return list(columns.map(({ name, type }) => `${quoted(name)} ${type}`));
}

/** Names come from the schema, and hold no quote. */
function quoted(name: string): string {
  return `"${name}"`;
}

function list(parts: readonly string[]): string {
  return parts.join(', ');
}
