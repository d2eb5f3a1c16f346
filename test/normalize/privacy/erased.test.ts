import { describe, expect, test } from 'vitest';

import { isJsonArray, type JsonObject, type JsonValue } from '../../../src/model/json.ts';
import { guestKey } from '../../../src/normalize/customer-key.ts';
import { normalizeLines } from '../../../src/normalize/lines.ts';
import { joinContent, joinOrder, joinUser } from '../../../src/normalize/privacy/records.ts';
import { hashIdentifier, type Identifier } from '../../../src/normalize/privacy/identifiers.ts';
import { keepAll, Privacy } from '../../../src/normalize/privacy/privacy.ts';

const shop = { timezone: 'Europe/Berlin' };
const secret = 'test';
const EMAIL: Identifier = { kind: 'email', value: 'ivan@mail.example' };
const ACCOUNT: Identifier = { kind: 'user', value: '17' };

const make = (erased: readonly Identifier[], isPseudonymizing = false) =>
  new Privacy({
    secret,
    shop,
    keptFields: new Set(['size']),
    knownCodes: new Set(),
    isPseudonymizing,
    erased: new Set(erased.map((identifier) => hashIdentifier(secret, identifier))),
  });

/** The record as a replay puts it together. */
const joined = ({ payload, person }: ReturnType<Privacy['order']>) =>
  person && joinOrder(payload, person, person.rest);

/** An answer for lines in the two parts that are stored. */
function contentOf(privacy: Privacy, answer: JsonObject, isStripped: boolean) {
  const lines = isJsonArray(answer['ordercontent']) ? answer['ordercontent'] : undefined;
  const read = (given: readonly JsonValue[]) => normalizeLines('1', given);
  const { payload, rest } = privacy.lines(answer, lines, read, { finds: privacy.finder([]), isStripped });
  return { payload, rest };
}

describe('after an account was erased', () => {
  const privacy = make([ACCOUNT]);
  const standIn = privacy.erased.standIn('17');

  test('its orders are stored under a number that stands for it, and nothing of the person is', () => {
    expect(BigInt(standIn)).toBeLessThan(0n);
    const sent = {
      order_id: '1',
      master_oid: '17',
      fio: 'Ivan',
      summ: '5',
      fields: { size: 'M' },
      note: 'x',
    };
    const read = privacy.order(sent);
    expect(read.payload).toEqual({ order_id: '1', master_oid: standIn, summ: '5' });
    expect(read.row).toMatchObject({ buyer_oid: standIn, customer_key: `u:${standIn}`, is_guest: false });
    expect(read).toMatchObject({ isStripped: true, person: null, rejections: [] });
  });

  test('the orders of others, and of guests, are stored as they are sent', () => {
    for (const master_oid of ['18', '6', null]) {
      const row = { order_id: '1', master_oid, fio: 'Ivan' };
      const read = privacy.order(row);
      expect(read.isStripped).toBe(false);
      expect(joined(read)).toEqual(row);
    }
    expect(make([{ kind: 'user', value: '6' }]).order({ order_id: '1', master_oid: '6' }).isStripped).toBe(
      false,
    );
  });

  test('it is known by its number only', () => {
    expect(['17', '18'].map((oid) => privacy.erased.hasAccount(oid))).toEqual([true, false]);
    expect([make([]), privacy].map(({ erased }) => erased.isEmpty)).toEqual([true, false]);
    expect(make([]).erased.hasAccount('17')).toBe(false);
    expect(privacy.erased.areIn('17')).toBe(false);
  });
});

