/** Rows as PostgreSQL's binary COPY sends them, read again by a reader of Parquet that this project did not write. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parquetMetadata } from 'hyparquet';
import { expect, test } from 'vitest';

import { toExportColumn } from '../../src/export/columns.ts';
import { openFile } from '../../src/export/partition-file.ts';
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

/** The file of these columns and rows. */
async function write(types: Readonly<Record<string, string>>, rows: readonly (readonly Value[])[]) {
  await using folder = await openFolder('parquet');
  const path = join(folder.path, 'part.parquet');
  const columns = Object.entries(types).map(([name, type]) => toExportColumn({ name, type }));
  const file = openFile(path, 'parquet', columns);
  const chunks = [...rows.map(row), END];
  const taken = chunks.map((chunk, at) => file.take(at === 0 ? Buffer.concat([HEADER, chunk]) : chunk));
  expect(taken).toEqual([...rows.map(() => 1), 0]);
  file.finish();
  const read = await readParquet('hyparquet', [path]);
  return {
    rows: read[path] ?? [],
    metadata: parquetMetadata(new Uint8Array(await readFile(path)).buffer),
  };
}

const DAY_MICROS = 86_400_000_000n;
/** From 2000, where PostgreSQL begins. */
const instant = (micros: bigint) => int64(micros - 10_957n * DAY_MICROS);
/** As its SQL makes it of a day. */
const day = (text: string) => int32(Temporal.PlainDate.from('1970-01-01').until(text).days);
const units = (text: string) => text.replace('.', '');
const money = ['0.00', '0.01', '-0.01', '1.00', '-50.50', '99999999999.99', '-99999999999.99'];
const large = ['-0.1', '12345678901234567890123.4', '-99999999999999999999999999.9'];

test.each<[string, readonly (readonly [Buffer, string])[]]>([
  [
    'boolean',
    [
      [Buffer.from([1]), 'true'],
      [Buffer.from([0]), 'false'],
    ],
  ],
  ['smallint', [0, -1, 32_767, -32_768].map((value) => [int32(value), String(value)])],
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
  ['numeric(9,2)', ['0.00', '-0.05', '1234567.89'].map((text) => [int64(BigInt(units(text))), text])],
  ['numeric(13,2)', money.map((text) => [int64(BigInt(units(text))), text])],
  ['numeric(18,0)', ['0', '123456789012345678', '-40000'].map((text) => [int64(BigInt(text)), text])],
  ['numeric(27,1)', large.map((text) => [Buffer.from(units(text)), text])],
  ['text', ['', 'a', 'Ж', 'x'.repeat(70_000), 'a\0b', '"'].map((text) => [Buffer.from(text), text])],
])('values of %s are read as they were sent, and as null where there is none', async (type, values) => {
  const rows = [[null], ...values.map(([bytes]) => [bytes]), [null]];
  const { rows: read } = await write({ v: type }, rows);
  expect(read).toEqual([[null], ...values.map(([, text]) => [text]), [null]]);
  const empty = await write({ v: type }, []);
  expect([empty.rows, empty.metadata.num_rows]).toEqual([[], 0n]);
});

test('the columns of a row stay together', async () => {
  const types = { id: 'bigint', on: 'date', ok: 'boolean', sum: 'numeric(13,2)', code: 'text', name: 'text' };
  const rows = Array.from({ length: 9 }, (_, n) => [
    int64(BigInt(n + 100)),
    n % 3 === 0 ? null : day(`2026-01-0${n}`),
    n === 8 ? null : Buffer.from([n % 2]),
    n === 0 ? null : int64(BigInt(-100 * n - 50)),
    Buffer.from(n < 5 ? 'a' : 'bb'),
    Buffer.from(`name ${n}`),
  ]);
  const { rows: read } = await write(types, rows);
  expect(read).toEqual(
    rows.map((_, n) => [
      String(n + 100),
      n % 3 === 0 ? null : `2026-01-0${n}`,
      n === 8 ? null : String(n % 2 === 1),
      n === 0 ? null : `-${n}.50`,
      n < 5 ? 'a' : 'bb',
      `name ${n}`,
    ]),
  );
});

test('many rows are written in groups, also where few of them are large', async () => {
  const count = 16_384 + 1_300;
  const many = await write(
    { v: 'text', n: 'integer' },
    Array.from({ length: count }, (_, n) => [Buffer.from(`code ${n % 300}`), n % 7 === 0 ? null : int32(n)]),
  );
  expect(many.rows).toEqual(
    Array.from({ length: count }, (_, n) => [`code ${n % 300}`, n % 7 === 0 ? null : String(n)]),
  );
  const long = Array.from({ length: 5 }, (_, n) => Buffer.alloc(3 * 1_048_576, `${n}`));
  const few = await write(
    { v: 'text' },
    long.map((text) => [text]),
  );
  expect(few.rows.map(([text]) => [String(text).length, String(text).at(-1)])).toEqual(
    long.map((text, n) => [text.length, String(n)]),
  );
  const sizes = [many, few].map(({ metadata }) => metadata.row_groups.map((group) => Number(group.num_rows)));
  expect(sizes).toEqual([
    [16_384, 1_300],
    [3, 2],
  ]);
});

test('SQL makes what Parquet has no type for, and a name may be anything', () => {
  const sqlOf = (name: string, type: string) => toExportColumn({ name, type }).sql;
  expect(sqlOf('a"b', 'timestamp with time zone')).toBe('CASE WHEN isfinite("a""b") THEN "a""b" END');
  expect(sqlOf('a', 'daterange')).toBe('"a"::text');
  expect(sqlOf('a', 'numeric(13,2)')).toBe('("a" * 1e2)::bigint');
});
