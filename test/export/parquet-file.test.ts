/** Rows as PostgreSQL's binary COPY sends them, read again by a reader of Parquet that this project did not write. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parquetMetadata } from 'hyparquet';
import { expect, test } from 'vitest';

import { columnValues } from '../../src/export/column-values.ts';
import { toExportColumn } from '../../src/export/columns.ts';
import { partitionFiles } from '../../src/export/partition-file.ts';
import { openFolder } from '../support/scratch-folder.ts';
import { readParquet } from './parquet-readers.ts';

type Value = Buffer | null;

const HEADER = Buffer.from('PGCOPY\n\u00FF\r\n\0'.padEnd(19, '\0'), 'latin1');
const END = Buffer.from([0xff, 0xff]);
const sized = (bytes: number, write: (buffer: Buffer) => void) => {
  const buffer = Buffer.alloc(bytes);
  write(buffer);
  return buffer;
};
const int16 = (value: number) => sized(2, (buffer) => buffer.writeInt16BE(value));
const int32 = (value: number) => sized(4, (buffer) => buffer.writeInt32BE(value));
const int64 = (value: bigint) => sized(8, (buffer) => buffer.writeBigInt64BE(value));
const row = (values: readonly Value[]) =>
  Buffer.concat([
    int16(values.length),
    ...values.flatMap((value) => (value === null ? [int32(-1)] : [int32(value.length), value])),
  ]);

/** Digits of a base of 10,000 without zeros at either end, after their number, weight, sign and scale. */
function numeric(text: string): Buffer {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const padded = whole.padStart(Math.ceil(whole.length / 4) * 4, '0');
  const groups = (padded + fraction.padEnd(Math.ceil(fraction.length / 4) * 4, '0')).match(/.{4}/g) ?? [];
  const digits = groups.map(Number);
  let weight = padded.length / 4 - 1;
  while (digits[0] === 0) {
    digits.shift();
    weight -= 1;
  }
  while (digits.at(-1) === 0) digits.pop();
  const head = [
    digits.length,
    digits.length === 0 ? 0 : weight,
    text.startsWith('-') ? 0x4000 : 0,
    fraction.length,
  ];
  return Buffer.concat([...head, ...digits].map(int16));
}

/** The files of these columns, one for each list of rows. */
async function write(
  types: Readonly<Record<string, string>>,
  ...files: readonly (readonly (readonly Value[])[])[]
) {
  await using folder = await openFolder('parquet');
  const open = partitionFiles(
    'parquet',
    Object.entries(types).map(([name, type]) => toExportColumn({ name, type })),
  );
  const paths = files.map((_, index) => join(folder.path, `${index}.parquet`));
  for (const [index, rows] of files.entries()) {
    using file = open(paths[index] ?? '');
    const chunks = [...rows.map(row), END];
    const taken = chunks.map((chunk, at) => file.take(at === 0 ? Buffer.concat([HEADER, chunk]) : chunk));
    expect(taken).toEqual([...rows.map(() => 1), 0]);
    file.finish();
  }
  const read = await readParquet('hyparquet', paths);
  return Promise.all(
    paths.map(async (path) => {
      const bytes = await readFile(path);
      return {
        rows: read[path] ?? [],
        metadata: parquetMetadata(new Uint8Array(bytes).buffer),
        size: bytes.length,
      };
    }),
  );
}

const DAY_MICROS = 86_400_000_000n;
/** From 2000, where PostgreSQL begins. */
const day = (text: string) => int32(Temporal.PlainDate.from('2000-01-01').until(text).days);
const instant = (micros: bigint) => int64(micros - 10_957n * DAY_MICROS);
const money = [
  '0',
  '0.01',
  '-0.01',
  '1.00',
  '-50.50',
  '9999.99',
  '10000.00',
  '99999999999.99',
  '-99999999999.99',
];
const large = [
  '0.0',
  '-0.1',
  '12345678901234567890123.4',
  '-99999999999999999999999999.9',
  '10000000000000000.0',
];

test.each<[string, readonly (readonly [Buffer, string])[]]>([
  [
    'boolean',
    [
      [Buffer.from([1]), 'true'],
      [Buffer.from([0]), 'false'],
    ],
  ],
  ['smallint', [0, 1, -1, 255, 256, 32_767, -32_768].map((value) => [int16(value), String(value)])],
  ['integer', [0, -1, 65_536, 2_147_483_647, -2_147_483_648].map((value) => [int32(value), String(value)])],
  [
    'bigint',
    [0n, -1n, 4_294_967_295n, -4_294_967_296n, 9_007_199_254_740_993n, 2n ** 63n - 1n, -(2n ** 63n)].map(
      (value) => [int64(value), String(value)],
    ),
  ],
  ['date', ['1970-01-01', '1969-12-31', '2000-01-01', '2026-02-28'].map((text) => [day(text), text])],
  [
    'timestamp with time zone',
    [0n, -1n, 1_795_754_716_972_001n, -DAY_MICROS].map((micros) => [instant(micros), String(micros)]),
  ],
  [
    'numeric(9,2)',
    ['0', '-0.05', '1234567.89', '-9999999.99'].map((text) => [numeric(text), Number(text).toFixed(2)]),
  ],
  ['numeric(13,2)', money.map((text) => [numeric(text), text === '0' ? '0.00' : text])],
  ['numeric(18,0)', ['0', '123456789012345678', '-40000'].map((text) => [numeric(text), text])],
  ['numeric(27,1)', large.map((text) => [numeric(text), text])],
  ['numeric(38,10)', ['1.0000000001', '-1234567890.0987654321'].map((text) => [numeric(text), text])],
  ['text', ['', 'a', 'Ж', 'x'.repeat(70_000), 'a\0b', '"'].map((text) => [Buffer.from(text), text])],
])('values of %s are read as they were sent, and as null where there is none', async (type, values) => {
  const [first, second, third] = values.map(([bytes]) => [bytes]);
  const rows = [[null], ...values.map(([bytes]) => [bytes]), [null], ...(first === undefined ? [] : [first])];
  const texts = [null, ...values.map(([, text]) => text), null, values[0]?.[1]];
  const again = [second ?? [null], third ?? [null]];
  const [whole, empty, next] = await write({ v: type }, rows, [], again);
  expect(whole?.rows).toEqual(texts.map((text) => [text]));
  expect([empty?.rows, empty?.metadata.num_rows]).toEqual([[], 0n]);
  // What the file before held is forgotten.
  expect(next?.rows).toEqual([[values[1]?.[1] ?? null], [values[2]?.[1] ?? null]]);
});

