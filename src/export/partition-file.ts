import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';

import type { ExportColumn } from './columns.ts';
import type { ExportFormat } from './export-format.ts';
import { parquetFiles } from './parquet-file.ts';
import type { PartitionFile } from './copy-out.ts';

/** How COPY is told the format from which files are made. */
export const COPY_FORMAT = { parquet: 'FORMAT binary', csv: 'FORMAT csv, HEADER' } as const;

/** Creates a file, or replaces it, when the one before is complete. */
export type OpenFile = (path: string) => PartitionFile;

/** @returns what creates files of these columns, one after the other */
export function partitionFiles(format: ExportFormat, columns: readonly ExportColumn[]): OpenFile {
  return format === 'csv' ? (path) => new CsvFile(path) : parquetFiles(columns);
}

const BUFFER_BYTES = 262_144;

/** What COPY sends, as it is. */
class CsvFile implements PartitionFile {
  readonly #file: number;
  readonly #held = Buffer.allocUnsafe(BUFFER_BYTES);
  #bytes = 0;
  #hasNames = false;

  constructor(path: string) {
    this.#file = openSync(path, 'w');
  }

  take(chunk: Buffer): number {
    if (this.#bytes + chunk.length > BUFFER_BYTES) this.#flush();
    if (chunk.length > BUFFER_BYTES) writeFileSync(this.#file, chunk);
    else this.#bytes += chunk.copy(this.#held, this.#bytes);
    if (this.#hasNames) return 1;
    this.#hasNames = true;
    return 0;
  }

  finish(): void {
    this.#flush();
    fsyncSync(this.#file);
  }

  #flush(): void {
    // All of it: a single write may take a part alone, where the disk gets full.
    writeFileSync(this.#file, this.#held.subarray(0, this.#bytes));
    this.#bytes = 0;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}
