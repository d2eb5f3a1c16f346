import { expect, test } from 'vitest';

import { displayWidth, fitted } from '../../../src/cli/output/display-text.ts';
import { renderTable, trimFractions } from '../../../src/cli/output/query-result.ts';

const text = (name: string) => ({ name, isNumeric: false, isUnscaled: false });
const number = (name: string) => ({ name, isNumeric: true, isUnscaled: false });
const LONG = 'A product with a very long name indeed';

test('a table is cut to the width of the terminal in its texts, never in its numbers', () => {
  const columns = [text('product'), number('revenue')];
  const rows = [[LONG, '12345678901234567890.10']];
  expect(renderTable(columns, rows, undefined)).toContain(LONG);
  const lines = renderTable(columns, rows, 40).split('\n');
  expect(lines[2]).toBe('A product with…  12345678901234567890.10');
  expect(Math.max(...lines.map(displayWidth))).toBe(40);
  expect(lines.slice(3).join(' ').trim()).toBe(
    '(… marks texts that are cut; --format csv prints them whole)',
  );
});

test('columns that do not fit side by side are shown one below the other', () => {
  const columns = ['a', 'b', 'c'].map(number);
  const rows = [
    ['1', '2', null],
    ['12345678901234567890', '2', '3'],
  ];
  expect(renderTable(columns, rows, 20)).toBe(
    '── row 1 ──\na  1\nb  2\nc  NULL\n── row 2 ──\na  12345678901234567890\nb  2\nc  3\n',
  );
});

test('what would control the terminal is shown instead', () => {
  const shown = renderTable([text('name')], [['red \u001B[31m\nbell \u0007\u202E']], undefined);
  expect(shown).toContain(String.raw`red \u001b[31m\nbell \u0007\u202e`);
});

test('wide characters and marks count as what they take', () => {
  expect(['Ёлочка', '東京', 'e\u0301', '👩‍👩‍👧', '«—№»'].map(displayWidth)).toEqual([6, 4, 1, 2, 4]);
  expect(fitted('東京都', 4)).toBe('東… ');
  expect(fitted('7', 3, true)).toBe('  7');
});

test('zeros that no value of a column needs are left out, and no other digit', () => {
  const average = { name: 'average', isNumeric: true, isUnscaled: true };
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

test('a table that fits exactly is not cut, and one column less cuts the widest text first', () => {
  const columns = [text('one'), text('two'), number('n')];
  const rows = [['a'.repeat(20), 'b'.repeat(14), '7']];
  const shown = (available: number) => renderTable(columns, rows, available).split('\n')[2];
  expect(shown(39)).toBe(`${'a'.repeat(20)}  ${'b'.repeat(14)}  7`);
  expect(shown(38)).toBe(`${'a'.repeat(18)}…  ${'b'.repeat(14)}  7`);
  expect(shown(29)).toBe(`${'a'.repeat(11)}…  ${'b'.repeat(11)}…  7`);
  expect(shown(28)).toMatch(/^two {2}b+$/);
  expect(renderTable(columns, [['x', '', null]], undefined)).toBe(
    'one  two     n\n───  ───  ────\nx         NULL\n',
  );
});

test('names of blocks are as wide as the widest', () => {
  expect(renderTable([text('a'), text('東京')], [['x'.repeat(30), 'y'.repeat(30)]], 20)).toBe(
    `── row 1 ──\na     ${'x'.repeat(30)}\n東京  ${'y'.repeat(30)}\n`,
  );
});

test('zeros are left out where a column has them, whatever its neighbours are', () => {
  const average = { name: 'average', isNumeric: true, isUnscaled: true };
  const row = ['a1.5000', '2.5000', '3.1000'];
  expect(trimFractions([text('a'), average, number('b')], [row])).toEqual([['a1.5000', '2.50', '3.1000']]);
  expect(trimFractions([average], [['-12.3450'], ['x1.23456']])).toEqual([['-12.345'], ['x1.234']]);
});
