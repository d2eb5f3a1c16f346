/** The file of a partition, in either format. */
import { appendFileSync, writeFileSync } from 'node:fs';

import type { ExportColumn } from './columns.ts';
import type { ExportFormat } from './export-format.ts';
import { ParquetFile } from './parquet-file.ts';

/** Takes the messages of a COPY, one after the other. */
export type PartitionFile = {
  /** @returns rows in it */
  take(chunk: Buffer): number;
  /** Without this the file is incomplete. */
  finish(): void;
};

/** How COPY is told the format from which files are made. */
export const COPY_FORMAT = { parquet: 'FORMAT binary', csv: 'FORMAT csv, HEADER' } as const;

/** Creates a file of these columns, or replaces it. */
export function openFile(
  path: string,
  format: ExportFormat,
  columns: readonly ExportColumn[],
): PartitionFile {
  return format === 'csv' ? new CsvFile(path) : new ParquetFile(path, columns);
}

const HELD_BYTES = 262_144;

/** What COPY sends, as it is. */
class CsvFile implements PartitionFile {
  readonly #path: string;
  #held: Buffer[] = [];
  #bytes = 0;
  #hasNames = false;

  constructor(path: string) {
    this.#path = path;
    writeFileSync(path, '');
  }

  take(chunk: Buffer): number {
    // The connection writes the next messages where this one is.
    this.#held.push(Buffer.from(chunk));
    this.#bytes += chunk.length;
    if (this.#bytes >= HELD_BYTES) this.#write();
    const isRow = this.#hasNames;
    this.#hasNames = true;
    return isRow ? 1 : 0;
  }

  finish(): void {
    this.#write();
  }

  #write(): void {
    appendFileSync(this.#path, Buffer.concat(this.#held));
    [this.#held, this.#bytes] = [[], 0];
  }
}
