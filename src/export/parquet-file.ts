/** Rows as PostgreSQL's binary COPY sends them, in a file of Parquet. Their bytes are moved, and no values made of them. */
import { fileWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';

import {
  type FileWriter,
  type HeldColumn,
  holdColumn,
  type RowGroup,
  writeColumnChunk,
} from './column-chunk.ts';
import { type ExportColumn, readInt32 } from './columns.ts';
import type { PartitionFile } from './copy-out.ts';

/** Held until they are written together. */
const GROUP_ROWS = 16_384;
const GROUP_BYTES = 8 * 1_048_576;
/** `PAR1` */
const MAGIC = 0x31524150;
/** What COPY begins with: its name, flags, and the length of what follows them, which is nothing. */
const HEADER_BYTES = 19;

/** @returns what opens files of these columns, one after the other: they share the memory of their rows */
export function parquetFiles(columns: readonly ExportColumn[]): (path: string) => PartitionFile {
  const held = columns.map((column) => holdColumn(column, GROUP_ROWS));
  return (path) => new ParquetFile(path, held);
}

class ParquetFile implements PartitionFile {
  readonly #columns: readonly HeldColumn[];
  readonly #writer: FileWriter;
  readonly #groups: RowGroup[] = [];
  #isBegun = false;
  #rows = 0;
  #bytes = 0;

  constructor(path: string, columns: readonly HeldColumn[]) {
    this.#columns = columns;
    this.#writer = fileWriter(path);
    this.#writer.appendUint32(MAGIC);
  }

  take(chunk: Buffer): number {
    let at = this.#isBegun ? 0 : HEADER_BYTES;
    this.#isBegun = true;
    // Instead of its number of columns, the end has -1.
    if (chunk.readInt16BE(at) < 0) return 0;
    at += 2;
    for (const column of this.#columns) {
      const length = readInt32(chunk, at);
      at += 4;
      if (length < 0) {
        column.levels[this.#rows] = 0;
        column.nulls += 1;
      } else {
        column.values.add(chunk, at, length);
        at += length;
      }
    }
    this.#rows += 1;
    this.#bytes += chunk.length;
    if (this.#rows === GROUP_ROWS || this.#bytes >= GROUP_BYTES) this.#writeGroup();
    return 1;
  }

  finish(): void {
    if (this.#rows > 0) this.#writeGroup();
    const elements = this.#columns.map(({ column }) => column.element);
    writeMetadata(this.#writer, {
      version: 2,
      created_by: 'order-sync',
      schema: [{ name: 'root', num_children: elements.length }, ...elements],
      num_rows: this.#groups.reduce((sum, { num_rows }) => sum + num_rows, 0n),
      row_groups: this.#groups,
      // It is written where it is known, after all this.
      metadata_length: 0,
    });
    this.#writer.appendUint32(MAGIC);
    void this.#writer.finish();
  }

  [Symbol.dispose](): void {
    // Each part of it was written whole.
  }

  #writeGroup(): void {
    const start = this.#writer.offset;
    const columns = this.#columns.map((column) => writeColumnChunk(this.#writer, column, this.#rows));
    this.#groups.push({
      columns,
      total_byte_size: columns.reduce(
        (sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n),
        0n,
      ),
      num_rows: BigInt(this.#rows),
      total_compressed_size: BigInt(this.#writer.offset - start),
    });
    [this.#rows, this.#bytes] = [0, 0];
  }
}
