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
  const row = { a: parseJson('{"id":12345678901234567890,"sum":0.30000000000000004}') };
  const text = '{"a":{"id":12345678901234567890,"sum":0.30000000000000004}}';
  expect(jsonText([row])).toBe(`[${text}]`);
  expect(jsonText([row, { b: 'a\0' }])).toBe(`[${text},{"b":"a"}]`);
});

test('a key named __proto__ stays a plain key, and a time a time, while other values are cleaned', () => {
  const a = parseJson('{"__proto__":{"a":1},"x\\u0000":2}');
  const at = Temporal.Instant.from('2026-03-01T00:00:00Z');
  expect(jsonText([{ a, at, none: null, list: [null, '\uDBFFk'] }])).toBe(
    '[{"a":{"__proto__":{"a":1},"x":2},"at":"2026-03-01T00:00:00Z","none":null,"list":[null,"?k"]}]',
  );
});

test('any payload is stored without NUL characters and lone surrogates, and is otherwise read back unchanged', () => {
  const parts = ['\0', '\uFDD0', '0', 'd800', '\ud800', '\udcff', '\\u0000', '"', 'a', '\u{1f600}'];
  const text = fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((given) => given.join(''));
  fc.assert(
    fc.property(text, text, (key, value) => {
      const rest = { [`k${key}`]: [value, null], plain: value };
      const stored = jsonText([{ payload: rest, rest, content_rest: rest }]);
      expect(JSON.stringify(JSON.parse(stored))).not.toMatch(/(?<!\\)(\\\\)*\\u(0000|d[89a-f])/);
      expect(JSON.parse(restoreText(stored))).toEqual([{ payload: rest, rest, content_rest: rest }]);
      expect(JSON.stringify([{ rest: storableJson(rest) }])).toBe(jsonText([{ rest }]));
    }),
  );
});
