import { expect, test } from 'vitest';

import {
  emailIdentifier,
  erasedAccountOid,
  findContacts,
  hashIdentifier,
  phoneIdentifiers,
  strippedFingerprint,
} from '../../../src/normalize/privacy/identifiers.ts';

const found = (text: string) => [...new Set(findContacts(text).map(({ kind, value }) => `${kind} ${value}`))];

test.each<[string, readonly string[]]>([
  ['A.B@Mail.example', ['email a.b@mail.example']],
  ['write to a@b.example.', ['email a@b.example']],
  [' a@b.example. ', ['email a@b.example']],
  ['_a@b.example.', ['email _a@b.example', 'email a@b.example']],
  ['a@b.example..., or c@d.example', ['email a@b.example', 'email c@d.example']],
  [
    '(a@b.example)<c@d.example>"e@f.example"|g@h.example',
    ['a@b', 'c@d', 'e@f', 'g@h'].map((at) => `email ${at}.example`),
  ],
  ['see https://x.example/?a=b@c.example&d', ['email b@c.example']],
  // A text that may be an address as a whole is one, too.
  ["o'neil@a.example", ["email o'neil@a.example", 'email neil@a.example']],
  ['[me@a.example] {you@a.example}', ['email me@a.example', 'email you@a.example']],
  // As a page writes them.
  ['to a&#64;b&period;example&nbsp;now', ['email a@b.example']],
  ['o&#039;neil@a.example', ["email o'neil@a.example", 'email neil@a.example']],
  ['&#43;49&nbsp;30&nbsp;123&ndash;45&ndash;67', ['phone 49301234567']],
  ['a@b, 12@', []],
  ['123 456', []],
  ['1234567', ['phone 1234567']],
  ['tel. 12-34-56-7!', ['phone 1234567']],
  ['(030) 123 45 67', ['phone 0301234567']],
  ['+49.30/123\u201045\u201567', ['phone 49301234567']],
  ['0049 30 1234567', ['phone 49301234567']],
  ['8 916 555 12 34', ['phone 79165551234']],
  ['1     2     3     4     5     6     7', []],
  ['7 1 2 3 4 5 6 and a@b.example', ['email a@b.example', 'phone 7123456']],
])('the contacts of "%s"', (text, contacts) => {
  expect(found(text)).toEqual(contacts);
});

test.each([
  'to a@b.example! Thanks',
  '**a@b.example**',
  '+a@b.example~',
  '«a@b.example»',
  '„a@b.example“',
  '‚a@b.example‘',
  '“a@b.example”',
  'a@b.example…',
  'mail–a@b.example—or call',
])('whatever signs stand around it, an address is found: %s', (text) => {
  expect(found(text)).toContain('email a@b.example');
});

test('of numbers side by side each is found, of up to six parts, and a number of fifteen digits is one', () => {
  expect(found('49 30 123 45 67 99 8 916 555 12 34')).toEqual(
    expect.arrayContaining(['phone 79165551234', 'phone 4930123456799']),
  );
  expect(found('49  30  123  45  67  99  8 916 555 12 34')).toContain('phone 4930123456799');
  expect(found('12345 67890 12345')).toEqual(['phone 123456789012345']);
  expect(found('12345 67890 123456')).toContain('phone 67890123456');
  expect(found('12345 67890 123456')).toContain('phone 1234567890');
  expect(found('1 2 3 4 5 67 8901234567')).toContain('phone 1234567');
  expect(found('1 2 3 4 5 6 7 890123456789')).not.toContain('phone 1234567');
});

const FORMS = '49301234567 9301234567 09301234567 301234567 0301234567';

test.each([
  // Country codes have one digit to three; at home a zero may come first.
  ['+49 30 1234567', FORMS],
  ['0049 30 1234567', FORMS],
  [' +49 30 1234567', FORMS],
  ['89165551234', '79165551234 9165551234 09165551234 165551234 0165551234'],
  [
    '+358 9 123456789',
    '3589123456789 589123456789 0589123456789 89123456789 089123456789 9123456789 09123456789',
  ],
  ['0-049 301234567', '49301234567'],
  ['030 1234567', '0301234567'],
  ['030/1004567', '0301004567'],
  ['7123456789', '7123456789'],
  ['49 30 1234567', '49301234567'],
  ['+1234567', '1234567'],
  ['123456', ''],
])('a phone number written as %s is known as %s', (text, forms) => {
  expect(phoneIdentifiers(text).map(({ kind, value }) => `${kind} ${value}`)).toEqual(
    forms === '' ? [] : forms.split(' ').map((value) => `phone ${value}`),
  );
});

test('an address is known in lower case, and only if it is one', () => {
  expect(emailIdentifier(' A@B.example ')).toEqual({ kind: 'email', value: 'a@b.example' });
  expect(emailIdentifier('a@b')).toBeUndefined();
});

test('a hash tells the kind, the value and the secret apart', () => {
  const hashes = [
    hashIdentifier('secret', { kind: 'user', value: '1234567' }),
    hashIdentifier('secret', { kind: 'phone', value: '1234567' }),
    hashIdentifier('secret', { kind: 'phone', value: '1234568' }),
    hashIdentifier('other', { kind: 'phone', value: '1234567' }),
  ];
  expect(new Set(hashes).size).toBe(4);
  // What is stored stays valid only as long as these stay the same.
  expect(hashes[0]).toBe('2d9773816d22a436e8b1ab694362c70f');
});

test('the fingerprint of an order without its person is made of a plain or a keyed one, and stays cleared', () => {
  const made = strippedFingerprint('secret', 'abc', 'erased');
  // As in what is stored already.
  expect(made).toBe('e:5ab603a86d172688433ad87293459a6e');
  expect(strippedFingerprint('secret', made, 'pseudonymized')).toBe(`p:${made.slice(2)}`);
  expect(strippedFingerprint('other', `p:${made.slice(2)}`, 'erased')).toBe(made);
  expect(strippedFingerprint('secret', '', 'erased')).toBe('e:');
});

test('the number that stands for an erased account is in the lowest quarter of 64 bits, and always the same', () => {
  const numbers = Array.from({ length: 200 }, (_, oid) => BigInt(erasedAccountOid('secret', String(oid))));
  expect(new Set(numbers).size).toBe(200);
  for (const number of numbers) {
    expect(number < -(2n ** 62n) && number >= -(2n ** 63n)).toBe(true);
  }
  expect(erasedAccountOid('secret', '7')).toBe(erasedAccountOid('secret', '7'));
  expect(erasedAccountOid('secret', '7')).not.toBe(erasedAccountOid('other', '7'));
});
