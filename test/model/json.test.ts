import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { isJsonArray, isJsonObject, isRawNumber, numberText, parseJson } from '../../src/model/json.ts';
import { anyText } from '../support/any-text.ts';
import { IS_LONG } from '../support/long.ts';

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** The value of decimal text as a fraction in lowest powers of ten: independent of how the text spells it. */
function exactValue(text: string): { readonly units: bigint; readonly power: number } {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  let units = BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n);
  let power = Number(exponent) - fraction.length;
  if (units === 0n) return { units, power: 0 };
  for (; units % 10n === 0n; power += 1) units /= 10n;
  return { units, power };
}

test.each([
  '0',
  '-7',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9223372036854775808',
  '9223372036854775807',
  '18446744073709551615',
  '12345678901234567890',
  '0.1',
  '1234.5',
  '0.30000000000000004',
  '1.005',
  '0.1000000000000000055511151231257827',
  // Sixteen digits, and the nearest double is written differently.
  '9007199254740.993',
  // The nearest double is whole.
  '123456789012345.00001',
  '9007199254740991.4',
  '1.00000000000000000001',
  '-0e5',
  '1e21',
  `${'9'.repeat(40)}.99`,
  '1e200',
  '-1.5E-200',
])('the number %s keeps every digit through parse and stringify', (source) => {
  expect(exactValue(JSON.stringify(parseJson(source)))).toEqual(exactValue(source));
});

test.each([
  '1e400',
  '-1e400',
  '1e-400',
  '4.9e-324',
  '0.5e-99999',
  '1e201',
  '1e99999999999999999999',
  `1${'0'.repeat(200)}`,
])('the number %s, which jsonb could not hold, is kept as text', (source) => {
  expect(parseJson(`[${source}]`)).toEqual([source]);
});

test('numbers that a double holds as they are written are plain numbers, others are raw', () => {
  const kept = parseJson('[1, 1.50, -0, 100.00, 0.30000000000000004, 9007199254740993, 1e3]');
  expect(isJsonArray(kept) && kept.map((value) => isRawNumber(value))).toEqual([
    ...Array.from({ length: 5 }, () => false),
    true,
    true,
  ]);
  expect(isJsonArray(kept) && kept.slice(0, 5)).toEqual([1, 1.5, -0, 100, 0.1 + 0.2]);
});

test('a raw number is no object, and keeps its digits', () => {
  const id = parseJson('9223372036854775807');
  expect(isJsonObject(id)).toBe(false);
  expect(isRawNumber(id) && numberText(id)).toBe('9223372036854775807');
  expect(numberText(12.5)).toBe('12.5');
  // What only looks like one is an object.
  expect(isJsonObject(parseJson('{"rawJSON":"1"}'))).toBe(true);
});

/** A number as JSON may spell it, of few digits or many, which jsonb can hold. */
const anyNumber = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,24}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,25}$/)),
    fc.oneof({ weight: 2, arbitrary: fc.constant('') }, fc.stringMatching(/^[eE][+-]?(\d{1,2}|1[0-4]\d)$/)),
  )
  .map((parts) => parts.join(''));

test('whatever number is written, parse and stringify keep its value exactly, and a second pass changes nothing', () => {
  fc.assert(
    fc.property(anyNumber, (source) => {
      const text = JSON.stringify(parseJson(source));
      expect(exactValue(text)).toEqual(exactValue(source));
      expect(JSON.stringify(parseJson(text))).toBe(text);
    }),
    { numRuns: IS_LONG ? 2_000 : 1_000 },
  );
});

test('numbers keep their digits wherever they stand in a document', () => {
  const document = fc.array(anyNumber).chain((list) => fc.shuffledSubarray(list).map((part) => [list, part]));
  fc.assert(
    fc.property(document, ([list = [], part = []]) => {
      const text = JSON.stringify(parseJson(`{"a":[${list.join(',')}],"b":{"c":[${part.join(',')}]}}`));
      expect((text.match(/-?\d[\d.]*(?:e[+-]?\d+)?/gi) ?? []).map(exactValue)).toEqual(
        [...list, ...part].map(exactValue),
      );
    }),
  );
});

test('one byte order mark is passed over, at the beginning alone', () => {
  expect(parseJson('\uFEFF{"a":1}')).toEqual({ a: 1 });
  expect(parseJson('"\uFEFF"')).toBe('\uFEFF');
  expect(() => parseJson('\uFEFF\uFEFF{}')).toThrow(SyntaxError);
});

const blank = fc.constantFrom('', ' ', '\n', '\t\r ');
const spelledText = fc
  .oneof(anyText(), fc.stringMatching(/^["\\:,[\d.eE -]*$/))
  .map((text) => JSON.stringify(text));

/** JSON text of any form, with blanks in all places. */
const anyDocument = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(anyNumber, spelledText, fc.constantFrom('true', 'false', 'null')),
    fc
      .tuple(blank, fc.array(fc.tuple(blank, tie('json'), blank)))
      .map(([space, parts]) => `[${parts.map((part) => part.join('')).join(',') || space}]`),
    fc
      .tuple(blank, fc.array(fc.tuple(blank, spelledText, blank, tie('json'), blank)))
      .map(([space, parts]) => {
        const entries = parts.map(([a, key, b, value, c]) => `${a}${key}${b}:${b}${value}${c}`);
        return `{${entries.join(',') || space}}`;
      }),
  ),
})).json;

test('a value is read the same whatever number is next to it', () => {
  fc.assert(
    fc.property(blank, anyDocument, (space, json) => {
      const [value, expected] = [parseJson(space + json), parseJson(`[${json},9007199254740993]`)];
      expect([value]).toStrictEqual(isJsonArray(expected) && expected.slice(0, 1));
      expect(JSON.stringify([value, 0])).toBe(JSON.stringify(expected).replace(/9007199254740993\]$/, '0]'));
    }),
    { seed: 7, numRuns: IS_LONG ? 3000 : 800 },
  );
});
