/** Readers of Parquet that this project did not write. */
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PYTHON = process.env['PARQUET_PYTHON'] ?? 'python3';
const READERS = ['duckdb', 'pyarrow'] as const;
type ParquetReader = (typeof READERS)[number];

/** Those that the Python of PARQUET_PYTHON has. */
export function findReaders(): readonly ParquetReader[] {
  return READERS.filter((name) => spawnSync(PYTHON, ['-c', `import ${name}, pytz`]).status === 0);
}

/** Rows of files, every value as text; instants in microseconds since 1970. */
export async function readParquet(
  reader: ParquetReader,
  paths: readonly string[],
): Promise<readonly unknown[][]> {
  const script = join(import.meta.dirname, 'read_parquet.py');
  const { stdout } = await promisify(execFile)(PYTHON, [script, reader, ...paths], { maxBuffer: 2 ** 30 });
  return JSON.parse(stdout);
}
