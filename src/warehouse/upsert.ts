import { getTableName, type InferInsertModel, type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';

import type { Db, Tx } from './database.ts';
import { jsonText } from './json-text.ts';

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
  const { schema, columns, keys } = shapeOf(table, Object.keys(first));
  const fixed = new Set<string>([...keys, ...(options.insertOnly ?? [])]);
  const updated = columns.filter((column) => !fixed.has(column.name));
  const compared = updated.filter((column) => !options.silent?.some((name) => name === column.name));
  const names = list(columns.map((column) => sql.identifier(column.name)));
  const result = await tx.execute(sql`
    INSERT INTO ${sql.identifier(schema)}.${sql.identifier(getTableName(table))} AS stored (${names})
    SELECT ${names} FROM ${recordset(columns, rows, options.nul)}
    ON CONFLICT (${list(keys.map((key) => sql.identifier(key)))}) ${onConflict(updated, compared)}`);
  return result.rowCount ?? 0;
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
  const joined = keys.map((key) => sql`stored.${sql.identifier(key)} = given.${sql.identifier(key)}`);
  const compared = columns.filter((column) => !isKey(column));
  const { rows: found } = await db.execute(sql`
    SELECT ${list(keys.map((key) => sql`stored.${sql.identifier(key)}`))}
    FROM ${sql.identifier(schema)}.${sql.identifier(getTableName(table))} AS stored
    JOIN ${recordset(columns, rows)} ON ${sql.join(joined, sql` AND `)}
    WHERE (${side('stored', compared)}) IS DISTINCT FROM (${side('given', compared)})`);
  return found;
}

/** Rows as a table in FROM: `json_to_recordset` with the types of the given columns. */
export function recordset(
  columns: readonly Column[],
  rows: readonly unknown[],
  nul?: UpsertOptions<string>['nul'],
): SQL {
  const types = columns.map((column) => sql`${sql.identifier(column.name)} ${sql.raw(column.type)}`);
  return sql`json_to_recordset(${jsonText(rows, nul)}::json) AS given(${list(types)})`;
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

function onConflict(updated: readonly Column[], compared: readonly Column[]): SQL {
  if (compared.length === 0) return sql`DO NOTHING`;
  const set = updated.map(({ name }) => sql`${sql.identifier(name)} = excluded.${sql.identifier(name)}`);
  return sql`DO UPDATE SET ${list(set)}
    WHERE (${side('stored', compared)}) IS DISTINCT FROM (${side('excluded', compared)})`;
}

/** The columns of one side of a comparison. */
function side(alias: string, columns: readonly Column[]): SQL {
  return list(columns.map(({ name }) => sql`${sql.raw(alias)}.${sql.identifier(name)}`));
}

function list(parts: readonly SQL[] | readonly ReturnType<typeof sql.identifier>[]): SQL {
  return sql.join([...parts], sql`, `);
}
