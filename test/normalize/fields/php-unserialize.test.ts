import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { isJsonArray, type JsonValue, parseJson } from '../../../src/model/json.ts';
import { unserialize as readEntries } from '../../../src/normalize/fields/php-unserialize.ts';
import { inBytes, inCharacters, type Serializable, serialize } from './serialize.ts';
import { anyText } from '../../support/any-text.ts';

const texts = fc.oneof(
  anyText().map((text) => text.toWellFormed()),
  fc.string({ unit: fc.constantFrom('ж', 'Ё', '😀', '€', '"', ';', '}', ':', '{', '0', ' ') }),
  // What the format itself is made of.
  fc.string({
    unit: fc.constantFrom('";', '";}', 's:3:"abc";', 'a:1:{i:0;N;}', 'N;', 'O:8:"stdClass":0:{}', 'e\u0301'),
  }),
);
const doubles = fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => value || 0);
const { value: values } = fc.letrec<{ value: Serializable }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    texts,
    fc.integer(),
    doubles.map((value) => Number(value.toFixed(3)) || 0).filter((value) => Math.abs(value) < 1e15),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value')),
    fc
      .dictionary(texts, tie('value'), { noNullPrototype: true, minKeys: 1 })
      // Keys 0, 1, 2... make a list, which has a generator of its own.
      .filter((object) => !Object.hasOwn(object, '0')),
  ),
}));

/** A value as the only entry of an array; undefined where it was left out. */
function unserialize(text: string): JsonValue | undefined {
  const found = readEntries(`a:1:{i:0;${text}}`);
  return found?.problems.length === 0 && isJsonArray(found.value) ? found.value[0] : undefined;
}

test.each([
  ['bytes', inBytes],
  ['characters', inCharacters],
] as const)('what PHP serialized is read exactly, its lengths counted in %s', (_unit, lengthOf) => {
  fc.assert(
    fc.property(values, (value) => {
      // Numbers with many digits are kept as digits.
      const exact = parseJson(JSON.stringify(value));
      expect(unserialize(serialize(value, lengthOf))).toEqual(exact);
    }),
    { numRuns: 500 },
  );
});

test('numbers keep their digits', () => {
  expect(unserialize('i:9223372036854775807;')).toEqual(parseJson('9223372036854775807'));
  expect(unserialize('d:0.30000000000000004;')).toEqual(parseJson('0.30000000000000004'));
  expect(unserialize('d:1.0E+25;')).toEqual(parseJson('1.0E+25'));
  expect(unserialize('i:-5;')).toBe(-5);
  expect(['d:5;', 'd:-1.5E5;', 'd:2e-3;'].map(unserialize)).toEqual(
    ['5', '-1.5E5', '2e-3'].map((text) => parseJson(text)),
  );
});

test('the last entry of a repeated key counts, also for a number and its text', () => {
  expect(unserialize('a:3:{s:1:"a";i:1;s:1:"b";i:2;s:1:"a";i:3;}')).toEqual({ a: 3, b: 2 });
  expect(unserialize('a:2:{i:5;i:1;s:1:"5";i:2;}')).toEqual({ '5': 2 });
});

test('only the keys 0, 1, 2... in that order make a list', () => {
  expect(unserialize('a:2:{i:0;i:7;i:1;i:8;}')).toEqual([7, 8]);
  expect(unserialize('a:2:{i:1;i:8;i:0;i:7;}')).toEqual({ '0': 7, '1': 8 });
  expect(unserialize('a:2:{i:7;i:7;i:1;i:8;}')).toEqual({ '1': 8, '7': 7 });
  expect(unserialize('a:0:{}')).toEqual([]);
  // PHP itself never keeps such a key as text.
  expect(unserialize('a:1:{s:1:"0";i:7;}')).toEqual([7]);
});

test('a nesting of 500 is read, one of 501 is left out, around it', () => {
  const nested = (depth: number) => 'a:1:{i:0;'.repeat(depth) + 'N;' + '}'.repeat(depth);
  expect(unserialize(nested(499))).toBeDefined();
  expect(unserialize(nested(500))).toBeUndefined();
  expect(unserialize(nested(100_000))).toBeUndefined();
});

test('a number has 40 characters at the most', () => {
  const number = '1'.repeat(40);
  expect(unserialize(`i:${number};`)).toEqual(parseJson(number));
  expect(unserialize(`i:1${number};`)).toBeUndefined();
});

test('of a truncated text, only the entries before the cut are read', () => {
  fc.assert(
    fc.property(fc.array(values, { minLength: 1 }), fc.nat(), (value, at) => {
      const text = serialize(value, inBytes);
      const found = readEntries(text.slice(0, at % text.length));
      if (found === undefined) return;
      expect(found.problems).not.toEqual([]);
      const exact = parseJson(JSON.stringify(value));
      const kept = Object.values(found.value ?? {});
      expect(isJsonArray(exact) && exact.slice(0, kept.length)).toEqual(kept);
    }),
  );
});
