import { expect, test } from 'vitest';

import { isJsonArray, type JsonObject } from '../../../src/model/json.ts';
import { joinContent, joinOrder, joinUser } from '../../../src/normalize/privacy/records.ts';
import { phoneIdentifiers, strippedFingerprint } from '../../../src/normalize/privacy/identifiers.ts';
import { codeKey, type Privacy, type PrivacyOptions } from '../../../src/normalize/privacy/privacy.ts';
import { hashesOf, makePrivacy, SECRET } from './make-privacy.ts';

const make = (given: Partial<PrivacyOptions> = {}) =>
  makePrivacy({ keptFields: new Set(['source']), ...given });
const forgetting = (phone: string) => hashesOf(...phoneIdentifiers(phone));

/** An answer for lines in the two parts that are stored. */
function contentOf(privacy: Privacy, answer: JsonObject, isStripped: boolean) {
  const lines = isJsonArray(answer['ordercontent']) ? answer['ordercontent'] : undefined;
  const { payload, rest } = privacy.lines('1', answer, lines, { finds: privacy.finder([]), isStripped });
  return { payload, rest };
}

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

test('a stripped order keeps what is known to be impersonal, its customer, and the fields that are kept', () => {
  const { row, payload, person, rejections, isStripped } = make({ isPseudonymizing: true }).order(ROW);
  expect(isStripped).toBe(true);
  expect(payload).toEqual({
    order_id: '17',
    master_oid: '6',
    delivery: '(hidden)',
    status: 'A',
    summ: {},
    paid: '10.00',
    created: '01.03.2026',
  });
  const { fields, ...others } = person ?? {};
  expect(fields).toEqual({ source: { value: 'Ads', name: 'source', label: 'Source' } });
  expect(new Set(Object.values(others))).toEqual(new Set([null]));
  expect(row).toMatchObject({
    delivery_name: null,
    order_hash: null,
    order_sum: null,
    status_code: 'A',
    withheld: 1,
  });
  expect(row?.customer_key).toMatch(/^g:[0-9a-f]{32}$/);
  expect(row?.customer_key).toBe(make().order(ROW).row?.customer_key);
  // Nothing of what could not be read.
  expect(rejections).toMatchObject([{ field: 'summ', value: '{}' }]);
  expect(JSON.stringify({ row, payload, person, rejections })).not.toMatch(/Ivan|Baker|ring|916/);
});

test('codes that the owner classified are kept whoever they name, and a percent goes with its text', () => {
  const privacy = make({ isPseudonymizing: true, knownCodes: new Set([codeKey('status_code', 'for Anna')]) });
  const named = { order_id: '1', fio: 'Anna Berg', status: 'for Anna', pay_status: 'for Anna' };
  const codes = privacy.order(named).row;
  expect(codes).toMatchObject({ status_code: 'for Anna', pay_status_code: '(hidden)' });
  const discounted = (discount: string) => privacy.order({ order_id: '1', fio: 'Anna Berg', discount }).row;
  expect(discounted('10%')).toMatchObject({ discount_raw: '10%', discount_percent: '10.0000' });
  expect(discounted('for Anna 15.5%')).toMatchObject({ discount_raw: null, discount_percent: null });
});

test('an order is stored in two parts, of which only the person holds what was typed by one', () => {
  const { row, payload, person, isStripped, rejections } = make().order(ROW);
  expect(isStripped).toBe(false);
  const known = 'created delivery hash master_oid order_id paid status summ'.split(' ');
  expect(Object.keys(payload).toSorted()).toEqual(known);
  expect(payload).toMatchObject({ delivery: '(hidden)', summ: {}, hash: 'abc' });
  expect(person).toMatchObject({
    buyer_name: 'Ivan Petrov',
    buyer_email: 'Ivan@Mail.Example',
    fields: { f1: { value: 'Ivan', name: null, label: 'Name' } },
    rest: { summ: 'Baker Lane 1', delivery: ROW.delivery, note: { a: ['Ivan'] } },
  });
  expect(row).toMatchObject({ order_id: '17', delivery_name: null, withheld: 1, order_hash: 'abc' });
  expect(rejections).toMatchObject([{ field: 'summ', value: 'Baker Lane 1' }]);
});

