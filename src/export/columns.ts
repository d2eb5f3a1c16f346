/** How columns of views are read from PostgreSQL's binary format, and what they are in Parquet. */
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
  /** A value from its bytes, as `sql` sends them. */
  readonly read: (bytes: Buffer, from: number, to: number) => ParquetValue;
};

type Typed = Pick<ExportColumn, 'read'> & {
  readonly element: Omit<Element, 'name' | 'repetition_type'>;
  /** @default the column as it is */
  readonly sql?: (column: string) => string;
};

/** From 1970, where Parquet begins, to 2000, where PostgreSQL does. */
const EPOCH_MICROS = 946_684_800_000_000n;

/** Parquet has no infinite time, such as the end of what is so now. */
const ifFinite = (column: string, sql: string) => `CASE WHEN isfinite(${column}) THEN ${sql} END`;

const readInt32: ExportColumn['read'] = (bytes, from) => bytes.readInt32BE(from);
const readInt64: ExportColumn['read'] = (bytes, from) => bytes.readBigInt64BE(from);

const TYPED: Readonly<Record<string, Typed>> = {
  boolean: { element: { type: 'BOOLEAN' }, read: (bytes, from) => bytes[from] === 1 },
  smallint: { element: { type: 'INT32' }, sql: (column) => `${column}::integer`, read: readInt32 },
  integer: { element: { type: 'INT32' }, read: readInt32 },
  bigint: { element: { type: 'INT64' }, read: readInt64 },
  date: {
    element: { type: 'INT32', converted_type: 'DATE' },
    sql: (column) => ifFinite(column, `${column} - DATE '1970-01-01'`),
    read: readInt32,
  },
  'timestamp with time zone': {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MICROS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    },
    sql: (column) => ifFinite(column, column),
    read: (bytes, from) => bytes.readBigInt64BE(from) + EPOCH_MICROS,
  },
};

/** Also of a type without a counterpart in Parquet, such as a range. */
const TEXT: Typed = {
  element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  sql: (column) => `${column}::text`,
  read: (bytes, from, to) => bytes.toString('utf8', from, to),
};

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

/** A number of units of its last decimal: `-0.50` of a scale of 2 is -50. */
function decimal(precision: number, scale: number): Typed {
  const shared = { converted_type: 'DECIMAL', precision, scale } as const;
  if (precision <= INT64_DIGITS)
    return {
      element: { ...shared, type: 'INT64' },
      sql: (column) => `(${column} * 1e${scale})::bigint`,
      read: readInt64,
    };
  return {
    element: { ...shared, type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16 },
    sql: (column) => `round(${column} * 1e${scale})::text`,
    read: (bytes, from, to) => BigInt(bytes.toString('latin1', from, to)),
  };
}
