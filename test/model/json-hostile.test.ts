/** JSON made to break parsers. */
import { expect, test } from 'vitest';

import { isJsonArray, isJsonObject, type JsonValue, parseJson } from '../../src/model/json.ts';
import { fingerprint } from '../../src/normalize/fingerprint.ts';
import { expectAtOnce } from '../normalize/hostile/at-once.ts';

const MIB = 1024 * 1024;

function atOnce(text: string): JsonValue {
  let value: JsonValue = null;
  expectAtOnce(() => (value = parseJson(text)));
  return value;
}

const nested = (levels: number, inside: string) =>
  '[{"a":'.repeat(levels / 2) + inside + '}]'.repeat(levels / 2);

test('200 levels are kept, and a sentence stands for what is nested deeper', () => {
  expect(JSON.stringify(parseJson(nested(200, '[]')))).toBe(nested(200, '"nested too deep to be kept"'));
  for (const inside of ['1', '"[[["', '12345678901234567890'])
    expect(JSON.stringify(parseJson(nested(200, inside)))).toBe(nested(200, inside));
  const text = JSON.stringify({ a: '[{'.repeat(1000), b: '"\\"['.repeat(1000), c: '"['.repeat(1000) });
  expect(JSON.stringify(parseJson(text))).toBe(text);
});

test.each([4000, 100_000, 2_000_000])(
  'a value nested %i levels deep does not damage its neighbours',
  (levels) => {
    const text = `{"orders":[{"order_id":1,"fields":${'['.repeat(levels)}${']'.repeat(levels)},"summ":2}]}`;
    const fields = JSON.parse(`${'['.repeat(197)}"nested too deep to be kept"${']'.repeat(197)}`) as unknown;
    expect(parseJson(text)).toEqual({ orders: [{ order_id: 1, fields, summ: 2 }] });
  },
);

test('a nesting too deep for the stack ends with an error, not with the process', () => {
  const deep = `[12345678901234567890,${nested(1_000_000, '1')}]`;
  expect(() => parseJson(deep)).toThrow(RangeError);
  // The stack is whole again.
  expect(parseJson('[[1]]')).toEqual([[1]]);
});

test.each([
  ['zeros before a last digit', `1.${'0'.repeat(MIB)}1`],
  ['zeros', `1.${'0'.repeat(MIB)}`],
  ['digits', '7'.repeat(MIB)],
  ['decimals', `0.${'3'.repeat(MIB)}`],
  ['digits of an exponent', `1e${'9'.repeat(MIB)}`],
  ['negative digits of an exponent', `1e-${'9'.repeat(MIB)}`],
])('a number with a million %s is kept as text, at once', (_what, source) => {
  expect(atOnce(`[${source}]`)).toEqual([source]);
});

test('32 MiB are read at once, be it one text or many rows', () => {
  const long = 'ж'.repeat(16 * MIB);
  expect(atOnce(`{"a":"${long}"}`)).toEqual({ a: long });
  const row = JSON.stringify({
    order_id: 1,
    summ: '1 234,50',
    comment: 'x'.repeat(2000),
    fields: { a: null },
  });
  const rows = atOnce(`[${Array.from({ length: 16_000 }, () => row).join(',')}]`);
  expect(isJsonArray(rows) && rows.length).toBe(16_000);
  expect(isJsonArray(rows) && rows.at(-1)).toEqual(JSON.parse(row));
});

const DUPLICATES: readonly [text: string, kept: string][] = [
  ['{"a":1,"a":2}', '{"a":2}'],
  ['{"a":9007199254740993,"a":1}', '{"a":1}'],
  ['{"a":1,"a":9007199254740993}', '{"a":9007199254740993}'],
  ['{"a":9007199254740995,"a":{"b":9007199254740993}}', '{"a":{"b":9007199254740993}}'],
  ['{"1":9007199254740993,"0":9007199254740995,"1":5}', '{"0":9007199254740995,"1":5}'],
  ['{"a":1,"\\u0061":9007199254740993}', '{"a":9007199254740993}'],
];

test.each(DUPLICATES)('of a repeated key the last entry counts, with its own digits: %s', (text, kept) => {
  expect(JSON.stringify(parseJson(text))).toBe(kept);
});

test('the keys that name prototypes are keys like others, and their long numbers keep their digits', () => {
  const text =
    '{"__proto__":9007199254740993,"constructor":{"prototype":{"polluted":9007199254740995}},"prototype":-1e400}';
  const parsed = parseJson(text);
  expect(isJsonObject(parsed) && Object.keys(parsed)).toEqual(['__proto__', 'constructor', 'prototype']);
  expect(JSON.stringify(parsed)).toBe(text.replace('-1e400', '"-1e400"'));
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

test('a fingerprint survives all of these, whatever the order of keys, and sees every difference but views', () => {
  const print = (text: string) => {
    const row = parseJson(text);
    return isJsonObject(row) ? fingerprint(row) : '';
  };
  const one =
    '{"__proto__":{"a":1,"b":2},"\\u0000":"\\ud800","n":9007199254740993,"views":1,"a":[{"x":1,"y":-0}]}';
  const other =
    '{"a":[{"y":0,"x":1.0}],"views":"2","n":9007199254740993,"\\u0000":"\\ud800","__proto__":{"b":2,"a":1}}';
  expect(print(one)).toBe(print(other));
  for (const [from, to] of [
    ['0993', '0995'],
    ['\\ud800', '\\ud801'],
    ['"b":2', '"b":3'],
    ['\\u0000', '\\u0001'],
    ['-0', '-1'],
  ] as const) {
    expect(print(one)).not.toBe(print(one.replace(from, to)));
  }
});
