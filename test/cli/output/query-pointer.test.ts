import stringWidth from 'string-width';
import { expect, test } from 'vitest';

import { pointer } from '../../../src/cli/output/query-failure.ts';

const QUERY = `SELECT ${'order_id, '.repeat(12)}ordr_sum, ${'order_date, '.repeat(12)}currency\nFROM orders`;
const AT = QUERY.indexOf('ordr_sum') + 1;

/** The character above the mark. */
const marked = ([line = '', mark = '']: readonly string[]) => Array.from(line)[mark.length - 1];

test('a line that fits is shown whole', () => {
  expect(pointer('SELECT 1\n\tFRM\torders\r', 11, 80)).toEqual(['LINE 2:  FRM orders', '         ^']);
  expect(pointer('SELECT 東京, x', 12, 80)).toEqual(['LINE 1: SELECT 東京, x', '                     ^']);
  expect(pointer(QUERY, AT)[0]).toBe(`LINE 1: ${QUERY.split('\n')[0]}`);
  expect(pointer(QUERY, undefined, 80)).toEqual([]);
});

test('a longer one is cut around the mark, at any width and wherever the mark is', () => {
  for (const width of [30, 40, 61, 80, 120]) {
    const lines = pointer(QUERY, AT, width);
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
    expect(lines[0]).toMatch(/^LINE 1: .*ordr_sum/);
    expect(marked(lines)).toBe('o');
  }
  expect(pointer(QUERY, 1, 40)).toEqual([
    expect.stringMatching(/^LINE 1: SELECT order_id, .{10,}$/),
    '        ^',
  ]);
  const last = pointer(QUERY, QUERY.indexOf('currency') + 1, 40);
  expect(last[0]).toMatch(/^LINE 1: .{10,} currency$/);
  expect(marked(last)).toBe('c');
});