describe('after a contact was erased', () => {
  const privacy = make([EMAIL, { kind: 'phone', value: '9165551234' }]);
  const ROW = { order_id: '1', master_oid: '6', email: 'Ivan@mail.example', summ: '5' };

  test('an amount of somebody else that turns out to be a text with it is not stored', () => {
    const read = privacy.order({
      order_id: '1',
      master_oid: '18',
      fio: 'Petra',
      summ: 'see Ivan@mail.example',
    });
    expect(read).toMatchObject({ isStripped: false, person: { buyer_name: 'Petra' } });
    expect(JSON.stringify([read.payload, read.person])).not.toContain('Ivan');
  });

  test('orders with it are stored without their person, with the key of the guest', () => {
    const key = guestKey(EMAIL.value, secret);
    const read = privacy.order(ROW);
    expect(read).toMatchObject({ isStripped: true, person: null });
    expect(read.payload).toEqual({ order_id: '1', master_oid: '6', summ: '5' });
    expect(read.row).toMatchObject({ buyer_oid: '6', customer_key: key });
    expect(privacy.fingerprint(ROW)).not.toBe(make([]).fingerprint(ROW));
    const other = { ...ROW, email: 'anna@mail.example' };
    expect(privacy.fingerprint(other)).toBe(make([]).fingerprint(other));
  });

  test('of an account with it nothing is kept, though the owner keeps a field of those who are not stored', () => {
    const sent = { content: { email: 'Ivan@mail.example', size: 'M' } };
    expect(privacy.user('20', sent)).toMatchObject({ row: { user_oid: '20' }, person: null });
    expect(make([], true).user('20', sent).person).toMatchObject({ content: { size: 'M' } });
  });

  test('an unknown field of another account that names it is not stored', () => {
    const read = privacy.user('18', { content: { fio: 'Petra' }, hint: { of: 'Ivan@mail.example' } });
    expect(JSON.stringify(read)).toContain('Petra');
    expect(JSON.stringify(read)).not.toContain('Ivan');
  });

  test('an order of an account keeps its account, unless that is erased', () => {
    const order = { ...ROW, master_oid: '17' };
    expect(privacy.order(order).row).toMatchObject({ buyer_oid: '17', customer_key: 'u:17' });
    const both = make([EMAIL, ACCOUNT]);
    expect(both.order(order).row?.customer_key).toBe(`u:${both.erased.standIn('17')}`);
  });

  test('others who mention it keep all but that', () => {
    const row = { order_id: '2', fio: 'Anna', comment: 'for ivan@mail.example', delivery: 'Courier' };
    const read = privacy.order(row);
    expect(read).toMatchObject({ isStripped: false, person: { buyer_name: 'Anna', comment: null } });
    expect(joined(read)).toEqual({ order_id: '2', fio: 'Anna', delivery: 'Courier' });
    const content = { ordercontent: [{ oid: '1_a', name: 'ivan@mail.example', engraving: EMAIL.value }] };
    const { payload, rest } = contentOf(privacy, content, false);
    expect(joinContent(payload, rest)).toEqual({
      ordercontent: [{ oid: '1_a', name: '(hidden)' }],
    });
    const user = privacy.user('8', {
      oid: 8,
      name: EMAIL.value,
      content: { about: 'ivan@mail.example', size: 'M' },
    });
    expect(user.person && joinUser(user.payload, user.person.content, user.person.rest)).toEqual({
      oid: 8,
      content: { about: null, size: 'M' },
    });
  });

  test('nothing of the person is in what is stored of its own orders and of those of others', () => {
    const orders = [
      { ...ROW, comment: 'x', [EMAIL.value]: 1, status: EMAIL.value, delivery: EMAIL.value },
      { order_id: '2', comment: EMAIL.value, [EMAIL.value]: 1, status: EMAIL.value, delivery: EMAIL.value },
      { order_id: '3', summ: EMAIL.value, fields: { [EMAIL.value]: { value: { mail: EMAIL.value } } } },
    ];
    const stored = orders.map((order) => {
      const { row, payload, person } = privacy.order(order);
      return { row, payload, person: person && { ...person, rest: without('summ', person.rest) } };
    });
    expect(JSON.stringify(stored).toLowerCase()).not.toContain('ivan@');
    expect(stored.map(({ row }) => row?.order_id)).toEqual(['1', '2', '3']);
  });

  test('the content of a stripped order has lines only, of any shop', () => {
    const content = {
      ordercontent: [{ oid: '1_a', engraving: 'Anna', name: 'for anna@mail.example' }],
      buyer: 'Anna',
    };
    const lines = { payload: { ordercontent: [{ oid: '1_a', name: '(hidden)' }] }, rest: null };
    for (const each of [privacy, make([]), make([], true)])
      expect(contentOf(each, content, true)).toEqual(lines);
    const { payload, rest } = contentOf(privacy, content, false);
    expect(joinContent(payload, rest)).toEqual(content);
  });

  test.each([
    { content: { email: EMAIL.value } },
    { content: { phone: EMAIL.value } },
    { content: { login: EMAIL.value } },
    { content: { phone: 9_165_551_234 } },
    { email: EMAIL.value },
    { phone: EMAIL.value },
  ])('a user with it in %o is stored without the person', (contact) => {
    const { payload, person, row } = privacy.user('7', { oid: 7, name: 'Ivan', ...contact });
    expect(payload).toEqual({ oid: 7 });
    expect(person).toBeNull();
    expect(row).toMatchObject({ user_oid: '7' });
  });
});

