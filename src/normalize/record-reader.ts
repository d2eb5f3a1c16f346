/** How fields are read: one by one, those of a record with its rejections, and all columns of a row by a table. */
import type { JsonObject, JsonValue } from '../model/json.ts';
import { excerpt, type Normalized, type Rejection } from './rejection.ts';

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

export type RecordReaderOptions = {
  readonly resource: Rejection['resource'];
  readonly sourceKey: string | null;
  /** Prefix of the field names in rejections, such as `content.` for a nested object. @default '' */
  readonly path?: string;
  /** To share one list among several readers. @default a new list */
  readonly rejections?: Rejection[];
};

/** Absent, null and blank text mean the same on the wire. */
export function isPresent(value: JsonValue | undefined): value is Exclude<JsonValue, null> {
  return value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === '');
}

export class RecordReader<Field extends string = string> {
  readonly rejections: Rejection[];
  readonly #record: JsonObject;
  readonly #resource: Rejection['resource'];
  readonly #path: string;
  #sourceKey: string | null;

  constructor(record: JsonObject, options: RecordReaderOptions) {
    this.rejections = options.rejections ?? [];
    this.#record = record;
    this.#resource = options.resource;
    this.#path = options.path ?? '';
    this.#sourceKey = options.sourceKey;
  }

  /** The parsed field; null when it is absent or blank, or, with a rejection, refused. */
  read<T>(field: Field, parse: Parse<T>): T | null {
    const value = this.#record[field];
    if (!isPresent(value)) return null;
    const reading = parse(value);
    for (const reason of reading.problems) this.reject(field, reason, value);
    return reading.value;
  }

  /** The record's own id, used in every later rejection; null: the record is unusable. */
  readKey(field: Field, parse: Parse<string>): string | null {
    const value = this.#record[field];
    this.#sourceKey = isPresent(value) ? parse(value).value : null;
    return this.#sourceKey;
  }

  reject(field: Field, reason: string, value: JsonValue | undefined): void {
    this.#add(this.#path + field, reason, value);
  }

  unusable(field: Field, reason: string): Normalized<never> {
    this.#add(null, reason, this.#record[field]);
    return { row: undefined, rejections: this.rejections };
  }

  #add(field: string | null, reason: string, value: JsonValue | undefined): void {
    const record = { resource: this.#resource, sourceKey: this.#sourceKey };
    this.rejections.push({ ...record, field, reason, value: excerpt(value) });
  }
}

export type Field<Row> = {
  /** How each column is parsed that the field alone fills; none where it takes other fields, too, or the shop's zone. */
  readonly fills: { readonly [Column in keyof Row]?: Parse<NonNullable<Row[Column]>> };
};

export type FieldTable<Row> = Readonly<Record<string, Field<Row>>>;

type AnyTable = Readonly<Record<string, { readonly fills: Readonly<Record<string, Parse<unknown>>> }>>;

type Fills<Table extends AnyTable> = Table[keyof Table]['fills'];

/** The columns that one field alone fills. */
type FilledColumn<Table extends AnyTable> =
  Fills<Table> extends infer One ? (One extends unknown ? keyof One & string : never) : never;

type Value<Fill, Column extends string> =
  Fill extends Readonly<Record<Column, Parse<infer Read>>> ? Read : never;

/** Columns as they were read: null where their field is absent, blank or refused. */
type Columns<Table extends AnyTable> = {
  readonly [Column in FilledColumn<Table>]: Value<Fills<Table>, Column> | null;
};

/** @returns a function that reads the columns of a record which one field alone fills */
export function columnReader<const Table extends AnyTable>(
  table: Table,
): (record: RecordReader<keyof Table & string>) => Columns<Table> {
  const steps = Object.entries(table).flatMap(([field, { fills }]) =>
    Object.entries(fills).map(([column, parse]) => ({ column, field, parse })),
  );
  return (record) => {
    const columns: Record<string, unknown> = {};
    for (const { column, field, parse } of steps) columns[column] = record.read(field, parse);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a record loses which column has which value
    return columns as Columns<Table>;
  };
}