test('of an order that has no number, no person is kept', () => {
  const sent = { order_id: 'x', fio: 'Ivan', summ: '5', delivery: 'Courier', note: 'x', master_oid: '17' };
  const nobody = { row: undefined, person: null, rejections: [{ field: null }] };
  const read = make().order(sent);
  expect(read).toMatchObject(nobody);
  expect(read.payload).toEqual({ order_id: 'x', summ: '5', delivery: 'Courier', master_oid: '17' });
  const stripped = make({ isPseudonymizing: true }).order(sent);
  expect(stripped).toMatchObject(nobody);
  expect(stripped.payload).toEqual(read.payload);
});

test('with nothing to remove, no text is changed, and the record can be made again of its parts', () => {
  const { fields: _fields, ...others } = ROW;
  for (const privacy of [make(), make({ erased: forgetting('+49 30 7654321') })]) {
    const { payload, person } = privacy.order(others);
    expect(person && joinOrder(payload, person, person.rest)).toEqual(others);
    const user = privacy.user('17', { oid: 17, name: 'Ivan', content: ROW });
    expect(user.person && joinUser(user.payload, user.person.content, user.person.rest)).toMatchObject({
      oid: 17,
      name: 'Ivan',
      content: ROW,
    });
    const { payload: known, rest } = contentOf(privacy, ROW, false);
    expect(joinContent(known, rest)).toEqual(ROW);
  }
});

test('the fingerprint of a stripped order is keyed, and still that of the row', () => {
  const [plain, keyed] = [make(), make({ isPseudonymizing: true })];
  const fingerprint = keyed.fingerprint(ROW);
  expect(fingerprint).toMatch(/^p:[0-9a-f]{32}$/);
  expect(plain.fingerprint(ROW)).toMatch(/^[0-9a-f]{32}$/);
  expect(fingerprint).not.toContain(plain.fingerprint(ROW));
  expect(fingerprint).not.toBe(make({ isPseudonymizing: true, secret: 'another' }).fingerprint(ROW));
  expect(fingerprint).toBe(strippedFingerprint(SECRET, plain.fingerprint(ROW), 'pseudonymized'));
  expect(keyed.fingerprint({ ...ROW, fio: 'Ivan' })).not.toBe(fingerprint);
  const erased = make({ erased: forgetting(ROW.phone) }).fingerprint(ROW);
  expect(erased).toBe(strippedFingerprint(SECRET, plain.fingerprint(ROW), 'erased'));
  expect(erased).toMatch(/^e:[0-9a-f]{32}$/);
});

test('a user keeps the account, group and level; content and lines keep what is documented of them', () => {
  const privacy = make({ isPseudonymizing: true });
  const typed = { login: 'ivan', email: 'a@b.example', birthday: '12.04.1985', images: ['a.jpg'] };
  const known = { oid: 7, parent_oid: 90, created: '01.02.2020' };
  const content = { ...typed, level: 2, source: 'Ads' };
  const record = { ...known, name: 'Ivan', access: 'for Ivan', updated: 'Ivan', content };
  const user = privacy.user('7', record);
  expect(user.payload).toEqual({ ...known, access: '(hidden)', updated: {}, content: { level: 2 } });
  expect(user.row).toMatchObject({
    user_oid: '7',
    group_oid: '90',
    level: 2,
    access: null,
    created_local: '2020-02-01T00:00:00',
  });
  const { content: kept, ...others } = user.person ?? {};
  expect(kept).toEqual({ source: 'Ads' });
  expect(new Set(Object.values(others))).toEqual(new Set([null]));
  expect(user.rejections).toMatchObject([{ field: 'updated', value: '{}' }]);
  const line = { oid: '1_a', name: 'Mug', count: 2, engraving: 'Ivan' };
  const answer = { success: 1, ordercontent: [line, 'Ivan'], buyer: 'Ivan' };
  expect(contentOf(privacy, answer, true)).toEqual({
    payload: { ordercontent: [{ oid: '1_a', name: 'Mug', count: 2 }, null] },
    rest: null,
  });
});
