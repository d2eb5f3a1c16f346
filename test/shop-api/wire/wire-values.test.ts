import { expect, test } from 'vitest';

import { type JsonValue, parseJson } from '../../../src/model/json.ts';
import { listEntries, wireCount, wireId, wireText } from '../../../src/shop-api/wire/wire-values.ts';

/** As it comes from the shop. */
const sent = (json: string) => parseJson(json);

test.each([
  ['0', '0'],
  ['7', '7'],
  ['"007"', '7'],
  ['" 12 "', '12'],
  ['9007199254740993', '9007199254740993'],
  ['"9223372036854775807"', '9223372036854775807'],
  ['9223372036854775808', undefined],
  ['"123456789012345678901"', undefined],
  ['-1', undefined],
  ['"-1"', undefined],
  ['1.5', undefined],
  ['"1a"', undefined],
  ['""', undefined],
  ['null', undefined],
  ['true', undefined],
  ['["7"]', undefined],
])('%s as an identifier is %s', (json, id) => {
  expect(wireId(sent(json))).toBe(id);
});

test('a count is no larger than what can be counted with, and a text is no empty one', () => {
  const counts = ['12', '"12"', '0', '9007199254740991', '9007199254740992', '"x"', '-3', 'null'];
  expect(counts.map((json) => wireCount(sent(json)))).toEqual([
    12,
    12,
    0,
    9_007_199_254_740_991,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  const texts = ['"a"', '5', '9007199254740993', '""', 'null', 'false', '{}'];
  expect(texts.map((json) => wireText(sent(json)))).toEqual([
    'a',
    '5',
    '9007199254740993',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('a list may be an object, whose keys are kept', () => {
  const entries = (json: string): readonly { key: string | undefined; value: JsonValue }[] | undefined =>
    listEntries(sent(json));
  expect(entries('[1,2]')).toStrictEqual([
    { key: undefined, value: 1 },
    { key: undefined, value: 2 },
  ]);
  expect(entries('{"a":1}')).toEqual([{ key: 'a', value: 1 }]);
  expect(entries('"a"')).toBeUndefined();
});
