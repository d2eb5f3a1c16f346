import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';

import { customerKey, guestKey, normalizeEmail, normalizePhone } from '../../src/normalize/customer-key.ts';

const HASH_KEY = 'a key';
type Given = { readonly buyerOid?: string; readonly email?: string; readonly phone?: string };
const keyOf = ({ buyerOid, email, phone }: Given) =>
  customerKey(
    '77',
    { buyer_oid: buyerOid ?? null, buyer_email: email ?? null, buyer_phone: phone ?? null },
    HASH_KEY,
  );
const hashed = (contact: string) =>
  `g:${createHmac('sha256', HASH_KEY).update(contact).digest('hex').slice(0, 32)}`;

test('a registered buyer is identified by the account, whatever the contacts', () => {
  expect(keyOf({ buyerOid: '12', email: 'a@b.example' })).toBe('u:12');
});

test('a guest is identified by e-mail, else by phone, else only by the order', () => {
  expect(keyOf({ buyerOid: '6', email: 'A@b.Example ', phone: '8 900 123-45-67' })).toBe(
    hashed('a@b.example'),
  );
  expect(keyOf({ email: 'none', phone: '8 (900) 123-45-67' })).toBe(hashed('79001234567'));
  expect(keyOf({ email: '-', phone: '12-34' })).toBe('o:77');
  expect(keyOf({})).toBe('o:77');
});

test('the same guest has the same key however the contact is written', () => {
  const phones =
    '+7 900 123 45 67|8(900)123-45-67|89001234567|7-900-1234567|&#43;7&nbsp;900&nbsp;1234567'.split('|');
  expect(new Set(phones.map((phone) => keyOf({ phone }))).size).toBe(1);
  const emails = ['Me@Shop.example', ' me@shop.example\t', 'ME@SHOP.EXAMPLE', 'me&#64;shop&period;example'];
  expect(new Set(emails.map((email) => keyOf({ email }))).size).toBe(1);
});

test('a guest key needs the secret, so that nobody can look addresses up by hash', () => {
  expect(guestKey('a@b.example', 'one')).not.toBe(guestKey('a@b.example', 'two'));
  expect(guestKey('a@b.example', 'one')).toMatch(/^g:[0-9a-f]{32}$/);
});

test('implausible addresses and numbers are ignored', () => {
  const short = ['', 'x', 'a@b', '@b.example', 'a b@c.example', 'a@b@c.example'];
  const notEmails = [...short, `${'a'.repeat(320)}@b.example`];
  expect(notEmails.map(normalizeEmail)).toEqual(notEmails.map(() => undefined));
  const longest = `${'a'.repeat(310)}@b.example`;
  expect([longest, `a${longest}`].map(normalizeEmail)).toEqual([longest, undefined]);
  expect(['', '123456', 'call me'].map(normalizePhone)).toEqual([undefined, undefined, undefined]);
  expect(normalizePhone('8123456')).toBe('8123456');
});
