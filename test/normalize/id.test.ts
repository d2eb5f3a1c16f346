import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { type JsonValue, parseJson } from '../../src/model/json.ts';
import { parseId } from '../../src/normalize/numbers.ts';

test('an identifier of 64 bits survives as a number in JSON and as text', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (id) => {
      expect(parseId(parseJson(String(id)))).toEqual({ value: String(id), problems: [] });
      expect(parseId(` ${id}\t`)).toEqual({ value: String(id), problems: [] });
    }),
  );
});

test('leading zeros are dropped, so that one record has one key', () => {
  expect(['007', '0', '-0', '0000000000000000000000042'].map((text) => parseId(text).value)).toEqual([
    '7',
    '0',
    '0',
    '42',
  ]);
});

const REFUSED: readonly JsonValue[] = [
  '12345678901234567890 | 9223372036854775808 | -9223372036854775809 | 1.0 | 1e3 | +5 | 0x1f',
  `12 34 | abc | 12a | 1\0 | １２ | ${'9'.repeat(500)} | ${'0'.repeat(500)}7 | ${'0'.repeat(500)}x`,
]
  .flatMap((texts): JsonValue[] => texts.split(' | '))
  .concat([1.5, 2 ** 60, Number.NaN, true, [], [1], {}, { oid: 1 }])
  .concat(['12345678901234567890', '1.5e30'].map(parseJson));

test.for(REFUSED)('%j is not an identifier', (wire) => {
  expect(parseId(wire)).toEqual({ value: null, problems: ['not a whole number in the range of 64 bits'] });
});
