/** How columns of views are read from PostgreSQL's text, and what they are in Parquet. */
import type { ParquetWriter } from 'hyparquet-writer';

type Element = ParquetWriter['schema'][number];
export type ParquetValue = string | number | bigint | boolean;

export type ExportColumn = {
  readonly name: string;
  /** In PostgreSQL. */
  readonly type: string;
  /** SQL of what is read for Parquet. */
  readonly sql: string;
  readonly element: Element;
  /** A value from its text, as `sql` has it. */
  readonly read: (text: string) => ParquetValue;
};

type Typed = Pick<ExportColumn, 'read'> & {
  readonly element: Omit<Element, 'name' | 'repetition_type'>;
  /** @default the column as it is */
  readonly sql?: (column: string) => string;
};

/** Parquet has no infinite time, such as the end of what is so now. */
const ifFinite = (column: string, sql: string) => `CASE WHEN isfinite(${column}) THEN ${sql} END`;

const INT32: Typed = { element: { type: 'INT32' }, read: Number };

const TYPED: Readonly<Record<string, Typed>> = {
  boolean: { element: { type: 'BOOLEAN' }, read: (text) => text === 't' },
  smallint: INT32,
  integer: INT32,
  bigint: { element: { type: 'INT64' }, read: BigInt },
  date: {
    element: { type: 'INT32', converted_type: 'DATE' },
    sql: (column) => ifFinite(column, `${column} - DATE '1970-01-01'`),
    read: Number,
  },
  'timestamp with time zone': {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MICROS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    },
    sql: (column) => ifFinite(column, `(extract(epoch FROM ${column}) * 1000000)::bigint`),
    read: BigInt,
  },
};

/** Also of a type without a counterpart in Parquet, such as a range. */
const TEXT: Typed = { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, read: String };

const NUMERIC = /^numeric\((?<precision>\d+),(?<scale>\d+)\)$/;
/** More digits do not fit into 8 bytes. */
const INT64_DIGITS = 18;

export function toExportColumn({ name, type }: Pick<ExportColumn, 'name' | 'type'>): ExportColumn {
  const quoted = `"${name.replaceAll('"', '""')}"`;
  const { precision, scale } = NUMERIC.exec(type)?.groups ?? {};
  const typed = precision === undefined ? TYPED[type] : decimal(Number(precision), Number(scale));
  const { element, sql = (column: string) => column, read } = typed ?? TEXT;
  return { name, type, sql: sql(quoted), element: { ...element, name, repetition_type: 'OPTIONAL' }, read };
}

/** A number of units of its last decimal, all of which PostgreSQL writes: `-0.50` is -50. */
function decimal(precision: number, scale: number): Typed {
  const size =
    precision <= INT64_DIGITS
      ? ({ type: 'INT64' } as const)
      : ({ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16 } as const);
  return {
    element: { ...size, converted_type: 'DECIMAL', precision, scale },
    read: (text) => BigInt(text.replace('.', '')),
  };
}
