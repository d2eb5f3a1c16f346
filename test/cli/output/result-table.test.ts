import { expect, test } from 'vitest';

import { tableWriter, trimFractions } from '../../../src/cli/output/query-result.ts';
import type { QueryColumn, QueryResult } from '../../../src/warehouse/query/read-query.ts';

const column = (name: string, kind: QueryColumn['kind'], isUnscaled = false): QueryColumn => ({
  name,
  kind,
  isUnscaled,
});
const text = (name: string) => column(name, 'text');
const number = (name: string) => column(name, 'number');
const LONG = 'A product with a very long name indeed';

/** What a terminal of so many columns shows of a result; undefined: there is none. */
async function written(
  columns: readonly QueryColumn[],
  rows: readonly (readonly (string | null)[])[],
  outColumns?: number,
) {
  let out = '';
  const print = (part: string) => void (out += part);
  const io = { out: print, err: print, isTerminal: false, columns: () => 80, outIsOpen: () => true };
  const result = { columns, batches: [rows].values(), unverified: [], histories: [] };
  await tableWriter({ ...io, outColumns: () => outColumns })(result as unknown as QueryResult);
  return out;
}

test('a table is wrapped to the width of the terminal in its texts, never in its numbers', async () => {
  const columns = [text('product'), number('revenue')];
  const rows = [[LONG, '12345678901234567890.10']];
  expect(await written(columns, rows)).toContain(LONG);
  const lines = (await written(columns, rows, 40)).split('\n');
  expect(lines[1]).toBe('A product with   12345678901234567890.10');
  expect(Math.max(...lines.map((line) => line.length))).toBe(40);
});

test('columns that do not fit side by side are shown one below the other, a row after the other', async () => {
  const columns = ['a', 'b', 'c'].map(number);
  const rows = [
    ['1', '2', null],
    ['12345678901234567890', '2', '3'],
  ];
  expect(await written(columns, rows, 20)).toContain('  a  1\n  b  2\n  c  NULL\n\n  a  12345678901234');
});

test('what would control the terminal is shown instead, and a column is numeric whatever stands in it', async () => {
  expect(await written([text('name')], [['red \u001B[31m\nbell \u0007\u202E']])).toContain(
    String.raw`red \u001b[31m\nbell \u0007\u202e`,
  );
  expect(
    await written(
      [number('n'), text('東京')],
      [
        [null, 'x'],
        ['7', 'y'],
      ],
    ),
  ).toBe('   n  東京\nNULL  x\n   7  y\n(2 rows)\n');
});

test('zeros that no value of a column needs are left out, and no other digit', () => {
  const average = column('average', 'number', true);
  const shown = (...values: readonly (string | null)[]) =>
    trimFractions(
      [average],
      values.map((value) => [value]),
    ).flat();
  expect(shown('390.0000000000000000', null, '-0.50000000000000000000')).toEqual(['390.00', null, '-0.50']);
  expect(shown('390.0000', '0.1250', '7', 'NaN')).toEqual(['390.000', '0.125', '7', 'NaN']);
  expect(shown('33.3333333333333333', '2.0000000000000000')).toEqual([
    '33.3333333333333333',
    '2.0000000000000000',
  ]);
  expect(shown('1.5', '100')).toEqual(['1.5', '100']);
  expect(trimFractions([number('weight')], [['1.000']])).toEqual([['1.000']]);
});

test('zeros are left out where a column has them, whatever its neighbours are', () => {
  const average = column('average', 'number', true);
  const row = ['a1.5000', '2.5000', '3.1000'];
  expect(trimFractions([text('a'), average, number('b')], [row])).toEqual([['a1.5000', '2.50', '3.1000']]);
  expect(trimFractions([average], [['-12.3450'], ['x1.23456']])).toEqual([['-12.345'], ['x1.234']]);
});