test('what is kept of a text does not name the person of the record, nor an erased one', () => {
  const deliver = (privacy: Privacy, delivery: string) =>
    privacy.order({ order_id: '1', fio: 'Anna Berg', delivery }).payload['delivery'];
  const privacy = make([EMAIL], true);
  expect(['Courier', 'for Anna', 'x ivan@mail.example'].map((text) => deliver(privacy, text))).toEqual([
    'Courier',
    '(hidden)',
    '(hidden)',
  ]);
});

test('a number in the name of a product is found where it is the phone number of an erased person', () => {
  const erased: Identifier = { kind: 'phone', value: '307654321' };
  const found = [[], [erased]].map((given) => make(given).finder([])('Item 307654321', 'catalogue'));
  expect(found).toEqual([false, true]);
});

test('rows are made of what may be stored, and keep the customer', () => {
  const raw = {
    order_id: '1',
    master_oid: '6',
    email: EMAIL.value,
    summ: 'x',
    discount: `${EMAIL.value} 10%`,
  };
  const read = make([EMAIL]).order(raw);
  const customer_key = guestKey(EMAIL.value, secret);
  expect(read).toMatchObject({ isStripped: true, row: { order_id: '1', customer_key }, person: null });
  expect(read.payload).toEqual({ order_id: '1', master_oid: '6', summ: {}, discount: '(hidden)' });
  expect(read.rejections).toMatchObject([{ field: 'summ', value: '{}' }]);
  // What is stored makes the same row, but for the customer, whom a replay takes from the stored one.
  const again = make([]).order(read.payload);
  expect({ ...again.row, customer_key }).toEqual(read.row);
  expect(again.rejections).toEqual(read.rejections);

  const plain = keepAll(secret, shop).order(raw);
  expect(plain).toMatchObject({
    isStripped: false,
    row: { customer_key },
    person: { buyer_email: EMAIL.value },
  });
  expect(joined(plain)).toEqual(raw);
  expect(keepAll(secret, shop).order({ order_id: 'x' })).toMatchObject({ row: undefined });

  const user = { oid: '7', content: { email: EMAIL.value, level: 2 } };
  expect(make([EMAIL]).user('7', user)).toEqual({
    row: expect.objectContaining({ user_oid: '7', level: 2 }),
    payload: { oid: '7', content: { level: 2 } },
    person: null,
    rejections: [],
  });
  const ofAnother = { row: undefined, person: null, rejections: [{ field: null }] };
  expect(keepAll(secret, shop).user('8', user)).toMatchObject(ofAnother);
  expect(make([], true).user('8', user)).toMatchObject(ofAnother);
});

test('what is stored already of a person loses an erased contact, and is left alone where it has none', () => {
  const privacy = make([EMAIL]);
  expect(privacy.withoutMentions({ comment: `for ${EMAIL.value}`, rest: { count: 1 } })).toEqual({
    comment: null,
    rest: { count: 1 },
  });
  expect(privacy.withoutMentions({ comment: 'for anna@mail.example' })).toBeUndefined();
});

function without(name: string, rest: unknown) {
  return Object.fromEntries(Object.entries(Object(rest)).filter(([key]) => key !== name));
}
