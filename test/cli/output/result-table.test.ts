import { expect, test } from 'vitest';

import { tableWriter } from '../../../src/cli/output/query-result.ts';
import { cliContext } from '../../support/cli-context.ts';
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
async function writtenText(
  columns: readonly QueryColumn[],
  rows: readonly (readonly (string | null)[])[],
  outColumns?: number,
) {
  const { io, written } = cliContext({ io: { outColumns: () => outColumns } });
  const result = { columns, batches: [rows].values(), unverified: [] };
  await tableWriter(io)(result as unknown as QueryResult);
  return written.out.join('');
}

test('a table is wrapped to the width of the terminal in its texts, never in its numbers', async () => {
  const columns = [text('product'), number('revenue')];
  const rows = [[LONG, '12345678901234567890.10']];
  expect(await writtenText(columns, rows)).toContain(LONG);
  const lines = (await writtenText(columns, rows, 40)).split('\n');
  expect(lines[1]).toBe('A product with   12345678901234567890.10');
  expect(Math.max(...lines.map((line) => line.length))).toBe(40);
});

test('columns that do not fit side by side are shown one below the other, a row after the other', async () => {
  const columns = ['a', 'b', 'c'].map(number);
  const rows = [
    ['1', '2', null],
    ['12345678901234567890', '2', '3'],
  ];
  expect(await writtenText(columns, rows, 20)).toContain('  a  1\n  b  2\n  c  NULL\n\n  a  12345678901234');
});

test('what would control the terminal is shown instead, and a column is numeric whatever stands in it', async () => {
  expect(await writtenText([text('name')], [['red \u001B[31m\nbell \u0007\u202E']])).toContain(
    String.raw`red \u001b[31m\nbell \u0007\u202e`,
  );
  expect(
    await writtenText(
      [number('n'), text('東京')],
      [
        [null, 'x'],
        ['7', 'y'],
      ],
    ),
  ).toBe('   n  東京\nNULL  x\n   7  y\n(2 rows)\n');
});

test('zeros that say nothing are left out of what was computed, and no other digit', async () => {
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
  expect(await shown(number('weight'), '1.000')).toEqual([' 1.000']);
  expect(await shown(average, 'x1.23400')).toEqual(['x1.23400']);
});