test('the columns of a row stay together, and what is known of them is written beside them', async () => {
  const types = { id: 'bigint', on: 'date', ok: 'boolean', sum: 'numeric(13,2)', code: 'text', name: 'text' };
  const rows = Array.from({ length: 9 }, (_, n) => [
    int64(BigInt(n + 100)),
    n % 3 === 0 ? null : day(`2026-01-0${n}`),
    n === 8 ? null : Buffer.from([n % 2]),
    n === 0 ? null : numeric(`-${n}.50`),
    Buffer.from(n < 5 ? 'a' : 'bb'),
    Buffer.from(`name ${n}`),
  ]);
  const [file] = await write(types, rows);
  expect(file?.rows).toEqual(
    rows.map((_, n) => [
      String(n + 100),
      n % 3 === 0 ? null : `2026-01-0${n}`,
      n === 8 ? null : String(n % 2 === 1),
      n === 0 ? null : `-${n}.50`,
      n < 5 ? 'a' : 'bb',
      `name ${n}`,
    ]),
  );
  const { metadata, size } = file ?? { metadata: undefined, size: 0 };
  const [group] = metadata?.row_groups ?? [];
  const columns = group?.columns.map(({ meta_data: data }) => data) ?? [];
  expect(columns.map((data) => data?.statistics?.null_count)).toEqual([0n, 3n, 1n, 1n, 0n, 0n]);
  const encodings = 'PLAIN PLAIN RLE PLAIN PLAIN,RLE_DICTIONARY PLAIN';
  expect(columns.map((data) => data?.encodings.join()).join(' ')).toBe(encodings);
  expect(columns.map((data) => data?.dictionary_page_offset !== undefined)).toEqual(
    ['id', 'on', 'ok', 'sum', 'code', 'name'].map((name) => name === 'code'),
  );
  // They follow each other without gaps, from the mark at the beginning on.
  let end = 4n;
  for (const data of columns) {
    expect(data?.dictionary_page_offset ?? data?.data_page_offset).toBe(end);
    end += data?.total_compressed_size ?? 0n;
  }
  expect(group?.total_compressed_size).toBe(end - 4n);
  expect(size).toBe(Number(end) + (metadata?.metadata_length ?? 0) + 8);
  expect(group?.total_byte_size).toBe(
    columns.reduce((sum, data) => sum + (data?.total_uncompressed_size ?? 0n), 0n),
  );
});

test('many rows are written in groups, also where few of them are large', async () => {
  // More than one group has texts that repeat, and so many that differ look alike to whoever compares them carelessly.
  const count = 16_384 + 1_300;
  const codes = Array.from({ length: count }, (_, n) => `code ${n % 300}`);
  const keyOf = (n: number) => `${(n * 7919) % 65_537}`.padEnd(n % 9, '.');
  const long = Array.from({ length: 5 }, (_, n) => Buffer.alloc(3 * 1_048_576, `${n}`));
  const [many, few] = await write(
    { v: 'text', n: 'integer', key: 'text' },
    codes.map((code, n) => [Buffer.from(code), n % 7 === 0 ? null : int32(n), Buffer.from(keyOf(n))]),
    long.map((text, n) => [text, int32(n), null]),
  );
  expect(many?.rows).toEqual(codes.map((code, n) => [code, n % 7 === 0 ? null : String(n), keyOf(n)]));
  expect(few?.rows.map(([text, n]) => [String(text).length, String(text).at(-1), n])).toEqual(
    long.map((text, n) => [text.length, String(n), String(n)]),
  );
  const sizes = [many, few].map((file) => file?.metadata.row_groups.map((group) => Number(group.num_rows)));
  expect(sizes).toEqual([
    [16_384, 1_300],
    [3, 2],
  ]);
  expect([many?.metadata.num_rows, few?.metadata.num_rows]).toEqual([BigInt(count), 5n]);
});

test('a number that is none is refused, and a name may be anything', async () => {
  const infinite = Buffer.concat([0, 0, 0xd000 - 0x10000, 0].map(int16));
  await expect(write({ v: 'numeric(9,2)' }, [[infinite]])).rejects.toThrow('a numeric is not finite');
  expect(toExportColumn({ name: 'a"b', type: 'date' }).sql).toBe(
    'CASE WHEN isfinite("a""b") THEN "a""b" END',
  );
  expect(toExportColumn({ name: 'a', type: 'daterange' }).sql).toBe('"a"::text');
  expect(toExportColumn({ name: 'a', type: 'text' }).sql).toMatch(/^"a"/);
});

test('the length of booleans is written before them, which not every reader looks at', () => {
  const values = columnValues(toExportColumn({ name: 'ok', type: 'boolean' }), 300);
  for (let n = 0; n < 300; n += 1) values.add(Buffer.from([n % 3 === 0 ? 1 : 0]), 0, 1);
  const { values: bytes } = values.encode();
  expect(Buffer.from(bytes).readUInt32LE()).toBe(bytes.length - 4);
});
