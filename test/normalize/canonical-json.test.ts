import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { parseJson } from '../../src/model/json.ts';
import { jsonText } from '../../src/normalize/canonical-json.ts';
import { IS_LONG } from '../support/long.ts';

test('JSON text equals JSON.stringify', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 }), (generated) => {
      const value = parseJson(JSON.stringify(generated));
      expect(JSON.parse(jsonText(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: IS_LONG ? 100 : 30 },
  );
});

test('sorted text does not depend on the order of keys, at any depth', () => {
  const left = parseJson('{"b":{"y":1,"x":[{"q":1,"p":2}]},"a":2}');
  expect(jsonText(left, true)).toBe('{"a":2,"b":{"x":[{"p":2,"q":1}],"y":1}}');
  expect(jsonText(left), 'unless asked for').toBe('{"b":{"y":1,"x":[{"q":1,"p":2}]},"a":2}');
});

test('what is nested as deep as the parser allows is written', () => {
  const text = `${'[{"deep":'.repeat(100)}"bottom"${'}]'.repeat(100)}`;
  expect(jsonText(parseJson(text))).toBe(text);
});

const spellings: [source: string, canonical: string][] = [
  ['1.50', '1.5'],
  ['1.500000000000000000000000', '1.5'],
  ['1e-7', '0.0000001'],
  ['1.0E+25', '10000000000000000000000000'],
  ['9007199254740993', '9007199254740993'],
  ['-0.0', '0'],
  ['100', '100'],
  ['0.10', '0.1'],
];

test.each(spellings)('the number %s has one spelling: %s', (source, canonical) => {
  expect(jsonText(parseJson(source))).toBe(canonical);
});
