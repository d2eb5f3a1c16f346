/** Rows as PostgreSQL's COPY writes them, in files of CSV, and in such of Parquet read by a reader that this project did not write. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parquetMetadata } from 'hyparquet';
import { expect, test } from 'vitest';

import { toExportColumn } from '../../src/export/columns.ts';
import type { ExportFormat } from '../../src/export/export-format.ts';
import { openFile } from '../../src/export/partition-file.ts';
import { openFolder } from '../support/scratch-folder.ts';
import { readParquet } from './parquet-readers.ts';

type Types = Readonly<Record<string, string>>;

type TextRow = readonly (string | null)[];

/** Writes a file of these columns and rows, and reads it. */
async function write<Read>(
  format: ExportFormat,
  types: Types,
  rows: readonly string[],
  read: (path: string) => Promise<Read>,
): Promise<Read> {
  await using folder = await openFolder('partition');
  const path = join(folder.path, 'part');
  const columns = Object.entries(types).map(([name, type]) => toExportColumn({ name, type }));
  const file = openFile(path, format, columns);
  // The connection writes the next row where this one was.
  const bytes = Buffer.alloc(4 * 1_048_576);
  for (const row of rows) file.take(bytes.subarray(0, bytes.write(row)));
  file.finish();
  return await read(path);
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n' };
const copied = (value: string | null) =>
  value?.replaceAll(/[\\\t\n]/g, (mark) => ESCAPES[mark] ?? '') ?? '\\N';

const writeParquet = (types: Types, rows: readonly TextRow[]) => {
  const sent = rows.map((row) => `${row.map(copied).join('\t')}\n`);
  return write('parquet', types, sent, async (path) => {
    const { [path]: read = [] } = await readParquet('hyparquet', [path]);
    return { rows: read, metadata: parquetMetadata(new Uint8Array(await readFile(path)).buffer) };
  });
};

test('a file of CSV has all rows below the names, however long one is', async () => {
  const rows = ['1,\n', '2,""\n', `3,${'long '.repeat(400_000)}\n`, '4,"a ""b"", c"\n'];
  const text = await write('csv', { id: 'bigint', note: 'text' }, rows, (path) => readFile(path, 'utf8'));
  expect(text).toBe(`id,note\n${rows.join('')}`);
});

/** As its SQL makes it of a day. */
const day = (text: string) => String(Temporal.PlainDate.from('1970-01-01').until(text).days);

test.each<[string, readonly (string | readonly [text: string, read: string])[]]>([
  [
    'boolean',
    [
      ['t', 'true'],
      ['f', 'false'],
    ],
  ],
  ['smallint', ['0', '-1', '32767', '-32768']],
  ['integer', ['0', '-1', '65536', '2147483647', '-2147483648']],
  ['bigint', ['0', '-1', '4294967295', '9007199254740993', `${2n ** 63n - 1n}`, `${-(2n ** 63n)}`]],
  ['date', ['1970-01-01', '1969-12-31', '2000-01-01', '2026-02-28'].map((text) => [day(text), text])],
  ['timestamp with time zone', ['0', '-1', '1795754716972001', '-86400000000']],
  ['numeric(9,2)', ['0.00', '-0.05', '1234567.89']],
  ['numeric(13,2)', ['0.00', '0.01', '-0.01', '1.00', '-50.50', '99999999999.99', '-99999999999.99']],
  ['numeric(18,0)', ['0', '123456789012345678', '-40000']],
  ['numeric(27,1)', ['-0.1', '12345678901234567890123.4', '-99999999999999999999999999.9']],
  ['text', ['', 'a', 'Ж', 'x'.repeat(70_000), '"', 'a\tb\nc\\d', '\\N', '\\.', '\\']],
  ['daterange', ['[2026-01-01,2026-02-01)']],
])('values of %s are in Parquet what they are in SQL, and null where there is none', async (type, values) => {
  const given = values.map((value) => (typeof value === 'string' ? ([value, value] as const) : value));
  // What repeats is read once, also with nothing in between.
  const rows = [[null], ...given.flatMap(([text]) => [[text], [text], [null], [text]]), [null]];
  const { rows: read } = await writeParquet({ v: type }, rows);
  const expected = given.flatMap(([, value]) => [[value], [value], [null], [value]]);
  expect(read).toEqual([[null], ...expected, [null]]);
  const empty = await writeParquet({ v: type }, []);
  expect([empty.rows, empty.metadata.num_rows]).toEqual([[], 0n]);
});

test('the columns of a row stay together', async () => {
  const types = { id: 'bigint', ok: 'boolean', sum: 'numeric(13,2)', code: 'text', name: 'text' };
  const shown = Array.from({ length: 9 }, (_, n) => [
    String(n + 100),
    n === 8 ? null : String(n % 2 === 1),
    n === 0 ? null : `-${n}.50`,
    n < 5 ? 'a' : 'bb',
    `name ${n}`,
  ]);
  const sent = shown.map(([id = '', ok = null, ...rest]) => [
    id,
    ok === null ? null : ok.slice(0, 1),
    ...rest,
  ]);
  expect((await writeParquet(types, sent)).rows).toEqual(shown);
});

test('many rows are written in groups, also where few of them are large', async () => {
  const rows = Array.from({ length: 16_384 + 1_300 }, (_, n) => [
    `code ${n % 300}`,
    n % 7 === 0 ? null : String(n),
  ]);
  const many = await writeParquet({ v: 'text', n: 'integer' }, rows);
  expect(many.rows).toEqual(rows);
  const long = Array.from({ length: 5 }, (_, n) => [`${n}`.repeat(3 * 1_048_576)]);
  const few = await writeParquet({ v: 'text' }, long);
  expect(few.rows.map(([text]) => [String(text).length, String(text).at(-1)])).toEqual(
    long.map(([text = ''], n) => [text.length, String(n)]),
  );
  const sizes = [many, few].map(({ metadata }) => metadata.row_groups.map((group) => Number(group.num_rows)));
  expect(sizes).toEqual([
    [16_384, 1_300],
    [3, 2],
  ]);
});

test('an infinite time has no value in Parquet, and a name may be anything', () => {
  expect(toExportColumn({ name: 'a"b', type: 'date' }).sql).toBe(
    `CASE WHEN isfinite("a""b") THEN "a""b" - DATE '1970-01-01' END`,
  );
});
