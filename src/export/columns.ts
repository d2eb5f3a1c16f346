/** How columns of views are read from PostgreSQL's binary format, and written to Parquet. */
import type { ParquetWriter } from 'hyparquet-writer';

type Element = ParquetWriter['schema'][number];

export type ExportColumn = {
  readonly name: string;
  /** In PostgreSQL. */
  readonly type: string;
  /** SQL of what is read for Parquet. */
  readonly sql: string;
  readonly element: Element;
  /** Of a number, which is written as an integer of so many bytes; undefined: a text. */
  readonly number?: NumberFormat;
};

export type NumberFormat = {
  readonly width: 1 | 4 | 8 | 16;
  /** @returns a bigint where a number would not be exact */
  readonly read: (bytes: Buffer, at: number) => number | bigint;
};

const NUMERIC = /^numeric\((?<precision>\d+),(?<scale>\d+)\)$/;
/** Digits that fit into 4 and 8 bytes. */
const [INT32_DIGITS, INT64_DIGITS] = [9, 18];
/** From 1970, where Parquet begins, to 2000, where PostgreSQL does. */
const EPOCH_DAYS = 10_957;
const EPOCH_MICROS = EPOCH_DAYS * 86_400_000_000;

type Typed = Pick<ExportColumn, 'number'> & {
  readonly element: Omit<Element, 'name' | 'repetition_type'>;
  /** @default the column as it is */
  readonly sql?: (column: string) => string;
};

/** Parquet has no infinite time, such as the end of what is so now. */
const finite = (column: string) => `CASE WHEN isfinite(${column}) THEN ${column} END`;
/** Of a type without a counterpart in Parquet, such as a range. */
const TEXT: Typed = {
  element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  sql: (column) => `${column}::text`,
};

const TYPED: Readonly<Record<string, Typed>> = {
  boolean: { element: { type: 'BOOLEAN' }, number: { width: 1, read: (bytes, at) => bytes[at] ?? 0 } },
  smallint: { element: { type: 'INT32' }, number: { width: 4, read: readInt16 } },
  integer: { element: { type: 'INT32' }, number: { width: 4, read: readInt32 } },
  bigint: { element: { type: 'INT64' }, number: { width: 8, read: readInt64 } },
  date: {
    element: { type: 'INT32', converted_type: 'DATE' },
    sql: finite,
    number: { width: 4, read: (bytes, at) => readInt32(bytes, at) + EPOCH_DAYS },
  },
  'timestamp with time zone': {
    sql: finite,
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MICROS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    },
    number: { width: 8, read: (bytes, at) => Number(readInt64(bytes, at)) + EPOCH_MICROS },
  },
};

export function toExportColumn({ name, type }: Pick<ExportColumn, 'name' | 'type'>): ExportColumn {
  const quoted = `"${name.replaceAll('"', '""')}"`;
  const { precision, scale } = NUMERIC.exec(type)?.groups ?? {};
  const known = precision === undefined ? TYPED[type] : decimal(Number(precision), Number(scale));
  const { element, sql = (column) => column, ...rest } = known ?? TEXT;
  return {
    name,
    type,
    sql: sql(quoted),
    element: { ...element, name, repetition_type: 'OPTIONAL' },
    ...rest,
  };
}

function decimal(precision: number, scale: number): Typed {
  const shared = { converted_type: 'DECIMAL', precision, scale } as const;
  const read = (bytes: Buffer, at: number) => readNumeric(bytes, at, scale);
  if (precision <= INT32_DIGITS) return { element: { ...shared, type: 'INT32' }, number: { width: 4, read } };
  if (precision <= INT64_DIGITS) return { element: { ...shared, type: 'INT64' }, number: { width: 8, read } };
  return {
    element: { ...shared, type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16 },
    number: { width: 16, read },
  };
}

/** Twice as fast as the methods of Buffer, which look at the place first. */
function readInt16(bytes: Buffer, at: number): number {
  return (((bytes[at] ?? 0) << 24) >> 16) | (bytes[at + 1] ?? 0);
}

export function readInt32(bytes: Buffer, at: number): number {
  return (readInt16(bytes, at) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
}

function readInt64(bytes: Buffer, at: number): number | bigint {
  const value = readInt32(bytes, at) * 2 ** 32 + (readInt32(bytes, at + 4) >>> 0);
  return Number.isSafeInteger(value) ? value : bytes.readBigInt64BE(at);
}

/** All decimals of the type: `-0.50` of a scale of 2 is -50. PostgreSQL sends digits of a base of 10,000, after their number, weight and sign. */
function readNumeric(bytes: Buffer, at: number, scale: number): number | bigint {
  const digits = readInt16(bytes, at);
  const exponent = (readInt16(bytes, at + 2) - digits + 1) * 4 + scale;
  const sign = readInt16(bytes, at + 4);
  if (sign !== 0 && sign !== 0x4000) throw new RangeError('a numeric is not finite');
  // More digits may be more than a number holds.
  if (digits > 3) return readLong(bytes, at, exponent);
  let value = 0;
  for (let digit = 0; digit < digits; digit += 1)
    value = value * 10_000 + readInt16(bytes, at + 8 + digit * 2);
  value = exponent < 0 ? value / 10 ** -exponent : value * 10 ** exponent;
  if (!Number.isSafeInteger(value)) return readLong(bytes, at, exponent);
  return sign === 0 ? value : -value;
}

function readLong(bytes: Buffer, at: number, exponent: number): bigint {
  let value = 0n;
  for (let digit = 0; digit < readInt16(bytes, at); digit += 1)
    value = value * 10_000n + BigInt(readInt16(bytes, at + 8 + digit * 2));
  value = exponent < 0 ? value / 10n ** BigInt(-exponent) : value * 10n ** BigInt(exponent);
  return readInt16(bytes, at + 4) === 0 ? value : -value;
}
