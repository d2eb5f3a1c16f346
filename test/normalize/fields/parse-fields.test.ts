import { expect, test } from 'vitest';

import { type JsonValue, parseJson } from '../../../src/model/json.ts';
import { parseFields } from '../../../src/normalize/parse-fields.ts';
import { inBytes, inCharacters, type Serializable, serialize } from './serialize.ts';

const bare = (value: JsonValue) => ({ value, name: null, label: null });

const wire: Serializable = {
  delivery_time: { value: 'после 18:00', name: 'delivery_time', runame: 'Время доставки 🚚' },
  gift: { value: 1, name: 'gift', runame: '' },
};
const entries = {
  delivery_time: { value: 'после 18:00', name: 'delivery_time', label: 'Время доставки 🚚' },
  gift: { value: 1, name: 'gift', label: null },
};

const php = serialize(wire, inBytes);
const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll("'", '&#039;');

test.each<[how: string, wire: JsonValue]>([
  ['serialized, lengths in bytes', php],
  ['serialized, lengths in characters', serialize(wire, inCharacters)],
  ['serialized, with blanks around', ` ${php}\n`],
  ['JSON text', JSON.stringify(wire)],
  ['decoded already', parseJson(JSON.stringify(wire))],
  ['serialized, escaped for HTML', escape(php)],
  ['the same with lengths in characters', escape(serialize(wire, inCharacters))],
  ['the same by numbers', php.replaceAll('"', '&#34;')],
  ['JSON text, escaped for HTML', escape(JSON.stringify(wire))],
])('fields are the same however a server sends them: %s', (_how, sent) => {
  expect(parseFields(sent)).toEqual({ value: entries, problems: [] });
});

const shapes: [what: string, wire: JsonValue, fields: JsonValue][] = [
  [
    'bare values',
    { a: 'x', b: 2, c: null, d: false },
    { a: bare('x'), b: bare(2), c: bare(null), d: bare(false) },
  ],
  [
    'lists',
    ['x', { value: 'y', runame: 'Y' }],
    { '0': bare('x'), '1': { value: 'y', name: null, label: 'Y' } },
  ],
  ['a serialized list', 'a:1:{i:0;s:1:"x";}', { '0': bare('x') }],
  ['a label without value', { a: { name: 'a', runame: 'A' } }, { a: { value: null, name: 'a', label: 'A' } }],
  ['an object that describes nothing', { a: { x: 1 } }, { a: bare({ x: 1 }) }],
  ['text is kept as written', { a: ' x ' }, { a: bare(' x ') }],
  ['a numeric name', { a: { value: 1, name: 5 } }, { a: { value: 1, name: '5', label: null } }],
  ['a repeated key', 'a:2:{s:1:"a";i:1;s:1:"a";i:2;}', { a: bare(2) }],
  ['a label of null', { a: { value: 1, name: null, runame: null } }, { a: bare(1) }],
  ['long digits', '{"a":12345678901234567890}', { a: bare(parseJson('12345678901234567890')) }],
];

test.each(shapes)('%s', (_what, sent, fields) => {
  expect(parseFields(sent)).toEqual({ value: fields, problems: [] });
});

test('what is escaped within a text stays as it was sent', () => {
  const sent = { a: 'A &amp; B', b: '<b>"x" & y</b>' };
  const fields = { a: bare('A &amp; B'), b: bare('<b>"x" & y</b>') };
  for (const text of [serialize(sent, inBytes), JSON.stringify(sent)]) {
    expect(parseFields(text)).toEqual({ value: fields, problems: [] });
    expect(parseFields(escape(text))).toEqual({ value: fields, problems: [] });
  }
});

test('of truncated fields, the entries before the cut are read', () => {
  const long = { ...wire, comment: { value: 'x'.repeat(300), name: 'comment', runame: 'C' } };
  const text = serialize(long, inBytes);
  for (const form of [text, escape(text)]) {
    const end = form.indexOf('xxx') + 20;
    const { value, problems } = parseFields(form.slice(0, end));
    expect(value).toEqual(entries);
    expect(problems).toEqual([expect.stringMatching(/^entry 3 and all after it were left out: /)]);
  }
});

test('a decoded entry of any depth affects no other entry', () => {
  const deep = parseJson(`{"x":1,"y":${'['.repeat(40)}${']'.repeat(40)},"z":2}`);
  expect(parseFields(deep)).toEqual({
    value: { x: bare(1), z: bare(2) },
    problems: ['entry 2 was left out: nested deeper than 32 levels'],
  });
});

test.each<JsonValue>([[], {}, '[]', '{}', 'a:0:{}', 'N;', 'null'])(
  'no fields at all are nothing: %j',
  (sent) => {
    expect(parseFields(sent)).toEqual({ value: null, problems: [] });
  },
);

const refused: [what: string, wire: JsonValue, reason: RegExp][] = [
  ['plain text', 'hello', /neither serialized by PHP nor JSON/],
  ['a serialized text', 's:1:"a";', /neither/],
  ['a serialized object', 'O:8:"stdClass":0:{}', /neither/],
  ['a JSON scalar', '"text"', /neither/],
  ['JSON text that is cut off', '{"a":1,"b":', /neither/],
  ['a number', 5, /neither/],
  ['a boolean', false, /neither/],
  ['more than 1 MiB', `{"a":"${'ж'.repeat(600_000)}"}`, /longer than 1 MiB/],
  ['JSON text of any depth', `${'['.repeat(300_000)}${']'.repeat(300_000)}`, /32 levels/],
  ['JSON text of 33 levels', `${'['.repeat(33)}${']'.repeat(33)}`, /32 levels/],
];

test.each(refused)('%s is refused with a reason', (_what, sent, reason) => {
  expect(parseFields(sent)).toEqual({ value: null, problems: [expect.stringMatching(reason)] });
});

const hostileKeys = ['__proto__', 'constructor', 'prototype'];

test.each(hostileKeys)('the key %j is a key like any other, at every level and in every form', (key) => {
  const json = `{"a":{"value":{${JSON.stringify(key)}:{"polluted":1}}},${JSON.stringify(key)}:2}`;
  const php = `a:2:{s:1:"a";a:1:{s:5:"value";a:1:{s:${key.length}:"${key}";a:1:{s:8:"polluted";i:1;}}}s:${key.length}:"${key}";i:2;}`;
  for (const sent of [json, php, parseJson(json)]) {
    const { value, problems } = parseFields(sent);
    expect(problems).toEqual([]);
    expect(JSON.stringify(value)).toBe(
      `{"a":{"value":{"${key}":{"polluted":1}},"name":null,"label":null},"${key}":{"value":2,"name":null,"label":null}}`,
    );
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  }
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
});

test('of a serialized text, broken bytes are question marks, with a rejection', () => {
  expect(parseFields('a:1:{s:1:"a";s:1:"\udcff";}')).toEqual({
    value: { a: bare('?') },
    problems: ['parts of the text are no characters, and were replaced by question marks'],
  });
});

test('a label that is not text is dropped with a rejection', () => {
  expect(parseFields({ a: { value: 1, runame: ['A'] } })).toEqual({
    value: { a: { value: 1, name: null, label: null } },
    problems: ['the name or label of a field is not a text'],
  });
});
