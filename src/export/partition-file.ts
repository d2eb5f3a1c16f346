/** The file of a partition, in either format. */
import { constants, zstdCompressSync } from 'node:zlib';

import { fileWriter, ParquetWriter } from 'hyparquet-writer';

import type { ExportColumn, ParquetValue } from './columns.ts';
import type { ExportFormat } from './export-format.ts';
import { readFields } from './copy-rows.ts';

/** Takes rows as `copyRows` hands them on; without `finish` it is incomplete. */
type PartitionFile = { take(row: Buffer): void; finish(): void };

/** Creates a file of these columns, or replaces it. */
export function openFile(
  path: string,
  format: ExportFormat,
  columns: readonly ExportColumn[],
): PartitionFile {
  return format === 'csv' ? openCsv(path, columns) : new ParquetFile(path, columns);
}

function openCsv(path: string, columns: readonly ExportColumn[]): PartitionFile {
  const writer = fileWriter(path);
  writer.appendBytes(Buffer.from(`${columns.map(({ name }) => name).join(',')}\n`));
  return { take: (row) => writer.appendBytes(row), finish: () => void writer.finish() };
}

/** A row group is written when either is reached. */
const GROUP_ROWS = 16_384;
const GROUP_BYTES = 8 * 1_048_576;
/** A higher level takes twice the time for a tenth less. */
const ZSTD_PARAMS = { [constants.ZSTD_c_compressionLevel]: 1 };

/** A column with its values that are not written yet, and the text of the last of them. */
type BufferedColumn = ExportColumn & {
  readonly data: (ParquetValue | null)[];
  lastText: string | null;
  lastValue: ParquetValue | null;
};

class ParquetFile implements PartitionFile {
  readonly #columns: readonly BufferedColumn[];
  readonly #parquet: ParquetWriter;
  #rows = 0;
  #bytes = 0;

  constructor(path: string, columns: readonly ExportColumn[]) {
    this.#columns = columns.map((column) => ({ ...column, data: [], lastText: null, lastValue: null }));
    this.#parquet = new ParquetWriter({
      writer: fileWriter(path),
      schema: [{ name: 'root', num_children: columns.length }, ...columns.map(({ element }) => element)],
      codec: 'ZSTD',
      compressors: { ZSTD: (bytes) => zstdCompressSync(bytes, { params: ZSTD_PARAMS }) },
      // A file contains one month, so readers would not skip parts of it.
      statistics: false,
      createdBy: 'order-sync',
    });
  }

  take(row: Buffer): void {
    const fields = readFields(row);
    for (const [at, column] of this.#columns.entries()) addValue(column, fields[at] ?? null);
    this.#rows += 1;
    this.#bytes += row.length;
    if (this.#rows === GROUP_ROWS || this.#bytes >= GROUP_BYTES) this.#writeGroup();
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

/** Neighbouring rows are often of one order and share values: a repeated value is parsed and stored once. */
function addValue(column: BufferedColumn, text: string | null): void {
  if (text !== column.lastText) {
    column.lastText = text;
    column.lastValue = text === null ? null : column.read(text);
  }
  column.data.push(column.lastValue);
}
