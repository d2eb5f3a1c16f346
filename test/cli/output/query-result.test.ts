import { expect, test } from 'vitest';

import { writeCsv, writeJson, writeTable } from '../../../src/cli/output/query-result.ts';
import { cliContext } from '../../support/cli-context.ts';
import type { QueryColumn, QueryResult } from '../../../src/warehouse/query/read-query.ts';

const column = (name: string, kind: QueryColumn['kind'], isUnscaled = false): QueryColumn => ({
  name,
  kind,
  isUnscaled,
});
const NUMBER = [column('a', 'number')];
const NUMBERS = Array.from({ length: 10 }, (_, index) => String(index));

/** Writes a result of many batches. @returns how many were read, and what was written */
async function write(
  writer: typeof writeCsv,
  values: readonly (string | null)[] = NUMBERS,
  columns: readonly QueryColumn[] = NUMBER,
  isOpen = true,
) {
  let read = 0;
  async function* batches() {
    for (const value of values) {
      yield [[value]];
      read += 1;
    }
  }
  const { io, written } = cliContext({ io: { outIsOpen: () => isOpen } });
  await writer(io, { columns, batches: batches(), unverified: [] });
  const told = written.err.join('');
  return { read, text: written.out.join(''), ...(told !== '' && { told }) };
}

test('all batches are written one after the other', async () => {
  expect(await write(writeCsv)).toEqual({ read: 10, text: 'a\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n' });
  expect((await write(writeJson)).text).toBe(
    `{"rows":[${NUMBERS.map((n) => `{"a":${n}}`).join(',')}],"unverified":[]}\n`,
  );
  expect((await write(writeJson, [])).text).toBe('{"rows":[],"unverified":[]}\n');
  expect((await write(writeJson, [null])).text).toBe('{"rows":[{"a":null}],"unverified":[]}\n');
  expect((await write(writeTable)).text).toMatch(/^a\n0\n[\s\S]*9\n\(10 rows\)\n$/);
});

test('reading stops once nobody reads the output', async () => {
  for (const writer of [writeCsv, writeJson])
    expect(await write(writer, NUMBERS, NUMBER, false)).toMatchObject({ read: 0 });
});

test('a query that fails on the way ends the line of JSON, so that the failure has its own', async () => {
  async function* batches() {
    yield [['1']];
    await Promise.reject(new Error('division by zero'));
  }
  const { io, written } = cliContext();
  const result = { columns: NUMBER, batches: batches(), unverified: [] };
  await expect(writeJson(io, result)).rejects.toThrow('division by zero');
  expect(written.out.join('')).toBe('{"rows":[{"a":1}\n');
});

test('a value of CSV is quoted where it holds a separator, a quote or the end of a line of any kind', async () => {
  const values = ['plain', 'a,b', 'a"b', 'a\nb', 'a\rb', 'a\r\nb', '', null, ' a ', ';'];
  const { text } = await write(writeCsv, values);
  expect(text).toBe('a\nplain\n"a,b"\n"a""b"\n"a\nb"\n"a\rb"\n"a\r\nb"\n""\n\n a \n;\n');
});

test.for([
  [0, '(0 rows)'],
  [1, '(1 row)'],
  [1_000, '(1000 rows)'],
  [1_001, '7'],
] as const)(
  'a table of %i rows says so, or beside it that it ends early, and reads no more than it shows',
  async ([rows, last]) => {
    const { read, text, told } = await write(
      writeTable,
      Array.from({ length: rows }, () => '7'),
    );
    expect([read, text.split('\n').at(-2)]).toEqual([Math.min(rows, 1_000), last]);
    const early = 'These are the first 1000 rows; --format csv or --format json prints all of them.\n';
    expect(told).toBe(rows > 1_000 ? early : undefined);
  },
);

