import { expect, test } from 'vitest';

import { type JsonObject, isJsonObject, parseJson } from '../../src/model/json.ts';
import { fingerprint } from '../../src/normalize/fingerprint.ts';

function parsed(text: string): JsonObject {
  const value = parseJson(text);
  if (!isJsonObject(value)) throw new Error('not an object');
  return value;
}

const same: [why: string, left: string, right: string][] = [
  ['a counter that went up is no news', '{"order_id":1,"views":1}', '{"order_id":1,"views":99}'],
  ['keys have no order', '{"a":1,"b":{"c":1,"d":2}}', '{"b":{"d":2,"c":1},"a":1}'],
  ['nothing is nothing', '{"a":1,"b":null}', '{"a":1,"c":""}'],
  ['a number is its text', '{"summ":100.5,"id":7}', '{"summ":"100.5","id":"7"}'],
  ['a long number is its text', '{"id":12345678901234567890}', '{"id":"12345678901234567890"}'],
  ['zeros at the end say nothing', '{"summ":1.50}', '{"summ":1.5}'],
  ['zero has no sign', '{"summ":-0.0}', '{"summ":"0"}'],
];

test.each(same)('a row is unchanged when only this differs: %s', (_why, left, right) => {
  expect(fingerprint(parsed(left))).toBe(fingerprint(parsed(right)));
});

const different: [what: string, left: string, right: string][] = [
  ['a status', '{"status":"A"}', '{"status":"C"}'],
  ['an amount beyond a double', '{"summ":0.1000000000000000000001}', '{"summ":0.1}'],
  ['a digit that a double loses', '{"id":9007199254740993}', '{"id":9007199254740992}'],
  ['leading zeros in text', '{"phone":"007"}', '{"phone":7}'],
  ['a key', '{"a":"1"}', '{"b":"1"}'],
  ['a new key', '{"a":"1"}', '{"a":"1","":" "}'],
  ['where a text ends', '{"a":"1,\\"b\\":2"}', '{"a":"1","b":"2"}'],
  ['views that are not the row’s own', '{"users":{"views":1}}', '{"users":{"views":2}}'],
  ['a nested null', '{"users":[null]}', '{"users":[]}'],
  ['the order of a list', '{"users":[1,2]}', '{"users":[2,1]}'],
  ['a boolean', '{"users":true}', '{"users":"true"}'],
];

test.each(different)('a row is changed when this differs: %s', (_what, left, right) => {
  expect(fingerprint(parsed(left))).not.toBe(fingerprint(parsed(right)));
});

test('the fingerprint of a row is the same as in earlier versions, or every stored order would be fetched again', () => {
  const row = parsed(
    '{"order_id":1001,"summ":"1500.50","views":7,"comment":"","users":[{"b":1.50,"a":null}]}',
  );
  expect(fingerprint(row)).toBe('3f5a704d5ce77fd0c84ef52ab3b414f9');
});

test('a fingerprint is 32 hexadecimal characters, however deep the row', () => {
  let deep: JsonObject = {};
  for (let level = 0; level < 1999; level += 1) deep = { deep };
  expect(fingerprint({ order_id: 1, deep })).toMatch(/^[0-9a-f]{32}$/);
  expect(fingerprint({})).toMatch(/^[0-9a-f]{32}$/);
});
