import { getTableName, type InferInsertModel, type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';

import type { Tx } from './database.ts';
import { jsonText } from './pg-json.ts';

/** Rows go as JSON: a day may be one or its text. */
type RowToWrite<Table extends PgTable> = {
  [Name in keyof InferInsertModel<Table>]: InferInsertModel<Table>[Name] extends Temporal.PlainDate
    ? Temporal.PlainDate | string
    : InferInsertModel<Table>[Name];
};
type ColumnName<Table extends PgTable> = keyof InferInsertModel<Table> & string;
/** Columns of a stored row. */
type Stored<Table extends PgTable, Names extends string> = {
  readonly [Name in Names & keyof Table['$inferSelect']]: Table['$inferSelect'][Name];
};

type UpsertOptions<Name extends string, Returned extends Name = never> = {
  /** Written when a row is new, never changed afterwards. */
  readonly insertOnly?: readonly Name[];
  /** Written when another column changed; a difference in these alone does not count. */
  readonly silent?: readonly Name[];
  /** Columns to return of the rows that were inserted or changed. */
  readonly returning?: readonly Returned[];
};

/**
 * Inserts rows, or updates those whose primary key exists and whose values differ: an unchanged row is not written.
 * The SQL is derived from the Drizzle table; its one parameter is the rows as JSON.
 *
 * @param rows of columns that a row lacks, what is stored stays; no primary key twice
 * @returns a row for each that was inserted or changed
 */
export async function upsert<Table extends PgTable, Returned extends ColumnName<Table> = never>(
  tx: Tx,
  table: Table,
  rows: readonly RowToWrite<Table>[],
  { insertOnly = [], silent = [], returning = [] }: UpsertOptions<ColumnName<Table>, Returned> = {},
): Promise<readonly Stored<Table, Returned>[]> {
  const { name, keys } = describeTable(table);
  const unchanged: readonly string[] = [...keys, ...insertOnly];
  const uncompared: readonly string[] = silent;
  const written: Stored<Table, Returned>[] = [];
  for (const [columns, group] of byColumns(rows)) {
    const updated = columns.filter((column) => !unchanged.includes(column));
    const compared = updated.filter((column) => !uncompared.includes(column));
    const update = sql`UPDATE SET ${assign(updated, 'excluded')} WHERE ${differ(compared, 'excluded')}`;
    // The rows that come back are counted, since a Citus counts those that it was sent. It takes no parameter there.
    const result = await tx.execute<Stored<Table, Returned>>(sql`
      INSERT INTO ${name} AS stored (${list(columns)}) SELECT ${list(columns)} FROM ${rowsOf(name, group)}
      ON CONFLICT (${list(keys)}) DO ${compared.length === 0 ? sql`NOTHING` : update}
      RETURNING ${returning.length === 0 ? sql`1` : list(returning, 'stored.')}`);
    written.push(...result.rows);
  }
  return written;
}

/**
 * Writes columns of rows of a shop that are stored, where their values differ; rows that are not stored are ignored.
 *
 * @param rows with their primary keys, but for the shop
 */
export async function update<Table extends PgTable>(
  tx: Tx,
  table: Table,
  shopId: number,
  rows: readonly Partial<RowToWrite<Table>>[],
): Promise<void> {
  const { name, keys } = describeTable(table);
  for (const [columns, group] of byColumns(rows)) {
    const written = columns.filter((column) => !keys.includes(column));
    const own = keys.filter((key) => columns.includes(key));
    await tx.execute(sql`
      UPDATE ${name} AS stored SET ${assign(written, 'input')} FROM ${rowsOf(name, group)}
      WHERE stored.shop_id = ${shopId} AND (${list(own, 'stored.')}) = (${list(own, 'input.')}) AND ${differ(written, 'input')}`);
  }
}

/** Rows by the columns that they have. */
function byColumns<Row extends object>(rows: readonly Row[]) {
  const groups = Map.groupBy(rows, (row) => Object.keys(row).join());
  return [...groups].map(([names, group]) => [names.split(','), group] as const);
}

function describeTable(table: PgTable) {
  const { schema = 'public', columns, primaryKeys } = getTableConfig(table);
  const keys = [...columns.filter((column) => column.primary), ...primaryKeys.flatMap((key) => key.columns)];
  const name = sql.raw(`${quoted(schema)}.${quoted(getTableName(table))}`);
  return { name, keys: keys.map((column) => column.name) };
}

/** Rows of a table as `input` in FROM, of its types; columns that they lack are NULL. */
const rowsOf = (table: SQL, rows: readonly object[]) =>
  sql`json_populate_recordset(NULL::${table}, ${jsonText(rows)}::json) AS input`;

const assign = (columns: readonly string[], from: string) =>
  sql.raw(columns.map((column) => `${quoted(column)} = ${from}.${quoted(column)}`).join(', '));

const differ = (columns: readonly string[], from: string) =>
  sql`(${list(columns, 'stored.')}) IS DISTINCT FROM (${list(columns, `${from}.`)})`;

const list = (columns: readonly string[], of = '') =>
  sql.raw(columns.map((column) => of + quoted(column)).join(', '));

/** Names come from the schema, and hold no quote. */
const quoted = (name: string) => `"${name}"`;

/** Rows as a table `input` in FROM, with columns of these SQL types, whatever else they have. */
export function recordset(
  types: Readonly<Record<string, string>>,
  rows: readonly Readonly<Record<string, unknown>>[],
): SQL {
  const names = Object.keys(types);
  const input = rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));
  const columns = Object.entries(types).map(([name, type]) => `${quoted(name)} ${type}`);
  return sql`json_to_recordset(${jsonText(input)}::json) AS input(${sql.raw(columns.join(', '))})`;
}

/** Rows by their numbers: these, or the next ones after a number. */
export type WhichRows =
  | { readonly ids: readonly string[] }
  | { readonly after: string | undefined; readonly limit: number };

/** What a statement needs for that: a condition on the number, and how many rows at most. */
export function whichRows(number: SQL, which: WhichRows): { readonly isAsked: SQL; readonly limit: SQL } {
  if ('ids' in which) return { isAsked: sql`${number} IN ${valuesIn(which.ids)}`, limit: sql`` };
  const after = sql`coalesce(${which.after ?? null}::bigint, -9223372036854775808)`;
  return { isAsked: sql`${number} > ${after}`, limit: sql`LIMIT ${which.limit}` };
}

/** Values as a subquery of one column, for `IN`. */
export function valuesIn(values: readonly string[], type: 'bigint' | 'text' | 'date' = 'bigint'): SQL {
  return sql`(SELECT value::${sql.raw(type)} FROM json_array_elements_text(${JSON.stringify(values)}::json) AS value)`;
}
