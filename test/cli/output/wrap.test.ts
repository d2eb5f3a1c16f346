import { expect, test } from 'vitest';

import { wrap, wrapLines } from '../../../src/cli/output/display-text.ts';

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
  ['at 127.0.0.1:80', 12, ['at', '127.0.0.1:80']],
  ['東京都庁', 4, ['東京', '都庁']],
  ['', 4, ['']],
])('%j in lines of %i', (given, width, lines) => {
  expect(wrap(given, width)).toEqual(lines);
});

test('what is indented deeper than the line is wide is wrapped all the same', () => {
  expect(wrapLines('    ab c', 3)).toBe('    a\n      b\n      c');
  expect(wrapLines('ab c', 2)).toBe('ab\nc');
});
