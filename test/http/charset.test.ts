import { expect, test } from 'vitest';

import { type CharsetHints, decodeBody } from '../../src/http/charset.ts';
import { apiOf, rejection } from '../shop-api/api-of.ts';
import { startScriptedShop } from '../shop-api/scripted-shop.ts';

const RUSSIAN = 'Иван Петров, улица Ленина, дом 5 — «Ёлка» №7';
const TABLES = new Map<string, ReadonlyMap<string, number>>();

/** Text in a charset of one byte per character. */
function encode(text: string, charset: string): Buffer {
  const table =
    TABLES.get(charset) ??
    new Map(
      Array.from({ length: 256 }, (_, byte) => [new TextDecoder(charset).decode(Uint8Array.of(byte)), byte]),
    );
  TABLES.set(charset, table);
  return Buffer.from(Array.from(text).map((character) => table.get(character) ?? 0x3f));
}

const NONE: CharsetHints = { contentType: null, setting: undefined };
/** Two strings of a text. */
const twice = (text: string) => `["${text}","${text}"]`;
const named = (charset: string): CharsetHints => ({
  ...NONE,
  contentType: `application/json; charset=${charset}`,
});
const cyrillic = RUSSIAN.replaceAll(/[—«»№]/g, '-');

const WINDOWS = 'windows-1251';
const set = (setting: string): CharsetHints => ({ ...NONE, setting });
const [utf8, windows] = [Buffer.from(RUSSIAN), encode(RUSSIAN, WINDOWS)];
const edges = '\u0080\u07ff\u0800\ud7ff\ue000\u{10000}\u{10ffff}';
const mixed = `${'Рђ'.repeat(20)}Иван`;
const BLANKS: CharsetHints = { ...NONE, contentType: 'text/json;charset = cp1251' };
const broken = (count: number) => Buffer.alloc(count, 0xe8);
const edged = Buffer.concat([broken(1), Buffer.from(edges)]);
/** Four broken bytes, and so many characters. */
const brokenOf = (characters: number) => Buffer.concat([broken(4), Buffer.from('Я'.repeat(characters))]);

