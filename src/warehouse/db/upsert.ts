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

export type UpsertOptions<Name extends string, Returned extends Name = never> = {
  /** Written when a row is new, never changed afterwards. */
  readonly insertOnly?: readonly Name[];
  /** Written when another column changed; a difference in these alone does not count. */
  readonly silent?: readonly Name[];
  /** NUL characters are removed, or escaped so that payloads can be restored exactly. @default 'removed' */
  readonly nul?: 'removed' | 'escaped';
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
  options: UpsertOptions<ColumnName<Table>, Returned> = {},
): Promise<readonly Stored<Table, Returned>[]> {
  const written: Stored<Table, Returned>[] = [];
  for (const [present, group] of byColumns(rows)) {
    const { head, tail } = statementFor(table, present, options);
    const statement = sql`${head}${jsonText(group, options.nul)}${tail}`;
    written.push(...(await tx.execute<Stored<Table, Returned>>(statement)).rows);
  }
  return written;
}

/** Rows by the columns that they have. */
function byColumns<Row extends object>(rows: readonly Row[]) {
  const groups = Map.groupBy(rows, (row) => Object.keys(row).join());
  return [...groups].map(([names, group]) => [names.split(','), group] as const);
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
  nul?: Options['nul'],
): Promise<void> {
  for (const [present, group] of byColumns(rows)) {
    const { name, types, keys } = describeTable(table, present);
    const joined = keys
      .filter((key) => key in types)
      .map((key) => `stored.${quoted(key)} = given.${quoted(key)}`);
    const written = Object.keys(types).filter((column) => !keys.includes(column));
    const set = written.map((column) => `${quoted(column)} = given.${quoted(column)}`);
    await tx.execute(sql`
      UPDATE ${sql.raw(name)} AS stored SET ${sql.raw(set.join(', '))} FROM ${recordset(types, group, nul)}
      WHERE stored.shop_id = ${shopId} AND ${sql.raw([...joined, differ('given', written)].join(' AND '))}`);
  }
}

type Statement = { readonly head: SQL; readonly tail: SQL };
type Options = UpsertOptions<string, string>;

/** Building a statement takes longer than writing its rows. */
const statements = new WeakMap<PgTable, Map<string, Statement>>();

function statementFor(table: PgTable, present: readonly string[], options: Options): Statement {
  const cached = statements.get(table) ?? new Map<string, Statement>();
  statements.set(table, cached);
  const key = JSON.stringify([present, options]);
  const statement = cached.get(key) ?? buildStatement(table, present, options);
  cached.set(key, statement);
  return statement;
}

function buildStatement(
  table: PgTable,
  present: readonly string[],
  { insertOnly = [], silent = [], returning = [] }: Options,
): Statement {
  const { name, types, keys } = describeTable(table, present);
  const names = Object.keys(types);
  const updated = names.filter((column) => ![...keys, ...insertOnly].includes(column));
  const compared = updated.filter((column) => !silent.includes(column));
  const returned = returning.map((column) => `stored.${quoted(column)}`);
  return {
    head: sql.raw(`INSERT INTO ${name} AS stored (${quotedList(names)})
    SELECT ${quotedList(names)} FROM json_to_recordset(`),
    // The rows that come back are counted, since a Citus counts those that it was given. It takes no parameter there.
    tail: sql.raw(`::json) AS given(${typed(types)})
    ON CONFLICT (${quotedList(keys)}) ${onConflict(updated, compared)}
    RETURNING ${returned.join(', ') || '1'}`),
  };
}

/** SQL types of columns by their names. */
export type ColumnTypes = Readonly<Record<string, string>>;

/** Rows as a table `given` in FROM: these columns of them, whatever else they have. */
export function recordset(
  types: ColumnTypes,
  rows: readonly Readonly<Record<string, unknown>>[],
  nul?: Options['nul'],
): SQL {
  const names = Object.keys(types);
  const given = rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));
  return sql`json_to_recordset(${jsonText(given, nul)}::json) AS given(${sql.raw(typed(types))})`;
}

/** Types of some columns of a table, in the table's order. */
export function typesOf<Table extends PgTable>(
  table: Table,
  names: readonly ColumnName<Table>[],
): ColumnTypes {
  return describeTable(table, names).types;
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

function describeTable(table: PgTable, present: readonly string[]) {
  const { schema = 'public', columns, primaryKeys } = getTableConfig(table);
  const keys = [
    ...columns.filter((column) => column.primary),
    ...primaryKeys.flatMap((key) => key.columns),
  ].map((column) => column.name);
  const given = columns.filter((column) => present.includes(column.name));
  const types: ColumnTypes = Object.fromEntries(given.map((column) => [column.name, column.getSQLType()]));
  return { name: `${quoted(schema)}.${quoted(getTableName(table))}`, types, keys };
}

function onConflict(updated: readonly string[], compared: readonly string[]): string {
  if (compared.length === 0) return 'DO NOTHING';
  const set = updated.map((name) => `${quoted(name)} = excluded.${quoted(name)}`);
  return `DO UPDATE SET ${set.join(', ')} WHERE ${differ('excluded', compared)}`;
}

/** @param given the rows that the stored ones are compared with */
const differ = (given: string, columns: readonly string[]) =>
  `(${side('stored', columns)}) IS DISTINCT FROM (${side(given, columns)})`;

/** The columns of one side of a comparison. */
const side = (alias: string, columns: readonly string[]) =>
  columns.map((name) => `${alias}.${quoted(name)}`).join(', ');

const typed = (types: ColumnTypes) =>
  Object.entries(types)
    .map(([name, type]) => `${quoted(name)} ${type}`)
    .join(', ');

/** Names come from the schema, and hold no quote. */
const quoted = (name: string) => `"${name}"`;
const quotedList = (names: readonly string[]) => names.map(quoted).join(', ');
