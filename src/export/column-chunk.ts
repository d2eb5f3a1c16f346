/** One column of a row group, in pages: the texts that repeat, if it has such, and the values. */
import { constants, zstdCompressSync } from 'node:zlib';

import { ByteWriter, type ParquetWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';

import { type ColumnValues, columnValues } from './column-values.ts';
import type { ExportColumn } from './columns.ts';

export type FileWriter = ParquetWriter['writer'];
export type RowGroup = ParquetWriter['row_groups'][number];
export type ColumnChunk = RowGroup['columns'][number];

/** A column of the rows that are held until they are written together. */
export type HeldColumn = {
  readonly column: ExportColumn;
  readonly values: ColumnValues;
  /** 0 of each row without a value, 1 of all others. */
  readonly levels: Uint8Array;
  nulls: number;
};

/** @param capacity rows */
export const holdColumn = (column: ExportColumn, capacity: number): HeldColumn => ({
  column,
  values: columnValues(column, capacity),
  levels: new Uint8Array(capacity).fill(1),
  nulls: 0,
});

/** Writes what is held, of so many rows, and holds nothing afterwards. */
export function writeColumnChunk(writer: FileWriter, held: HeldColumn, rows: number): ColumnChunk {
  const { element } = held.column;
  const { encoding, values, dictionary } = held.values.encode();
  const start = writer.offset;
  let bytes = 0;
  if (dictionary !== undefined) bytes += writeDictionary(writer, dictionary.values, dictionary.size);
  const pageStart = writer.offset;
  const levels = new ByteWriter();
  writeRleBitPackedHybrid(levels, held.levels.subarray(0, rows), 1);
  const packed = compress(values);
  writePageHeader(writer, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: levels.offset + values.length,
    compressed_page_size: levels.offset + packed.length,
    data_page_header_v2: {
      num_values: rows,
      num_nulls: held.nulls,
      num_rows: rows,
      encoding,
      definition_levels_byte_length: levels.offset,
      repetition_levels_byte_length: 0,
      is_compressed: true,
    },
  });
  bytes += writer.offset - pageStart + levels.offset + values.length;
  writer.appendBytes(levels.getBytes());
  writer.appendBytes(packed);
  const statistics = { null_count: BigInt(held.nulls) };
  if (held.nulls > 0) held.levels.fill(1);
  held.nulls = 0;
  return {
    file_offset: BigInt(start),
    meta_data: {
      type: element.type ?? 'BYTE_ARRAY',
      encodings: dictionary === undefined ? [encoding] : ['PLAIN', encoding],
      path_in_schema: [element.name],
      codec: 'ZSTD',
      num_values: BigInt(rows),
      total_uncompressed_size: BigInt(bytes),
      total_compressed_size: BigInt(writer.offset - start),
      data_page_offset: BigInt(pageStart),
      ...(dictionary === undefined ? {} : { dictionary_page_offset: BigInt(start) }),
      statistics,
    },
  };
}

/** @returns its bytes, uncompressed */
function writeDictionary(writer: FileWriter, values: Uint8Array, size: number): number {
  const start = writer.offset;
  const packed = compress(values);
  writePageHeader(writer, {
    type: 'DICTIONARY_PAGE',
    uncompressed_page_size: values.length,
    compressed_page_size: packed.length,
    dictionary_page_header: { num_values: size, encoding: 'PLAIN' },
  });
  const header = writer.offset - start;
  writer.appendBytes(packed);
  return header + values.length;
}

/** A higher level takes twice the time for a tenth less. */
const compress = (bytes: Uint8Array) =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
