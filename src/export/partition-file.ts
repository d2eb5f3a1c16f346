import { type FileHandle, open } from 'node:fs/promises';
import { zstdCompressSync } from 'node:zlib';

import { fileWriter, ParquetWriter } from 'hyparquet-writer';

import { csvLine } from '../csv-line.ts';
import type { ExportColumn } from './columns.ts';
import type { ExportFormat } from './export-format.ts';

/** A value per column, as PostgreSQL writes it; null: NULL. */
type Row = readonly (string | null)[];

export type PartitionFile = AsyncDisposable & {
  write(rows: readonly Row[]): Promise<void>;
  /** Without this the file is incomplete. */
  finish(): Promise<void>;
};

/** Creates a file, or replaces one. */
export async function openPartitionFile(
  format: ExportFormat,
  path: string,
  columns: readonly ExportColumn[],
): Promise<PartitionFile> {
  return format === 'csv' ? await openCsv(path, columns) : openParquet(path, columns);
}

async function openCsv(path: string, columns: readonly ExportColumn[]): Promise<PartitionFile> {
  const file: FileHandle = await open(path, 'w');
  await file.write(csvLine(columns.map(({ name }) => name)));
  return {
    write: async (rows) => void (await file.write(rows.map(csvLine).join(''))),
    finish: () => file.sync(),
    [Symbol.asyncDispose]: () => file.close(),
  };
}

/** Rows that are held until they are written together. */
const ROW_GROUP = 8192;

function openParquet(path: string, columns: readonly ExportColumn[]): PartitionFile {
  const schema = [{ name: 'root', num_children: columns.length }, ...columns.map(({ element }) => element)];
  const writer = new ParquetWriter({
    writer: fileWriter(path),
    schema,
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    createdBy: 'order-sync',
  });
  const empty = () => columns.map(({ name }) => ({ name, data: [] as unknown[] }));
  let columnData = empty();
  let held = 0;
  const flush = async () => {
    if (held === 0) return;
    await writer.write({ columnData, rowGroupSize: held });
    columnData = empty();
    held = 0;
  };
  return {
    async write(rows) {
      for (const [at, { parse }] of columns.entries()) {
        const data = columnData[at]?.data;
        for (const row of rows) {
          const text = row[at] ?? null;
          data?.push(text === null ? null : parse(text));
        }
      }
      held += rows.length;
      if (held >= ROW_GROUP) await flush();
    },
    async finish() {
      await flush();
      await writer.finish();
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}
