import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { parseJson } from '../../../src/model/json.ts';
import { jsonText, restoreText, storableJson } from '../../../src/warehouse/db/pg-json.ts';

test.each([
  ['a\0b\0', 'ab'],
  ['a\ud800b', 'a?b'],
  ['\udfff', '?'],
  ['\udc00\ud83d', '??'],
])('in texts and in keys, at any depth, %j becomes %j', (given, stored) => {
  expect(JSON.parse(jsonText([{ a: given }]))).toEqual([{ a: stored }]);
  expect(JSON.parse(jsonText([{ list: ['fine', { [given]: 1 }] }]))).toEqual([
    { list: ['fine', { [stored]: 1 }] },
  ]);
});

test('text that only looks like an escape, and surrogate pairs, stay', () => {
  const rows = [{ path: 'C:\\u0000\\ud83d', emoji: '\u{1f600}', quoted: '"\\"' }];
  expect(JSON.parse(jsonText(rows))).toEqual(rows);
});

test('raw numbers keep their digits, also beside cleaned text', () => {
  const row = parseJson('{"id":12345678901234567890,"sum":0.30000000000000004}');
  expect(jsonText([row, 'a\0'])).toBe('[{"id":12345678901234567890,"sum":0.30000000000000004},"a"]');
  expect(jsonText([row])).toBe('[{"id":12345678901234567890,"sum":0.30000000000000004}]');
});

test('a key named __proto__ stays a plain key while others are cleaned', () => {
  const row = parseJson('{"__proto__":{"a":1},"x\\u0000":2}');
  expect(jsonText(row)).toBe('{"__proto__":{"a":1},"x":2}');
});

test('text with escaped NUL characters and lone surrogates is free of them, and comes back as it was, whatever it holds', () => {
  const part = fc.constantFrom(
    '\0',
    '\uFDD0',
    '0',
    'd800',
    '\ud800',
    '\udcff',
    '\\u0000',
    '"',
    'a',
    '\u{1f600}',
  );
  const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, (key, value) => {
      const payload = { [`k${key}`]: [value], plain: value };
      const stored = jsonText(payload, 'escaped');
      expect(JSON.stringify(JSON.parse(stored))).not.toMatch(/(?<!\\)(\\\\)*\\u(0000|d[89a-f])/);
      expect(JSON.parse(restoreText(stored))).toEqual(payload);
    }),
  );
});

test('a value is made storable where PostgreSQL would refuse it, and stays the very same otherwise', () => {
  const fine = { a: ['b', null, 1], c: {} };
  expect(storableJson(fine)).toBe(fine);
  const stored = JSON.stringify(storableJson({ a: 'x\0\uDC00', list: [null, true, { '\uFDD0': 1 }] }));
  expect(stored).not.toMatch(/\\u(0000|d[89a-f])/i);
  expect(JSON.parse(restoreText(stored))).toEqual({ a: 'x\0\uDC00', list: [null, true, { '\uFDD0': 1 }] });
  expect(jsonText([{ a: null, b: [null, 'x\0'], '\uDBFFk': 2 }])).toBe('[{"a":null,"b":[null,"x"],"?k":2}]');
});
