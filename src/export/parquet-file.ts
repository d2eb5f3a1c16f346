/** Rows as PostgreSQL's binary COPY sends them, in a file of Parquet. */
import { constants, zstdCompressSync } from 'node:zlib';

import { fileWriter, ParquetWriter } from 'hyparquet-writer';

import type { ExportColumn, ParquetValue } from './columns.ts';

/** Held until they are written together. */
const GROUP_ROWS = 16_384;
const GROUP_BYTES = 8 * 1_048_576;
/** What COPY begins with: its name, flags, and the length of what follows them, which is nothing. */
const HEADER_BYTES = 19;
/** A higher level takes twice the time for a tenth less. */
const ZSTD_PARAMS = { [constants.ZSTD_c_compressionLevel]: 1 };

/** A column with its values that are not written yet. */
type HeldColumn = ExportColumn & { readonly data: (ParquetValue | null)[] };

/** Is written group by group; complete when it is finished. */
export class ParquetFile {
  readonly #columns: readonly HeldColumn[];
  readonly #parquet: ParquetWriter;
  #isBegun = false;
  #rows = 0;
  #bytes = 0;

  constructor(path: string, columns: readonly ExportColumn[]) {
    this.#columns = columns.map((column) => ({ ...column, data: [] }));
    this.#parquet = new ParquetWriter({
      writer: fileWriter(path),
      schema: [{ name: 'root', num_children: columns.length }, ...columns.map(({ element }) => element)],
      codec: 'ZSTD',
      compressors: { ZSTD: (bytes) => zstdCompressSync(bytes, { params: ZSTD_PARAMS }) },
      // A file is of one month: nobody could pass over a part of it.
      statistics: false,
      createdBy: 'order-sync',
    });
  }

  /** @param chunk a message of the COPY @returns rows in it */
  take(chunk: Buffer): number {
    let at = this.#isBegun ? 0 : HEADER_BYTES;
    this.#isBegun = true;
    // Instead of its number of columns, the end has -1.
    if (chunk.readInt16BE(at) < 0) return 0;
    at += 2;
    for (const { data, read } of this.#columns) {
      const length = chunk.readInt32BE(at);
      at += 4;
      data.push(length < 0 ? null : read(chunk, at, at + length));
      at += Math.max(0, length);
    }
    this.#rows += 1;
    this.#bytes += chunk.length;
    if (this.#rows === GROUP_ROWS || this.#bytes >= GROUP_BYTES) this.#writeGroup();
    return 1;
  }

  finish(): void {
    if (this.#rows > 0) this.#writeGroup();
    void this.#parquet.finish();
  }

  #writeGroup(): void {
    // Numbers hardly repeat: to find out whether they do takes longer than it saves.
    const columnData = this.#columns.map(({ name, data, element }) => ({
      name,
      data,
      ...(element.converted_type === 'UTF8' || element.type === 'BOOLEAN'
        ? {}
        : { encoding: 'PLAIN' as const }),
    }));
    void this.#parquet.write({ columnData, rowGroupSize: GROUP_ROWS });
    for (const { data } of this.#columns) data.length = 0;
    [this.#rows, this.#bytes] = [0, 0];
  }
}
