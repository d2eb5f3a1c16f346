/** The file of a partition, in either format. */
import { constants, zstdCompressSync } from 'node:zlib';

import { fileWriter, ParquetWriter } from 'hyparquet-writer';

import type { ExportColumn, ParquetValue } from './columns.ts';
import type { ExportFormat } from './export-format.ts';
import type { TextRow } from './read-rows.ts';

/** Is written as rows come; without `finish` it is incomplete. */
type PartitionFile = { take(row: TextRow): void; finish(): void };

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
  const take = (row: TextRow) => writer.appendBytes(Buffer.from(`${row.map(csvField).join(',')}\n`));
  take(columns.map(({ name }) => name));
  return { take, finish: () => void writer.finish() };
}

/** As PostgreSQL writes it: NULL is nothing, and an empty text is quoted. */
function csvField(value: string | null): string {
  if (value === null) return '';
  return value === '' || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Held until they are written together. */
const GROUP_ROWS = 16_384;
const GROUP_CHARACTERS = 8 * 1_048_576;
/** A higher level takes twice the time for a tenth less. */
const ZSTD_PARAMS = { [constants.ZSTD_c_compressionLevel]: 1 };

/** A column with its values that are not written yet. */
type HeldColumn = ExportColumn & { readonly data: (ParquetValue | null)[] };

class ParquetFile implements PartitionFile {
  readonly #columns: readonly HeldColumn[];
  readonly #parquet: ParquetWriter;
  #rows = 0;
  #characters = 0;

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

  take(row: TextRow): void {
    for (const [at, { data, read }] of this.#columns.entries()) {
      const text = row[at] ?? null;
      data.push(text === null ? null : read(text));
      this.#characters += text?.length ?? 0;
    }
    this.#rows += 1;
    if (this.#rows === GROUP_ROWS || this.#characters >= GROUP_CHARACTERS) this.#writeGroup();
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
    [this.#rows, this.#characters] = [0, 0];
  }
}
