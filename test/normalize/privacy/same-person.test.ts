import { describe, expect, test } from 'vitest';

import {
  findAccounts,
  findOwnContacts,
  findSharedContacts,
  identifierKey,
  toIdentifiers,
} from '../../../src/normalize/privacy/same-person.ts';
import type { PersonRecord } from '../../../src/warehouse/orders/forget-persons.ts';

const EMAIL = 'ivan@mail.example';
const PHONE = '+7 916 555-12-34';
const givenEmail = () => toIdentifiers([{ kind: 'email', value: EMAIL }]);

const user = (userOid: string | null, email: string | null = null, phone: string | null = null) =>
  ({ orderId: null, userOid, login: null, email, phone }) satisfies PersonRecord;
const order = (...given: Parameters<typeof user>): PersonRecord => ({ ...user(...given), orderId: '1' });
const withLogin = (userOid: string, login: string): PersonRecord => ({ ...user(userOid), login });
const accounts = (records: readonly PersonRecord[], identifiers = givenEmail()) => [
  ...findAccounts(records, identifiers),
];
const keys = (contacts: Parameters<typeof toIdentifiers>[0]) =>
  [...toIdentifiers(contacts).keys()].toSorted();

describe('an account is of the person', () => {
  test.each<[string, readonly PersonRecord[]]>([
    ['with the given address', [user('7', ' Ivan@Mail.example')]],
    ['with the given address within a text', [user('7', `Ivan <${EMAIL}>`)]],
    ['with the given address in its only order, and no contact of its own', [user('7'), order('7', EMAIL)]],
    ['with the given address as its login', [withLogin('7', ' Ivan@Mail.example ')]],
    [
      'with the given address in one of its orders, and no contact of its own',
      [order('7', EMAIL), order('7')],
    ],
    [
      'with the given address in one of its orders, and a record without contacts',
      [user('7', 'none'), order('7', EMAIL), order('7')],
    ],
    ['with the given address in all of its orders', [user('7', 'a@b.example'), order('7', EMAIL)]],
    ['with the given address, whatever its orders say', [user('7', EMAIL), order('7', 'a@b.example')]],
  ])('%s', (_name, records) => {
    expect(accounts(records)).toEqual(['7']);
  });

  test('whose number is given', () => {
    const byNumber = toIdentifiers([{ kind: 'user', value: '7' }]);
    expect(accounts([order('7'), order('8')], byNumber)).toEqual(['7']);
  });

  test('whose phone number is given, in any form', () => {
    const byPhone = toIdentifiers([{ kind: 'phone', value: '9165551234' }]);
    expect(accounts([user('7', null, PHONE), user('8', null, '+7 916 555-12-35')], byPhone)).toEqual(['7']);
    const logins = [' 8 (916) 555-12-34 ', '89165551234', '  +79165551234', `x${PHONE}`, `${PHONE}x`];
    const users = logins.map((login, at) => withLogin(`${at}`, login));
    expect(accounts(users, byPhone)).toEqual(['0', '1', '2']);
    const byShort = toIdentifiers([{ kind: 'phone', value: '1234567' }]);
    expect(accounts([withLogin('7', '1234567')], byShort), 'a short number may be anything').toEqual([]);
  });
});

test.each<[string, readonly PersonRecord[]]>([
  ['another address', [user('7', 'anna@mail.example')]],
  ['no contact', [user('7'), order('7')]],
  ['the address in some of its orders only', [user('7', 'a@b.example'), order('7', EMAIL), order('7')]],
  ['a contact of its own, and no orders', [user('7', 'a@b.example')]],
  ['no number, since it is a guest', [order(null, EMAIL)]],
])('an account with %s is not of the person', (_name, records) => {
  expect(accounts(records)).toEqual([]);
});

test('contacts of the person are those of the accounts, and of guests with a given one', () => {
  const records = [
    user('7', EMAIL, PHONE),
    order('7', 'ivan.p@mail.example.'),
    user('8', 'anna@mail.example'),
    order(null, EMAIL, '030 1234567'),
    order(null, 'guest@mail.example'),
  ];
  expect(keys(findOwnContacts(records, new Set(['7']), givenEmail()))).toEqual(
    [
      'email ivan@mail.example',
      // As it was written, too: guests with it are known by that.
      'email ivan.p@mail.example',
      'email ivan.p@mail.example.',
      'phone 0301234567',
      // With and without the country code, and as it is dialled at home.
      'phone 79165551234',
      'phone 9165551234',
      'phone 09165551234',
      'phone 165551234',
      'phone 0165551234',
    ].toSorted(),
  );
  expect(
    findOwnContacts([user('9'), user('9', 'none'), withLogin('9', 'ivan')], new Set(['9']), givenEmail()),
  ).toEqual([]);
});

test('a contact is shared if another account has it, or a guest with another address', () => {
  const own = toIdentifiers([
    { kind: 'email', value: EMAIL },
    { kind: 'phone', value: '0301234567' },
  ]);
  const shared = (record: PersonRecord) =>
    findSharedContacts([user('7', EMAIL, '030 1234567'), record], new Set(['7']), own).has(
      identifierKey({ kind: 'phone', value: '0301234567' }),
    );
  expect(shared(user('8', 'anna@mail.example', '030 1234567'))).toBe(true);
  expect(shared(order('8', EMAIL, '030 1234567'))).toBe(true);
  expect(shared(order('7', 'anna@mail.example', '030 1234567'))).toBe(false);
  expect(shared(order(null, 'anna@mail.example', '030 1234567'))).toBe(true);
  expect(shared(order(null, EMAIL, '030 1234567')), 'the person as a guest').toBe(false);
  expect(shared(order(null, `${EMAIL}, anna@mail.example`, '030 1234567')), 'with both').toBe(false);
  expect(shared(order(null, null, '030 1234567')), 'a guest without an address').toBe(false);
});
