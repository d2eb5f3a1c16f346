/** How a record becomes a row: by a table of columns, each with the field that fills it and the parser of that field. */
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { excerpt, type Rejection } from './rejection.ts';

/** The result of parsing one value: the column's value, and what was wrong. */
export type Reading<T> = {
  /** Null: the column stays empty. */
  readonly value: T | null;
  /** One constant sentence per problem. */
  readonly problems: readonly string[];
};

/** Gets only present values: a {@link RecordReader} handles absent and blank ones. */
export type Parse<T> = (value: JsonValue) => Reading<T>;

const NONE: readonly string[] = [];

export function accepted<T>(value: T | null, problems: readonly string[] = NONE): Reading<T> {
  return { value, problems };
}

export function refused(reason: string): Reading<never> {
  return { value: null, problems: [reason] };
}

/** Absent, null and blank text mean the same on the wire. */
export function isPresent(value: JsonValue | undefined): value is Exclude<JsonValue, null> {
  return value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === '');
}

/** By which field each column is filled, and how; a column that takes several fields, or the shop's zone, is made apart. */
export type ColumnTable<Row> = {
  readonly [Column in keyof Row]?: readonly [field: string, parse: Parse<NonNullable<Row[Column]>>];
};

type AnyTable = Readonly<Record<string, readonly [field: string, parse: Parse<unknown>]>>;

/** Columns as they were read: null where their field is absent, blank or refused. */
type Columns<Table extends AnyTable> = {
  readonly [Column in keyof Table]: Table[Column] extends readonly [string, Parse<infer Value>]
    ? Value | null
    : never;
};

/** The columns that each field fills. @param others fields that fill none by themselves */
export function columnsByField(
  table: AnyTable,
  others: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const byField = new Map<string, string[]>(others.map((field) => [field, []]));
  for (const [column, [field]] of Object.entries(table))
    byField.getOrInsertComputed(field, () => []).push(column);
  return byField;
}

export class RecordReader {
  readonly rejections: Rejection[] = [];
  readonly #record: JsonObject;
  readonly #of: Pick<Rejection, 'resource' | 'sourceKey'>;

  constructor(record: JsonObject, resource: Rejection['resource'], sourceKey: string | null) {
    this.#record = record;
    this.#of = { resource, sourceKey };
  }

  /** The parsed field, such as `oid` or `content.login`; null when it is absent or blank, or, with a rejection, refused. */
  read<T>(field: string, parse: Parse<T>): T | null {
    const value = this.#valueOf(field);
    if (!isPresent(value)) return null;
    const reading = parse(value);
    for (const reason of reading.problems) this.reject(field, reason, value);
    return reading.value;
  }

  readColumns<const Table extends AnyTable>(table: Table): Columns<Table> {
    const columns: Record<string, unknown> = {};
    for (const [column, [field, parse]] of Object.entries(table)) columns[column] = this.read(field, parse);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a record loses which column has which value
    return columns as Columns<Table>;
  }

  reject(field: string, reason: string, value: JsonValue): void {
    this.rejections.push({ ...this.#of, field, reason, value: excerpt(value) });
  }

  #valueOf(field: string): JsonValue | undefined {
    if (!field.includes('.')) return this.#record[field];
    const [outer = '', inner = ''] = field.split('.');
    const value = this.#record[outer];
    return isJsonObject(value) ? value[inner] : undefined;
  }
}
