/** What is left of records in which a person is named where none belongs. */
import { expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../src/json.ts';
import {
  emailIdentifier,
  hashIdentifier,
  type Identifier,
  phoneIdentifiers,
} from '../../src/normalize/privacy/identifiers.ts';
import { Privacy, type PrivacyOptions } from '../../src/normalize/privacy/privacy.ts';

const secret = 'test';
const make = (given: Partial<PrivacyOptions>) =>
  new Privacy({
    secret,
    shop: { timezone: 'Europe/Berlin' },
    fields: { isKept: (key) => key === 'note', isShared: () => false },
    shownCodes: new Set(),
    isPseudonymizing: false,
    erased: new Set(),
    ...given,
  });
const saving = make({ isPseudonymizing: true });
const forgetting = (...identifiers: readonly (Identifier | undefined)[]) =>
  make({
    erased: new Set(identifiers.flatMap((one) => (one === undefined ? [] : [hashIdentifier(secret, one)]))),
  });

/** The value of the field that is kept, in an order of somebody. */
function keptNote(person: JsonObject, value: JsonValue): JsonValue | undefined {
  const fields = { note: { value, name: 'note', runame: 'Note' } };
  const { payload } = saving.order({ order_id: 1, ...person, fields });
  return Object.values(Object(payload['fields']) as Record<string, JsonObject>)[0]?.['value'];
}

test.for<[JsonObject, string]>([
  [{ fio: 'Ivan Petrov' }, 'for IVAN'],
  [{ fio: 'Ivan Petrov' }, 'ask the Petrovs'],
  [{ name: 'Ivan Petrov' }, 'for petrov'],
  [{ fio: 'Kim Ri' }, 'to Kim, please'],
  [{ fio: '美咲' }, '美咲様へ'],
  [{ org_name: 'Turquoise Anchor' }, 'deliver to anchor'],
  [{ login: 'ipetrov' }, 'account ipetrov'],
  [{ email: 'a@b.example' }, 'a@b.example'],
  [{}, 'write to c@d.example'],
  [{ phone: '8 916 555 12 34' }, 'ring 555-12-34'],
  [{ address: 'Baker Lane 1' }, 'next to baker lane 1'],
  [{ comment: 'the red door' }, 'The red door!'],
])('of an order of %j, "%s" is dropped from a field that is kept', ([person, text]) => {
  expect(keptNote(person, text)).toBe('erased');
});

test.for<[JsonObject, string]>([
  [{ fio: 'Ivan Petrov' }, 'by tram'],
  [{ fio: 'Kim Ri' }, 'Kimberley Street, Trivia'],
  [{ phone: '8 916 555 12 34' }, 'after 12:34, code 5551'],
  [{ address: 'Baker Lane 1' }, 'a baker'],
])('and of an order of %j, "%s" is not', ([person, text]) => {
  expect(keptNote(person, text)).toBe(text);
});

test('a person in the key, name, label or a nested value of an order field is hidden, and the field still counts', () => {
  const fields = {
    note: { value: { to: 'Ivan' }, name: 'for Ivan', runame: 'Petrov' },
    'Ivan Petrov': { value: 'yes', name: 'gift', runame: 'Gift' },
    empty: { value: ' ', name: 'empty', runame: 'Empty' },
  };
  const { payload } = saving.order({ order_id: 1, fio: 'Ivan Petrov', fields });
  expect(payload['fields']).toEqual({
    note: { value: 'erased', name: null, runame: null },
    'erased 2': { value: 'erased', name: null, runame: null },
    'erased 3': { value: ' ', name: null, runame: null },
  });
});

test.for<[string, string, string | null | undefined]>([
  ['delivery', 'Courier, 8 916 555 12 34', null],
  ['delivery', 'Courier for Ivan', null],
  ['delivery', 'Courier', 'Courier'],
  ['pay_method', '89165551234', null],
  ['pay_method', 'Ivan', null],
  ['pay_method', 'card', 'card'],
  ['color', '#ff0000', '#ff0000'],
  ['color', 'Baker Lane', null],
  ['discount', '10%', '10%'],
  ['discount', 'for Ivan', null],
  ['status', 'Ivan', '(rare)'],
  ['pay_status', 'Ivan', '(rare)'],
  ['pay_status', 'FP', 'FP'],
  ['summ', 'Ivan', '?'],
  ['Ivan Petrov', 'gift', undefined],
])('%s "%s" is stored as %j', ([field, text, stored]) => {
  const { payload } = saving.order({ order_id: 1, fio: 'Ivan Petrov', [field]: text });
  expect(payload[field]).toBe(stored);
  expect(Object.hasOwn(payload, field)).toBe(stored !== undefined);
});

test('of a profile, fields that are kept lose what names the person, at any depth, and documented ones are never kept', () => {
  const content = {
    login: 'ipetrov',
    name: 'Ivan Petrov',
    org_name: 'Turquoise Anchor',
    gender: 'male',
    images: ['me.jpg'],
    note: 'Ivan',
    motto: 'slow and steady',
    list: ['Petrov', 'tea', { anchor: 'far', mail: 'x@y.example', ipetrov: 1 }],
    level: 3,
  };
  const keeping = make({ isPseudonymizing: true, fields: { isKept: () => true, isShared: () => false } });
  expect(keeping.user({ oid: 7, name: 'Ivan Petrov', content })).toEqual({
    oid: 7,
    content: { level: 3, motto: 'slow and steady', list: [null, 'tea', { mail: null }] },
  });
});

test.for(['login', 'email', 'phone'])('an account is that of a forgotten person by its %s', (field) => {
  const contact = field === 'phone' ? '8 (916) 555-12-34' : 'Ivan@Mail.Example';
  const privacy = forgetting(emailIdentifier('ivan@mail.example'), ...phoneIdentifiers('+7 916 555 12 34'));
  expect(privacy.user({ oid: 7, content: { [field]: contact, note: 'tea', nick: 'Vanya' } })).toEqual({
    oid: 7,
    content: { note: 'tea' },
  });
});

test.for(['email', 'phone'])('an order is that of a forgotten person by its %s alone', (field) => {
  const contact = field === 'phone' ? '916 - 555 - 12 - 34' : ' IVAN@mail.example ';
  const privacy = forgetting(emailIdentifier('ivan@mail.example'), ...phoneIdentifiers('8 916 555 12 34'));
  const { payload, scrubbed } = privacy.order({ order_id: 1, master_oid: 6, fio: 'Ivan', [field]: contact });
  expect(payload).toEqual({
    order_id: 1,
    master_oid: 6,
    order_sync: { customer_key: scrubbed?.customerKey },
  });
});

test('a forgotten person is taken out of records of others, whatever form it has there, and nothing else is', () => {
  const privacy = forgetting(emailIdentifier('ivan@mail.example'), ...phoneIdentifiers('+7 916 555 12 34'));
  const mentioning = { 'ivan@mail.example': 1, tea: [89_165_551_234, 'Ivan', 'or ivan@mail.example.'] };
  const cleared = { tea: [null, 'Ivan', null] };
  const json = '{"gift":{"value":"89165551234","name":"gift","runame":"Gift"}}';
  const row = { order_id: 1, fio: 'Anna', phone: '8 916 555 12 35', note: mentioning, summ: '89165551234' };
  expect(privacy.order({ ...row, status: '8 916 555 12 34', fields: json })).toEqual({
    payload: {
      ...row,
      note: cleared,
      status: '(rare)',
      fields: { 'erased 1': { value: 'erased', name: null, runame: null } },
    },
    scrubbed: undefined,
  });
  const line = { oid: '1_89165551234', name: 'Mug for ivan@mail.example', engraving: mentioning };
  expect(privacy.content({ order_id: 1, ordercontent: [line], note: mentioning }, false)).toEqual({
    order_id: 1,
    ordercontent: [{ oid: '1_89165551234', name: null, engraving: cleared }],
    note: cleared,
  });
  const user = { oid: 89_165_551_234, name: 'Anna', content: { login: 'anna', friend: mentioning } };
  expect(privacy.user(user)).toEqual({ ...user, content: { login: 'anna', friend: cleared } });
});

test('a stored row that lost its person stays as it is for whoever reads it later', () => {
  const { payload, scrubbed } = saving.order({ order_id: 1, fio: 'Ivan', email: 'ivan@mail.example' });
  for (const privacy of [make({}), forgetting(emailIdentifier('anna@mail.example'))]) {
    const again = privacy.order(payload, true);
    expect(again).toEqual({ payload, scrubbed });
    expect(again.payload).toBe(payload);
  }
});
