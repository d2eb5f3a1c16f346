/** What is left of records in which a person is named where none belongs. */
import { expect, test } from 'vitest';

import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/model/json.ts';
import { joinContent, joinOrder, joinUser } from '../../../src/normalize/privacy/records.ts';
import {
  emailIdentifier,
  type Identifier,
  phoneIdentifiers,
} from '../../../src/normalize/privacy/identifiers.ts';
import type { PrivacyOptions } from '../../../src/normalize/privacy/privacy.ts';
import { hashesOf, makePrivacy } from './make-privacy.ts';

const make = (given: Partial<PrivacyOptions>) => makePrivacy({ keptFields: new Set(['note']), ...given });
const saving = () => make({ isPseudonymizing: true });
const forgetting = (...identifiers: readonly (Identifier | undefined)[]) =>
  make({ erased: hashesOf(...identifiers) });

/** The value of the field that is kept, in an order of somebody. */
function keptNote(person: JsonObject, value: JsonValue): JsonValue | undefined {
  const fields = { note: { value, name: 'note', runame: 'Note' } };
  const stored = saving().order({ order_id: 1, ...person, fields }).person?.fields;
  const note = isJsonObject(stored) ? stored['note'] : undefined;
  return isJsonObject(note) ? note['value'] : undefined;
}

test.for<[JsonObject, string]>([
  [{ fio: 'Ivan Petrov' }, 'for IVAN'],
  [{ fio: 'Ivan Petrov' }, 'ask the Petrovs'],
  [{ name: 'Ivan Petrov' }, 'for petrov'],
  [{ org_name: 'Turquoise Anchor' }, 'deliver to anchor'],
  [{ login: 'ipetrov' }, 'account ipetrov'],
  [{ email: 'a@b.example' }, 'a@b.example'],
  [{}, 'write to c@d.example'],
  [{ phone: '8 916 555 12 34' }, 'ring 555-12-34'],
  [{ address: 'Baker Lane 1' }, 'next to baker lane 1'],
])('of an order of %j, "%s" is dropped from a field that is kept', ([person, text]) => {
  expect(keptNote(person, text)).toBeNull();
});

test('of an order, the phone number of a forgotten person is dropped from a field that is kept', () => {
  const both = make({ isPseudonymizing: true, erased: hashesOf(...phoneIdentifiers('8 903 111 22 33')) });
  const noteOf = (value: string) =>
    both.order({ order_id: 1, fields: { note: { value, name: 'note', runame: 'Note' } } }).person?.fields;
  expect(noteOf('ring +7 903 111-22-33')).toMatchObject({ note: { value: null } });
  expect(noteOf('ring 903 111 22')).toMatchObject({ note: { value: 'ring 903 111 22' } });
});

test.for<[JsonObject, string]>([
  [{ fio: 'Ivan Petrov' }, 'by tram'],
  [{ fio: 'Kim Ri' }, 'Kimberley Street, Trivia'],
  [{ phone: '8 916 555 12 34' }, 'after 12:34, code 5551'],
  [{ address: 'Baker Lane 1' }, 'a baker'],
])('and of an order of %j, "%s" is not', ([person, text]) => {
  expect(keptNote(person, text)).toBe(text);
});

test('a person in the name, label or a nested value of an order field is hidden, and no other field is kept', () => {
  const fields = {
    note: { value: { to: 'Ivan', with: 'tea', Petrov: 1 }, name: 'for Ivan', runame: 'Petrov' },
    'Ivan Petrov': { value: 'yes', name: 'gift', runame: 'Gift' },
    empty: { value: ' ', name: 'empty', runame: 'Empty' },
  };
  const { payload, person } = saving().order({ order_id: 1, fio: 'Ivan Petrov', fields });
  expect(person?.fields).toEqual({ note: { value: { to: null, with: 'tea' }, name: null, label: null } });
  expect(payload).toEqual({ order_id: 1 });
});

test.for<[string, string, JsonValue | undefined]>([
  ['delivery', 'Courier, 8 916 555 12 34', '(hidden)'],
  ['delivery', 'Courier for Ivan', '(hidden)'],
  ['delivery', 'Courier', 'Courier'],
  ['pay_method', '89165551234', '(hidden)'],
  ['pay_method', 'Ivan', '(hidden)'],
  ['pay_method', 'card', 'card'],
  ['color', '#ff0000', '#ff0000'],
  ['discount', '10%', '10%'],
  ['discount', 'for Ivan', '(hidden)'],
  ['status', 'Ivan', '(hidden)'],
  ['pay_status', 'Ivan', '(hidden)'],
  ['status', 'with two words', 'with two words'],
  ['pay_status', 'FP', 'FP'],
  ['summ', 'Ivan', {}],
  ['Ivan Petrov', 'gift', undefined],
  ['comment', 'tea', undefined],
])('%s "%s" is stored as %j, whether persons are kept or not', ([field, text, stored]) => {
  for (const privacy of [saving(), make({})]) {
    const { payload } = privacy.order({ order_id: 1, fio: 'Ivan Petrov', [field]: text });
    expect(payload[field]).toEqual(stored);
    expect(Object.hasOwn(payload, field)).toBe(stored !== undefined);
  }
});

test('of a group what is documented is stored, but for contacts', () => {
  const known = { oid: 5, parent_oid: 0, sort: 1, created: '2025-02-03', updated: '2025-02-04' };
  const { payload, row } = make({}).group({ ...known, name: 'for c@d.example', url: 'x', owner: 'Ivan' });
  expect(payload).toEqual({ ...known, name: '(hidden)', url: 'x' });
  expect(row).toMatchObject({ group_oid: '5', name: null, url: 'x', updated_local: '2025-02-04T00:00:00' });
});