test.each<[what: string, bytes: Uint8Array, hints: CharsetHints, text: string, name?: string, by?: string]>([
  ['UTF-8, named', utf8, named('UTF-8'), RUSSIAN, 'utf-8', 'header'],
  ['UTF-8, not named', utf8, NONE, RUSSIAN],
  ['windows-1251, named', windows, named(WINDOWS), RUSSIAN, WINDOWS, 'header'],
  ['cp1251 in quotes', windows, named('"CP1251"'), RUSSIAN, WINDOWS, 'header'],
  ['a name set off by blanks, and not from what is before it', windows, BLANKS, RUSSIAN, WINDOWS, 'header'],
  ['koi8-r, named', encode(cyrillic, 'koi8-r'), named('koi8-r'), cyrillic, 'koi8-r', 'header'],
  ['UTF-8 under the name windows-1251', utf8, named(WINDOWS), RUSSIAN],
  ['UTF-8 under the name latin1', utf8, named('iso-8859-1'), RUSSIAN],
  ['windows-1251 by the setting', windows, set(WINDOWS), RUSSIAN, WINDOWS, 'setting'],
  [
    'one that claims to be UTF-8',
    windows,
    { ...named('utf-8'), setting: WINDOWS },
    RUSSIAN,
    WINDOWS,
    'setting',
  ],
  ['a word of windows-1251', encode('Иван', WINDOWS), set(WINDOWS), 'Иван', WINDOWS, 'setting'],
  ['UTF-8 whatever the setting', utf8, set(WINDOWS), RUSSIAN],
  ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${RUSSIAN}`), named(WINDOWS), RUSSIAN],
  ['an unknown name is none', utf8, named('utf8mb4'), RUSSIAN],
  ['a broken byte', Buffer.concat([utf8, broken(1)]), NONE, `${RUSSIAN}\udcff`],
  ['a broken byte among the first and last characters of each length', edged, NONE, `\udcff${edges}`],
  ['one most of which might be UTF-8', encode(mixed, WINDOWS), set(WINDOWS), mixed, WINDOWS, 'setting'],
  ['a byte that a charset lacks', Buffer.of(97, 0xff, 98), named('euc-kr'), 'a\udcffb', 'euc-kr', 'header'],
  ['three broken bytes', Buffer.of(97, 0xe8, 0xe9, 0xea), NONE, 'a\udcff\udcff\udcff'],
  [
    'one broken byte for ten characters beyond ASCII',
    brokenOf(40),
    NONE,
    `${'\udcff'.repeat(4)}${'Я'.repeat(40)}`,
  ],
  ['all broken, set', encode('Иван', WINDOWS), set('utf-8'), '\udcff'.repeat(4)],
])('%s', (_what, bytes, hints, text, name = 'utf-8', by = 'bytes') => {
  expect(decodeBody(bytes, hints)).toEqual({ text, charset: { name, by }, undecodable: undefined });
});

test('an ASCII body says nothing about the charset', () => {
  const read = decodeBody(Buffer.from('{"a":1}'), named(WINDOWS));
  expect(read).toEqual({ text: '{"a":1}', charset: undefined, undecodable: undefined });
});

test.each<[string, Uint8Array, CharsetHints, RegExp]>([
  ['windows-1251', encode(twice(RUSSIAN), WINDOWS), NONE, /^the response is not UTF-8 and names no/],
  [
    'windows-1251 as UTF-8',
    encode(twice(RUSSIAN), WINDOWS),
    named('utf-8'),
    /^the response claims to be UTF-8 but is not/,
  ],
  [
    'windows-1251 among much ASCII',
    encode(`{"note":"${'a'.repeat(2000)}","fio":${twice(RUSSIAN)}}`, WINDOWS),
    NONE,
    /^the response is not UTF-8/,
  ],
  ['one word of it', encode('["plain","Иван"]', WINDOWS), NONE, /^the response is not UTF-8/],
  ['one for fewer than ten', brokenOf(39), NONE, /is not UTF-8/],
  ['four broken bytes', Buffer.from('["\xe9","\xe9","\xe9","\xe9"]', 'latin1'), NONE, /is not UTF-8/],
])('%s without a named charset is refused with advice', (_what, bytes, hints, sentence) => {
  const { undecodable } = decodeBody(bytes, hints);
  expect(undecodable).toMatch(sentence);
  expect(undecodable).toMatch(/; set SHOP_CHARSET .* to the shop's charset, such as windows-1251$/);
});

const list = (charset: string, name: string) =>
  encode(`{"orders":[{"order_id":7,"fio":"${name}","address":"${name}"}],"total":1}`, charset);

test('a client detects the charset of its shop and reports it, also after a response of plain ASCII', async () => {
  const ascii = '{"orders":[{"order_id":7}]}';
  await using shop = await startScriptedShop(
    (response, index) => void response.end(index === 1 ? ascii : list(WINDOWS, RUSSIAN)),
  );
  const api = apiOf(shop, { charset: WINDOWS });
  expect(api.charset).toBeUndefined();
  expect((await api.listOrders({})).rows[0]?.raw).toEqual({ order_id: 7, fio: RUSSIAN, address: RUSSIAN });
  expect(api.charset).toEqual({ name: WINDOWS, by: 'setting' });
  await api.listOrders({});
  expect(api.charset).toEqual({ name: WINDOWS, by: 'setting' });
  const error = await rejection(apiOf(shop).listOrders({}));
  expect(error.message).toMatch(/^GET \/orders: .*SHOP_CHARSET/);
});

test('an error page in another charset is still an error page, and does not affect the charset of the data', async () => {
  const page = encode(`<html>${RUSSIAN}`, 'windows-1251');
  for (const headers of [{}, { 'Content-Type': 'text/html; charset=windows-1251' }]) {
    await using shop = await startScriptedShop((response) => void response.writeHead(500, headers).end(page));
    const api = apiOf(shop, { retry: { maxAttempts: 1 } });
    expect((await rejection(api.listOrders({}))).message).toContain('HTTP 500');
    expect(api.charset).toBeUndefined();
  }
});
