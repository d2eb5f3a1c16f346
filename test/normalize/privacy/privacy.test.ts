import { expect, test } from 'vitest';

import {
  findContacts,
  hashIdentifier,
  phoneIdentifiers,
} from '../../../src/normalize/privacy/identifiers.ts';
import { Privacy, type PrivacyOptions } from '../../../src/normalize/privacy/privacy.ts';

const shop = { timezone: 'Europe/Berlin' };
const secret = 'test';
const fields = { isKept: (key: string) => key === 'source', isShared: () => false };
const make = (given: Partial<PrivacyOptions> = {}) =>
  new Privacy({
    secret,
    shop,
    fields,
    shownCodes: new Set(),
    isPseudonymizing: false,
    erased: new Set(),
    ...given,
  });
const forgetting = (phone: string) =>
  new Set(phoneIdentifiers(phone).map((identifier) => hashIdentifier(secret, identifier)));

test.for([
  ['+7 (916) 555-12-34', '8 916 555 12 34'],
  ['+7 (916) 555-12-34', 'call 9165551234!'],
  ['89165551234', '007-916-555-12-34'],
  ['+49 30 1234567', '030 / 1234567, or 089'],
  ['8 916 555 12 34', 'call 916 555-12-34'],
  ['+7 916 555 12 34', '916 - 555 - 12 - 34'],
  ['0049 30 1234567', '+49 (30) 123 45 67'],
])('a phone number remembered as %s is found in "%s"', ([given = '', text = '']) => {
  expect(make({ erased: forgetting(given) }).erased.areIn(text)).toBe(true);
});

test.for(['8 916 555 12 35', '2026-03-01 12:30', '100 000.00', 'order 55512', ''])(
  'and not in "%s"',
  (text) => {
    expect(make({ erased: forgetting('+7 (916) 555-12-34') }).erased.areIn(text)).toBe(false);
  },
);

test('contacts are found wherever they stand in a text', () => {
  const found = findContacts('Ivan <Ivan.P@Mail.Example>; +7 916 555-12-34 89165550000, mailto:b@c.example.');
  expect(found.map(({ value }) => value)).toEqual(
    expect.arrayContaining(['79165550000', '79165551234', 'b@c.example', 'ivan.p@mail.example']),
  );
});

const ROW = {
  order_id: '17',
  master_oid: '6',
  fio: 'Ivan Petrov',
  email: 'Ivan@Mail.Example',
  phone: '8 916 555 12 34',
  address: 'Baker Lane 1',
  comment: 'ring twice',
  delivery: 'Courier for Ivan Petrov',
  status: 'A',
  summ: 'Baker Lane 1',
  paid: '10.00',
  created: '01.03.2026',
  hash: 'abc',
  note: { a: ['Ivan'] },
  fields:
    '{"source":{"value":"Ads","name":"source","runame":"Source"},"f1":{"value":"Ivan","runame":"Name"}}',
};

test('a scrubbed row keeps what is known to be impersonal, and its customer', () => {
  const { payload, scrubbed } = make({ isPseudonymizing: true }).order(ROW);
  expect(payload).toEqual({
    order_id: '17',
    master_oid: '6',
    delivery: null,
    status: 'A',
    summ: '?',
    paid: '10.00',
    created: '01.03.2026',
    fields: {
      source: { value: 'Ads', name: 'source', runame: 'Source' },
      'erased 2': { value: 'erased', name: null, runame: null },
    },
    order_sync: { customer_key: scrubbed?.customerKey },
  });
  expect(scrubbed?.customerKey).toMatch(/^g:[0-9a-f]{32}$/);
});

test('scrubbing a stored row again changes nothing, and takes its word for the customer', () => {
  const privacy = make({ isPseudonymizing: true });
  const { payload, scrubbed } = privacy.order(ROW);
  const again = privacy.order(payload, true);
  expect(again.payload).toBe(payload);
  expect(again.scrubbed).toEqual(scrubbed);
  // A shop cannot say whose order it is in the same way.
  expect(make().order({ ...ROW, order_sync: { customer_key: 'u:1' } })).toEqual({
    payload: ROW,
    scrubbed: undefined,
  });
});

test('with nothing to remove, records are returned as they are', () => {
  for (const privacy of [make(), make({ erased: forgetting('+49 30 7654321') })]) {
    expect(privacy.order(ROW)).toEqual({ payload: ROW, scrubbed: undefined });
    expect(privacy.user(ROW)).toBe(ROW);
    expect(privacy.content(ROW, false)).toBe(ROW);
  }
});

test('the fingerprint of a scrubbed row is keyed, and still that of the row', () => {
  const [plain, keyed] = [make(), make({ isPseudonymizing: true })];
  const fingerprint = keyed.fingerprint(ROW);
  expect(fingerprint).not.toBe(plain.fingerprint(ROW));
  expect(fingerprint).not.toBe(make({ isPseudonymizing: true, secret: 'another' }).fingerprint(ROW));
  expect(plain.isSameRow(fingerprint, ROW) && keyed.isSameRow(plain.fingerprint(ROW), ROW)).toBe(true);
  expect(plain.isSameRow(fingerprint, { ...ROW, fio: 'Ivan' })).toBe(false);
});

test('a user keeps the account, group and level; content and lines keep what is documented of them', () => {
  const privacy = make({ isPseudonymizing: true });
  const content = {
    login: 'ivan',
    email: 'a@b.example',
    level: 2,
    source: 'Ads',
    birthday: '12.04.1985',
    images: ['a.jpg'],
  };
  expect(privacy.user({ oid: 7, parent_oid: 90, name: 'Ivan', created: '01.02.2020', content })).toEqual({
    oid: 7,
    parent_oid: 90,
    created: '01.02.2020',
    content: { level: 2, source: 'Ads' },
  });
  const line = { oid: '1_a', name: 'Mug', count: 2, engraving: 'Ivan' };
  expect(privacy.content({ success: 1, ordercontent: [line, 'Ivan'], buyer: 'Ivan' }, false)).toEqual({
    success: 1,
    ordercontent: [{ oid: '1_a', name: 'Mug', count: 2 }, null],
  });
});
