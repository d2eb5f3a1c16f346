import { getTableName, type InferInsertModel, type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';

import type { Db, Tx } from './database.ts';
import { jsonText } from './pg-json.ts';

export type UpsertOptions<Column extends string> = {
  /** Written when a row is new, never changed afterwards. */
  readonly insertOnly?: readonly Column[];
  /** Written when another column changed; a difference in these alone does not count. */
  readonly silent?: readonly Column[];
  /** A column that keeps its value where no column but itself, the silent ones and those of `ignoring` changed. */
  readonly stamp?: { readonly column: Column; readonly ignoring: readonly Column[] };
  /** NUL characters are removed, or escaped so that payloads can be restored exactly. @default 'removed' */
  readonly nul?: 'removed' | 'escaped';
};
type Options<Table extends PgTable> = UpsertOptions<keyof InferInsertModel<Table> & string>;

/**
 * Inserts rows, or updates those whose primary key exists and whose values differ: an unchanged row is not written.
 * The SQL is derived from the Drizzle table; its one parameter is the rows as JSON.
 *
 * @param rows all with the same columns; no primary key twice
 */
export async function upsert<Table extends PgTable>(
  tx: Tx,
  table: Table,
  rows: readonly InferInsertModel<Table>[],
  options: Options<Table> = {},
): Promise<void> {
  if (rows.length > 0) await tx.execute(buildUpsert(table, rows, options));
}

/**
 * Upserts like `upsert`.
 *
 * @returns rows inserted or changed
 */
export async function upsertCounted<Table extends PgTable>(
  tx: Tx,
  table: Table,
  rows: readonly InferInsertModel<Table>[],
  options: Options<Table> = {},
): Promise<number> {
  if (rows.length === 0) return 0;
  // The rows that come back, since a Citus counts those that it was given.
  const { rows: written } = await tx.execute(sql`${buildUpsert(table, rows, options)} RETURNING 1`);
  return written.length;
}

/**
 * Upserts like `upsert`.
 *
 * @returns one column of the rows inserted or changed, as text
 */
export async function upsertReturning<Table extends PgTable>(
  tx: Tx,
  table: Table,
  rows: readonly InferInsertModel<Table>[],
  column: keyof InferInsertModel<Table> & string,
  options: Options<Table> = {},
): Promise<readonly string[]> {
  if (rows.length === 0) return [];
  const returning = sql.raw(` RETURNING stored.${quoted(column)}::text AS value`);
  const { rows: written } = await tx.execute<{ value: string }>(
    sql`${buildUpsert(table, rows, options)}${returning}`,
  );
  return written.map(({ value }) => value);
}

/**
 * Upserts like `upsert`.
 *
 * @param key the column that identifies a row among those given
 * @param stamp a column that is written once, with a time that no transaction before this one wrote
 * @returns the keys of inserted rows, as text
 */
export async function insertedKeys<Table extends PgTable>(
  tx: Tx,
  table: Table,
  rows: readonly InferInsertModel<Table>[],
  key: keyof InferInsertModel<Table> & string,
  stamp: { readonly column: keyof InferInsertModel<Table> & string; readonly value: string },
  options: Options<Table> = {},
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  // A Citus cannot take a parameter there.
  const returning = sql.raw(
    ` RETURNING stored.${quoted(key)}::text AS key, stored.${quoted(stamp.column)}::text AS stamp`,
  );
  const { rows: written } = await tx.execute<{ key: string; stamp: string | null }>(
    sql`${buildUpsert(table, rows, options)}${returning}`,
  );
  const own = Temporal.Instant.from(stamp.value);
  // The nodes of a Citus may show it in another zone.
  const isOwn = (text: string | null) => text !== null && Temporal.Instant.from(text).equals(own);
  const isInserted = new Map(
    [...new Set(written.map((row) => row.stamp))].map((text) => [text, isOwn(text)]),
  );
  return new Set(written.flatMap((row) => (isInserted.get(row.stamp) === true ? [row.key] : [])));
}

type Statement = { readonly head: SQL; readonly tail: SQL };

/** Building a statement takes longer than writing its rows. */
const statements = new WeakMap<PgTable, Map<string, Statement>>();

function buildUpsert(table: PgTable, rows: readonly object[], options: UpsertOptions<string>): SQL {
  const present = Object.keys(rows[0] ?? {});
  const cached = statements.get(table) ?? new Map<string, Statement>();
  statements.set(table, cached);
  const key = JSON.stringify([present, options.insertOnly, options.silent, options.stamp]);
  const { head, tail } = cached.get(key) ?? buildStatement(table, present, options);
  cached.set(key, { head, tail });
  return sql`${head}${jsonText(rows, options.nul)}${tail}`;
}

/** The SQL before and after the parameter. */
function buildStatement(
  table: PgTable,
  present: readonly string[],
  { insertOnly = [], silent = [], stamp }: UpsertOptions<string>,
): Statement {
  const { name, columns, keys } = describeTable(table, present);
  const updated = columns.filter((column) => ![...keys, ...insertOnly].includes(column.name));
  const compared = updated.filter(({ name }) => !silent.includes(name) && name !== stamp?.column);
  const names = list(columns.map((column) => quoted(column.name)));
  return {
    head: sql.raw(`INSERT INTO ${name} AS stored (${names})
    SELECT ${names} FROM json_to_recordset(`),
    tail: sql.raw(`::json) AS given(${typed(columns)})
    ON CONFLICT (${list(keys.map(quoted))}) ${onConflict(updated, compared, stamp)}`),
  };
}

/**
 * The primary keys of given rows that are stored with other values in the given columns.
 *
 * @param rows all with the same columns, the primary key among them; rows that are not stored are ignored
 */
export async function findDiffering<Table extends PgTable>(
  db: Db | Tx,
  table: Table,
  rows: readonly Partial<InferInsertModel<Table>>[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const first = rows[0];
  if (first === undefined) return [];
  const { name, columns, keys } = describeTable(table, Object.keys(first));
  const joined = keys.map((key) => `stored.${quoted(key)} = given.${quoted(key)}`);
  const compared = columns.filter((column) => !keys.includes(column.name));
  const { rows: found } = await db.execute(sql`
    SELECT ${sql.raw(list(keys.map((key) => `stored.${quoted(key)}`)))}
    FROM ${sql.raw(name)} AS stored
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

/** Values as a subquery of one column, for `IN`. */
export function valuesIn(values: readonly string[], type: 'bigint' | 'text' | 'date' = 'bigint'): SQL {
  return sql`(SELECT value::${sql.raw(type)} FROM json_array_elements_text(${JSON.stringify(values)}::json) AS value)`;
}

export type Column = { readonly name: string; readonly type: string };

function describeTable(table: PgTable, present: readonly string[]) {
  const config = getTableConfig(table);
  const keys = [
    ...config.columns.filter((column) => column.primary),
    ...config.primaryKeys.flatMap((key) => key.columns),
  ].map((column) => column.name);
  const columns = config.columns
    .filter((column) => present.includes(column.name))
    .map((column): Column => ({ name: column.name, type: column.getSQLType() }));
  return { name: `${quoted(config.schema ?? 'public')}.${quoted(getTableName(table))}`, columns, keys };
}

function onConflict(
  updated: readonly Column[],
  compared: readonly Column[],
  stamp: UpsertOptions<string>['stamp'],
): string {
  if (compared.length === 0) return 'DO NOTHING';
  const stamping = compared.filter(({ name }) => stamp?.ignoring.includes(name) === false);
  const set = updated.map(({ name }) => {
    const value =
      name === stamp?.column
        ? `CASE WHEN ${differ(stamping)} THEN excluded.${quoted(name)} ELSE stored.${quoted(name)} END`
        : `excluded.${quoted(name)}`;
    return `${quoted(name)} = ${value}`;
  });
  return `DO UPDATE SET ${list(set)} WHERE ${differ(compared)}`;
}

const differ = (columns: readonly Column[]) =>
  `(${side('stored', columns)}) IS DISTINCT FROM (${side('excluded', columns)})`;

/** The columns of one side of a comparison. */
function side(alias: string, columns: readonly Column[]): string {
  return list(columns.map(({ name }) => `${alias}.${quoted(name)}`));
}

function typed(columns: readonly Column[]): string {
  return list(columns.map(({ name, type }) => `${quoted(name)} ${type}`));
}

/** Names come from the schema, and hold no quote. */
const quoted = (name: string) => `"${name}"`;
const list = (parts: readonly string[]) => parts.join(', ');