test('the key of an order goes with its person', () => {
  expect(saving().order({ order_id: 1, hash: 'abc' })).toMatchObject({
    payload: {},
    row: { order_hash: null },
  });
  expect(make({}).order({ order_id: 1, hash: 'abc' }).row).toMatchObject({ order_hash: 'abc' });
});

test('of a profile, fields that are kept lose what names the person, at any depth, and documented ones are never kept', () => {
  const documented = {
    login: 'ipetrov',
    name: 'Ivan Petrov',
    org_name: 'Turquoise Anchor',
    gender: 'male',
    images: ['me.jpg'],
  };
  const list = ['Petrov', 'tea', { anchor: 'far', mail: 'x@y.example', ipetrov: 1 }];
  const content = { ...documented, note: 'Ivan', motto: 'slow and steady', list, level: 3 };
  const names = [...Object.keys(content), 'name', 'oid'];
  const keeping = make({ isPseudonymizing: true, keptFields: new Set(names) });
  const { payload, person, row } = keeping.user('7', { oid: 7, name: 'Ivan Petrov', content });
  expect(payload).toEqual({ oid: 7, content: { level: 3 } });
  expect(row?.level).toBe(3);
  const { content: kept, ...others } = person ?? {};
  expect(new Set(Object.values(others))).toEqual(new Set([null]));
  expect(kept).toEqual({
    level: 3,
    note: null,
    motto: 'slow and steady',
    list: [null, 'tea', { mail: null }],
  });
});

test.for<JsonObject>([
  { content: { login: 'Ivan@Mail.Example' } },
  { content: { email: 'Ivan@Mail.Example' } },
  { content: { phone: '8 (916) 555-12-34' } },
  { content: { phone: 9_165_551_234 } },
  { email: 'Ivan@Mail.Example' },
  { phone: '8 (916) 555-12-34' },
])('an account is that of a forgotten person by %j', (contact) => {
  const privacy = forgetting(emailIdentifier('ivan@mail.example'), ...phoneIdentifiers('+7 916 555 12 34'));
  const read = privacy.user('7', { oid: 7, name: 'Ivan', note: 'tea', ...contact });
  expect(read).toMatchObject({ row: { user_oid: '7' }, person: null });
  expect(read.payload).toEqual({ oid: 7 });
});

test.for(['email', 'phone'])('an order is that of a forgotten person by its %s alone', (field) => {
  const contact = field === 'phone' ? '916 - 555 - 12 - 34' : ' IVAN@mail.example ';
  const privacy = forgetting(emailIdentifier('ivan@mail.example'), ...phoneIdentifiers('8 916 555 12 34'));
  const sent = { order_id: 1, master_oid: 6, fio: 'Ivan', [field]: contact };
  const { payload, person, row } = privacy.order(sent);
  expect(payload).toEqual({ order_id: 1, master_oid: 6 });
  expect(person).toBeNull();
  expect(row?.customer_key).toBe(make({}).order(sent).row?.customer_key);
});

test('a forgotten person is taken out of records of others, whatever form it has there, and nothing else is', () => {
  const privacy = forgetting(emailIdentifier('ivan@mail.example'), ...phoneIdentifiers('+7 916 555 12 34'));
  const email = 'ivan@mail.example';
  const mentioning = { [email]: 1, tea: [89_165_551_234, 'Ivan', 'or ivan@mail.example.'] };
  const cleared = { tea: [null, 'Ivan', null] };
  const json = '{"gift":{"value":"89165551234","name":"gift","runame":"Gift"}}';
  const row = { order_id: 1, fio: 'Anna', phone: '8 916 555 12 35', note: mentioning, summ: '89165551234' };
  const order = privacy.order({ ...row, status: '8 916 555 12 34', fields: json, [email]: 'x' });
  expect(order).toMatchObject({
    isStripped: false,
    row: { status_code: '(hidden)', order_sum: '89165551234.00' },
  });
  expect(order.person && joinOrder(order.payload, order.person, order.person.rest)).toEqual({
    ...row,
    note: cleared,
    status: '(hidden)',
    fields: { gift: { value: null, name: 'gift', label: 'Gift' } },
  });
  const line = { oid: '1_89165551234', name: `Mug for ${email}`, engraving: mentioning };
  const answer = { order_id: 1, ordercontent: [line], note: mentioning };
  const content = privacy.lines('1', answer, [line], { finds: privacy.finder([]), isStripped: false });
  expect(joinContent(content.payload, content.rest)).toEqual({
    order_id: 1,
    ordercontent: [{ oid: '1_(hidden)', name: '(hidden)', engraving: cleared }],
    note: cleared,
  });
  const sent = { oid: 89_165_551_234, name: 'Anna', content: { login: 'anna', friend: mentioning } };
  const user = privacy.user('89165551234', sent);
  expect(user.person && joinUser(user.payload, user.person.content, user.person.rest)).toEqual({
    ...sent,
    content: { login: 'anna', friend: cleared },
  });
});

test('what is left of an order without its person is left of it whoever reads it later', () => {
  const sent = { order_id: 1, fio: 'Ivan', email: 'ivan@mail.example', delivery: 'for Ivan' };
  const { payload, row } = saving().order(sent);
  for (const privacy of [saving(), make({}), forgetting(emailIdentifier('anna@mail.example'))]) {
    const again = privacy.order(payload);
    expect(again.payload).toEqual(payload);
    // Whose it was cannot be made anew.
    expect({ ...again.row, customer_key: row?.customer_key }).toEqual(row);
  }
});
