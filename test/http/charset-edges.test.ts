/** Bodies that are nearly something else: a few broken bytes, and beginnings that only look like a mark. */
import { expect, test } from 'vitest';

import { BodyReader } from '../../src/http/body-reader.ts';
import { type CharsetHints, decodeBody } from '../../src/http/charset.ts';

const NONE: CharsetHints = { contentType: null, setting: undefined };
const typed = (contentType: string): CharsetHints => ({ ...NONE, contentType });

/** Several texts, each with one byte that belongs to no character. */
const broken = (texts: number) => Buffer.from(`[${Array(texts).fill('"\xe9"').join()}]`, 'latin1');

test.each<[string, Uint8Array, CharsetHints, unknown]>([
  ['a mark and a broken byte', Buffer.of(0xef, 0xbb, 0xbf, 0xe9), NONE, { text: '\udcff' }],
  ['three broken bytes', broken(3), NONE, { undecodable: undefined, charset: undefined }],
  ['four', broken(4), NONE, { undecodable: expect.any(String) }],
  [
    'four of a shop that is set to be UTF-8',
    broken(4),
    { ...NONE, setting: 'utf-8' },
    { charset: undefined },
  ],
  [
    'one beside ten characters, which is UTF-8',
    Buffer.concat([Buffer.from('ж'.repeat(10)), Buffer.of(0xe9)]),
    typed('a/b; charset=utf-8'),
    { charset: { name: 'utf-8', by: 'header' } },
  ],
  ['gbk that is valid UTF-8, too', Buffer.of(0xc2, 0xa9), typed('a/b; charset=gbk'), { text: '漏' }],
  ['blanks around the name', Buffer.of(0xe9), typed('a/b;  charset = cp1251'), { text: 'й' }],
  ['a charset of another name', Buffer.of(0xe9), typed('a/b; charsets=cp1251'), { text: '\udcff' }],
  ['a name of no charset', Buffer.of(0xe9), typed('a/b; charset=none'), { text: '\udcff' }],
  ['a mark of UTF-16 of the other order', Buffer.from('feff007b007d', 'hex'), NONE, { text: '{}' }],
  ['a capital V', Buffer.from('{"V":1}'), NONE, { text: '{"V":1}' }],
  [
    'signs of no Russian charset',
    Buffer.from(`["${Array(9).fill('\x80\x81\xc4').join('","')}"]`, 'latin1'),
    NONE,
    { undecodable: expect.stringMatching(/to the shop's charset$/) },
  ],
])('%s', (_what, bytes, hints, decoded) => {
  expect(decodeBody(bytes, hints)).toMatchObject(decoded as object);
});

test.each(['efbb41', 'ef41bf', '41bbbf', 'ff41', '41fe', 'fe41', '41ff', '418b'])(
  'bytes that begin like a mark are none: %s',
  (hex) => {
    const decoded = decodeBody(Buffer.from(`${hex}41`, 'hex'), NONE);
    expect(decoded).toMatchObject({ undecodable: undefined, text: expect.stringMatching(/A$/) });
    expect(decoded).not.toMatchObject({ charset: { by: 'byte order mark' } });
  },
);

test('an error page shows nothing of the charset of the data', () => {
  const reader = new BodyReader(undefined, { baseUrl: '', timeoutMs: 1, maxBodyBytes: 1000 });
  const read = (status: number) =>
    reader.open({ status, headers: new Headers(), bytes: Buffer.from('é') }).text;
  expect(read(500)).toBe('é');
  expect(reader.charset).toBeUndefined();
  expect(read(200)).toBe('é');
  expect(reader.charset?.name).toBe('utf-8');
});
