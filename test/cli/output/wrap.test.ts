import { expect, test } from 'vitest';

import { displayWidth, fitted, wrap, wrapLines } from '../../../src/cli/output/display-text.ts';

test('sentences are wrapped between words, and what is indented stays so', () => {
  expect(wrapLines('Load: about 27 min\n  First order: 2024-01-31\n', 16)).toBe(
    'Load: about 27\nmin\n  First order:\n    2024-01-31\n',
  );
  expect(wrapLines('  as it is', undefined)).toBe('  as it is');
});

test.each<[string, number, readonly string[]]>([
  ['one two', 7, ['one two']],
  ['one two', 6, ['one', 'two']],
  ['one two six', 7, ['one two', 'six']],
  ['abcdefgh', 3, ['abc', 'def', 'gh']],
  ['ab cdefgh', 4, ['ab', 'cdef', 'gh']],
  ['at 127.0.0.1:80', 11, ['at', '127.0.0.1:', '80']],
  ['abc1,234.50', 6, ['abc', '1,234.', '50']],
  ['ab1,234.50x', 10, ['ab1,234.50', 'x']],
  ['ab1,234.501', 10, ['ab', '1,234.501']],
  ['ab12 c', 4, ['ab12', 'c']],
  ['1234567', 3, ['123', '456', '7']],
  ['12ab', 2, ['12', 'ab']],
  ['東京都庁', 4, ['東京', '都庁']],
])('%j in lines of %i', (given, width, lines) => {
  expect(wrap(given, width)).toEqual(lines);
});

test('wide characters count twice, wherever they are, and a text is filled up or cut', () => {
  expect(['東', 'a東', 'Ж東b', 'e\u0301'].map(displayWidth)).toEqual([2, 3, 4, 1]);
  expect(fitted('ab', 4)).toBe('ab  ');
  expect([fitted('ab', 2), fitted('abc', 2), fitted('東京', 3), fitted('a東京', 4)]).toEqual([
    'ab',
    'a…',
    '東…',
    'a東…',
  ]);
});

test('what is indented deeper than the line is wide is wrapped all the same', () => {
  expect(wrapLines('    ab c', 3)).toBe('    a\n      b\n      c');
  expect(wrapLines('ab c', 2)).toBe('ab\nc');
});
