/** How columns of views are written to files: as PostgreSQL's text to CSV, and typed to Parquet. */
import type { ParquetWriter } from 'hyparquet-writer';

type Element = ParquetWriter['schema'][number];

export type ExportColumn = {
  readonly name: string;
  /** In PostgreSQL. */
  readonly type: string;
  /** SQL of what `parse` gets, for Parquet. */
  readonly sql: string;
  readonly element: Element;
  readonly parse: (text: string) => unknown;
};

const NUMERIC = /^numeric\((?<precision>\d+),(?<scale>\d+)\)$/;
/** Digits that fit into 4 and 8 bytes. */
const [INT32_DIGITS, INT64_DIGITS] = [9, 18];
const DECIMAL_BYTES = 16;

/** A type without a counterpart in Parquet, such as a range, becomes text. */
export function toExportColumn({
  name,
  type,
}: {
  readonly name: string;
  readonly type: string;
}): ExportColumn {
  const quoted = `"${name.replaceAll('"', '""')}"`;
  return { name, type, sql: quoted, ...typed(type, quoted, { name, repetition_type: 'OPTIONAL' }) };
}

type Typed = Pick<ExportColumn, 'element' | 'parse'> & Partial<Pick<ExportColumn, 'sql'>>;

function typed(type: string, column: string, base: Pick<Element, 'name' | 'repetition_type'>): Typed {
  const { precision, scale } = NUMERIC.exec(type)?.groups ?? {};
  if (precision !== undefined) return decimal(Number(precision), Number(scale), base);
  if (type === 'smallint' || type === 'integer')
    return { element: { ...base, type: 'INT32' }, parse: Number };
  if (type === 'bigint') return { element: { ...base, type: 'INT64' }, parse: BigInt };
  if (type === 'boolean') {
    return { element: { ...base, type: 'BOOLEAN' }, parse: (text) => text === 't' };
  }
  if (type === 'date') {
    const element = { ...base, type: 'INT32', converted_type: 'DATE' } as const;
    return { element, sql: `${column} - DATE '1970-01-01'`, parse: Number };
  }
  if (type === 'timestamp with time zone') {
    const logical_type = { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } as const;
    const element = { ...base, type: 'INT64', converted_type: 'TIMESTAMP_MICROS', logical_type } as const;
    return { element, sql: `(extract(epoch FROM ${column}) * 1000000)::bigint`, parse: BigInt };
  }
  return { element: { ...base, type: 'BYTE_ARRAY', converted_type: 'UTF8' }, parse: (text) => text };
}

/** All digits: `-0.50` of a scale of 2 is -50. */
function decimal(precision: number, scale: number, base: Pick<Element, 'name' | 'repetition_type'>): Typed {
  const shared = { ...base, converted_type: 'DECIMAL', precision, scale } as const;
  const parse = (text: string) => BigInt(text.replace('.', ''));
  if (precision <= INT32_DIGITS) return { element: { ...shared, type: 'INT32' }, parse };
  if (precision <= INT64_DIGITS) return { element: { ...shared, type: 'INT64' }, parse };
  return { element: { ...shared, type: 'FIXED_LEN_BYTE_ARRAY', type_length: DECIMAL_BYTES }, parse };
}