test.for([
  ['number', '12345678901234567890.10', '12345678901234567890.10'],
  ['number', '-1e-07', '-1e-07'],
  ['number', 'NaN', '"NaN"'],
  ['number', 'Infinity', '"Infinity"'],
  ['number', '-Infinity', '"-Infinity"'],
  ['boolean', 'true', 'true'],
  ['time', '2026-03-01 13:00:00+01', '"2026-03-01T13:00:00+01:00"'],
  ['time', '2026-03-01 13:00:00.25+05:30', '"2026-03-01T13:00:00.25+05:30"'],
  ['time', '2026-03-01 13:00:00', '"2026-03-01T13:00:00"'],
  ['time', '-infinity', '"-infinity"'],
  ['json', '{\n"a": 1\n}', '{ "a": 1 }'],
] as const)(
  'JSON keeps the digits of numbers, writes times by ISO 8601, and stays on its line: %s %s',
  async ([kind, value, json]) => {
    const { text } = await write(writeJson, [value], [column('a', kind)]);
    expect(text).toBe(`{"rows":[{"a":${json}}],"unverified":[]}\n`);
  },
);

const textColumn = (name: string) => column(name, 'text');
const numberColumn = (name: string) => column(name, 'number');
const LONG = 'A product with a very long name indeed';

/** What a terminal of so many columns shows of a result; undefined: there is none. */
async function writtenText(
  columns: readonly QueryColumn[],
  rows: readonly (readonly (string | null)[])[],
  outColumns?: number,
) {
  const { io, written } = cliContext({ io: { outColumns: () => outColumns } });
  const result = { columns, batches: [rows].values(), unverified: [] };
  await writeTable(io, result as unknown as QueryResult);
  return written.out.join('');
}

test('a table is wrapped to the width of the terminal in its texts, never in its numbers', async () => {
  const columns = [textColumn('product'), numberColumn('revenue')];
  const rows = [[LONG, '12345678901234567890.10']];
  expect(await writtenText(columns, rows)).toContain(LONG);
  const lines = (await writtenText(columns, rows, 40)).split('\n');
  expect(lines[1]).toBe('A product with   12345678901234567890.10');
  expect(Math.max(...lines.map((line) => line.length))).toBe(40);
});

test('columns that do not fit side by side are shown one below the other, a row after the other', async () => {
  const columns = ['a', 'b', 'c'].map(numberColumn);
  const rows = [
    ['1', '2', null],
    ['12345678901234567890', '2', '3'],
  ];
  expect(await writtenText(columns, rows, 20)).toContain('  a  1\n  b  2\n  c  NULL\n\n  a  12345678901234');
});

test('control characters are shown as escapes, and do not change whether a column is numeric', async () => {
  expect(await writtenText([textColumn('name')], [['red \u001B[31m\nbell \u0007\u202E']])).toContain(
    String.raw`red \u001b[31m\nbell \u0007\u202e`,
  );
  expect(
    await writtenText(
      [numberColumn('n'), textColumn('東京')],
      [
        [null, 'x'],
        ['7', 'y'],
      ],
    ),
  ).toBe('   n  東京\nNULL  x\n   7  y\n(2 rows)\n');
});

test('trailing zeros of computed averages are left out, and no other digit', async () => {
  const average = column('average', 'number', true);
  const shown = async (of: QueryColumn, ...values: readonly string[]) => {
    const rows = values.map((value) => [value]);
    return (await writtenText([of], rows)).split('\n').slice(1, -2);
  };
  const values = ['390.0000000000000000', '-0.5000', '0.1250', '7', 'NaN', '1.5', '33.3333333333333333'];
  expect((await shown(average, ...values)).map((cell) => cell.trim())).toEqual([
    '390.00',
    '-0.50',
    '0.125',
    '7',
    'NaN',
    '1.5',
    '33.3333333333333333',
  ]);
  expect(await shown(numberColumn('weight'), '1.000')).toEqual([' 1.000']);
  expect(await shown(average, 'x1.23400')).toEqual(['x1.23400']);
});
