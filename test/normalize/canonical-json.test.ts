import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { type JsonValue, parseJson } from '../../src/json.ts';
import { jsonText } from '../../src/normalize/canonical-json.ts';

test('JSON text equals JSON.stringify', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 }), (generated) => {
      const value = parseJson(JSON.stringify(generated));
      expect(JSON.parse(jsonText(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('sorted text does not depend on the order of keys, at any depth', () => {
  const left = parseJson('{"b":{"y":1,"x":[{"q":1,"p":2}]},"a":2}');
  expect(jsonText(left, { sortKeys: true })).toBe('{"a":2,"b":{"x":[{"p":2,"q":1}],"y":1}}');
});

test('any nesting is written, and cut at the maximum length', () => {
  let deep: JsonValue = 'bottom';
  for (let level = 0; level < 200_000; level += 1) deep = level % 2 === 0 ? [deep] : { deep };
  expect(jsonText(deep)).toMatch(/^\{"deep":\[.*"bottom".*\]\}$/);
  expect(jsonText(deep, { maxLength: 20 }).length).toBeLessThan(40);
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
