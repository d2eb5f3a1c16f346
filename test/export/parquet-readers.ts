/** Readers of Parquet that this project did not write. */
import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';

import { parquetMetadata, parquetRead } from 'hyparquet';

const PYTHON = process.env['PARQUET_PYTHON'] ?? 'python3';
/** The first one is always here. */
export const READERS = ['hyparquet', 'duckdb', 'pyarrow'] as const;
type ParquetReader = (typeof READERS)[number];
/** By path. */
type Files = Readonly<Record<string, readonly (readonly unknown[])[]>>;

export const hasReader = (reader: ParquetReader) =>
  reader === 'hyparquet' || spawnSync(PYTHON, ['-c', `import ${reader}, pytz`]).status === 0;

/** Rows of files, every value as text; instants in microseconds since 1970. To start a reader takes longer than to read. */
export async function readParquet(reader: ParquetReader, paths: readonly string[]): Promise<Files> {
  if (reader === 'hyparquet') return Object.fromEntries(await Promise.all(paths.map(readHere)));
  const script = join(import.meta.dirname, 'read_parquet.py');
  const { stdout } = await promisify(execFile)(PYTHON, [script, reader, ...paths], { maxBuffer: 2 ** 30 });
  return JSON.parse(stdout);
}

const PARSERS = {
  timestampFromMicroseconds: String,
  dateFromDays: (days: number) => new Date(days * 86_400_000).toISOString().slice(0, '2026-01-31'.length),
};

async function readHere(path: string): Promise<[path: string, rows: readonly (readonly unknown[])[]]> {
  const file = new Uint8Array(await readFile(path)).buffer;
  const metadata = parquetMetadata(file);
  const [, ...columns] = metadata.schema;
  const scales = columns.map(({ converted_type: type, scale = 0 }) =>
    type === 'DECIMAL' ? scale : undefined,
  );
  // The reader would make numbers of them that are not exact.
  for (const column of columns) if (column.converted_type === 'DECIMAL') delete column.converted_type;
  let rows: readonly (readonly unknown[])[] = [];
  await parquetRead({
    file,
    metadata,
    compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
    parsers: PARSERS,
    onComplete: (read) => {
      rows = read.map((row) => row.map((value, at) => toText(value, scales[at])));
    },
  });
  return [path, rows];
}

type Cell = Uint8Array | string | number | bigint | boolean | null | undefined;

/** @param scale of a decimal */
function toText(value: Cell, scale: number | undefined): string | null {
  if (value === null || value === undefined) return null;
  const hex = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : undefined;
  if (scale === undefined) return hex ?? String(value);
  const units =
    value instanceof Uint8Array ? BigInt.asIntN(value.length * 8, BigInt(`0x${hex}`)) : BigInt(value);
  return decimalText(units, scale);
}

function decimalText(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const [whole, fraction] = [digits.slice(0, digits.length - scale), digits.slice(digits.length - scale)];
  return `${units < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${fraction}`}`;
}
