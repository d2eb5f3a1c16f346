import { expect, test } from 'vitest';

import { type JsonValue, parseJson } from '../../src/model/json.ts';
import type { Parse } from '../../src/normalize/record-reader.ts';
import { excerpt } from '../../src/normalize/rejection.ts';
import { parseCode, parseFlag, parseText, parseTrimmed } from '../../src/normalize/text.ts';

const BROKEN = ['parts of the text are no characters, and were replaced by question marks'];
const LONG = '12345678901234567890';
const NUL = ['NUL characters were removed from the text'];

type Reading = [
  what: string,
  parse: Parse<string>,
  wire: JsonValue,
  value: string | null,
  problems: string[],
];

const readings: Reading[] = [
  ['text is kept as written', parseText, ' a b ', ' a b ', []],
  ['a number is text', parseText, 5, '5', []],
  ['a long number keeps its digits', parseText, parseJson(LONG), LONG, []],
  ['NUL is removed and told', parseText, 'a\0b\0', 'ab', NUL],
  ['only NUL and blanks is nothing', parseText, ' \0', null, NUL],
  ['a lone surrogate is replaced', parseText, 'a\ud800b', 'a?b', BROKEN],
  ['a code that is broken is none', parseCode, 'a\udcd0', null, ['a code of which parts are no characters']],
  ['an emoji is left alone', parseText, '😀', '😀', []],
  ['an object is no text', parseText, {}, null, ['not a text']],
  ['an array is no text', parseText, ['a'], null, ['not a text']],
  ['a boolean is no text', parseText, false, null, ['not a text']],
  ['a flag may be a boolean', parseFlag, true, 'true', []],
  ['a flag is no object', parseFlag, {}, null, ['not a text']],
  ['a flag may be a number', parseFlag, 1, '1', []],
  ['a code has no blanks around it', parseCode, ' custom code ', 'custom code', []],
  ['a code can be a number', parseCode, 7, '7', []],
  ['a code of 64 characters is one', parseCode, 'x'.repeat(64), 'x'.repeat(64), []],
  ['a longer code is none', parseCode, 'x'.repeat(65), null, ['a code longer than 64 characters']],
  ['trimmed text may be long', parseTrimmed, ` ${'x'.repeat(65)}`, 'x'.repeat(65), []],
];

test.each(readings)('%s', (_what, parse, wire, value, problems) => {
  expect(parse(wire)).toEqual({ value, problems });
});

const excerpts: [what: string, value: JsonValue | undefined, text: string | null][] = [
  ['nothing', undefined, null],
  ['null', null, null],
  ['a number', 5, '5'],
  ['structure', { a: [1] }, '{"a":[1]}'],
  ['NUL', 'a\0b', 'ab'],
  ['a lone surrogate', '\udc00a', '?a'],
  ['long text', 'x'.repeat(9999), 'x'.repeat(500)],
  ['long text with an emoji in it', `😀${'x'.repeat(9999)}`, `😀${'x'.repeat(498)}`],
  ['text whose last unit is half an emoji', `${'x'.repeat(499)}\ud83d`, `${'x'.repeat(499)}?`],
  ['text whose 500th unit is half an emoji', `${'x'.repeat(499)}😀`, 'x'.repeat(499)],
];

test.each(excerpts)('PostgreSQL accepts the excerpt of %s', (_what, value, text) => {
  expect(excerpt(value)).toBe(text);
});

test('the excerpt of a huge value is its beginning', () => {
  const text = excerpt(Array.from({ length: 100_000 }, (_, index) => `name ${index}`));
  expect(text).toHaveLength(500);
  expect(text).toMatch(/^\["name 0","name 1",/);
});
