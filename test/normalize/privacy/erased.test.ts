import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../src/json.ts';
import { guestKey } from '../../../src/normalize/customer-key.ts';
import { hashIdentifier, type Identifier } from '../../../src/normalize/privacy/identifiers.ts';
import { keepAll, Privacy, wasScrubbed } from '../../../src/normalize/privacy/privacy.ts';
import { readOrder, readUser } from '../../../src/normalize/privacy/read-records.ts';

const shop = { timezone: 'Europe/Berlin' };
const secret = 'test';
const EMAIL: Identifier = { kind: 'email', value: 'ivan@mail.example' };
const ACCOUNT: Identifier = { kind: 'user', value: '17' };
const fields = { isKept: () => false, isShared: () => false };

const make = (erased: readonly Identifier[], isPseudonymizing = false) =>
  new Privacy({
    secret,
    shop,
    fields,
    shownCodes: new Set(),
    isPseudonymizing,
    erased: new Set(erased.map((identifier) => hashIdentifier(secret, identifier))),
  });

describe('after an account was erased', () => {
  const privacy = make([ACCOUNT]);
  const standIn = privacy.erased.standIn('17');

  test('its orders are stored under a number that stands for it', () => {
    expect(BigInt(standIn)).toBeLessThan(0n);
    const { payload, scrubbed } = privacy.order({ order_id: '1', master_oid: '17', fio: 'Ivan', summ: '5' });
    expect(payload).toEqual({
      order_id: '1',
      master_oid: standIn,
      summ: '5',
      order_sync: { customer_key: `u:${standIn}` },
    });
    expect(scrubbed).toEqual({ customerKey: `u:${standIn}` });
  });

  test('the orders of others, and of guests, are stored as they are sent', () => {
    for (const master_oid of ['18', '6', null]) {
      const row = { order_id: '1', master_oid, fio: 'Ivan' };
      expect(privacy.order(row)).toEqual({ payload: row, scrubbed: undefined });
      expect(privacy.order(row).payload).toBe(row);
    }
    expect(
      make([{ kind: 'user', value: '6' }]).order({ order_id: '1', master_oid: '6' }).scrubbed,
    ).toBeUndefined();
  });

  test('it is known by its number only', () => {
    expect(['17', '18'].map((oid) => privacy.erased.hasAccount(oid))).toEqual([true, false]);
    expect([make([]), privacy].map(({ erased }) => erased.isEmpty)).toEqual([true, false]);
    expect(make([]).erased.hasAccount('17')).toBe(false);
    expect(privacy.erased.areIn('17')).toBe(false);
  });
});

describe('after a contact was erased', () => {
  const privacy = make([EMAIL]);
  const ROW = { order_id: '1', master_oid: '6', email: 'Ivan@mail.example', summ: '5' };

  test('orders with it are stored without their person, with the key of the guest', () => {
    const key = guestKey(EMAIL.value, secret);
    expect(privacy.order(ROW)).toEqual({
      payload: { order_id: '1', master_oid: '6', summ: '5', order_sync: { customer_key: key } },
      scrubbed: { customerKey: key },
    });
    expect(privacy.fingerprint(ROW)).not.toBe(make([]).fingerprint(ROW));
    const other = { ...ROW, email: 'anna@mail.example' };
    expect(privacy.fingerprint(other)).toBe(make([]).fingerprint(other));
  });

  test('a stored row keeps the key that it has, and the account is replaced by its number', () => {
    const stored: JsonObject = { ...ROW, order_sync: { customer_key: 'g:before' } };
    expect(privacy.order(stored, true).scrubbed).toEqual({ customerKey: 'g:before' });
    expect(privacy.order(stored, false).scrubbed?.customerKey).toMatch(/^g:[0-9a-f]{32}$/);
    const untouched = { order_id: '2', order_sync: { customer_key: 'g:x' } };
    expect(privacy.order(untouched, true)).toEqual({ payload: untouched, scrubbed: { customerKey: 'g:x' } });
    const account = make([ACCOUNT]).order({ master_oid: '17', order_sync: { customer_key: 'u:17' } }, true);
    expect(account.scrubbed?.customerKey).toBe(`u:${privacy.erased.standIn('17')}`);
    expect([stored, ROW, { order_sync: 'x' }, { order_sync: { customer_key: 5 } }].map(wasScrubbed)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  test('others who mention it keep all but that', () => {
    const row = { order_id: '2', fio: 'Anna', comment: 'for ivan@mail.example', delivery: 'Courier' };
    expect(privacy.order(row)).toEqual({ payload: { ...row, comment: null }, scrubbed: undefined });
    const content = { ordercontent: [{ oid: '1_a', name: 'ivan@mail.example' }] };
    expect(privacy.content(content, false)).toEqual({ ordercontent: [{ oid: '1_a', name: null }] });
    expect(privacy.user({ oid: 8, content: { about: 'ivan@mail.example', size: 'M' } })).toEqual({
      oid: 8,
      content: { about: null, size: 'M' },
    });
  });

  test('the content of a scrubbed order has lines only, of any shop', () => {
    const content = { ordercontent: [{ oid: '1_a', engraving: 'Anna' }], buyer: 'Anna' };
    const lines = { ordercontent: [{ oid: '1_a' }] };
    expect(privacy.content(content, true)).toEqual(lines);
    expect(make([]).content(content, true)).toEqual(lines);
    expect(make([], true).content(content, false)).toEqual(lines);
    expect(privacy.content(content, false)).toBe(content);
    expect(privacy.content(lines, true), 'nothing to remove').toBe(lines);
  });

  test.each([
    { content: { email: EMAIL.value } },
    { content: { phone: EMAIL.value } },
    { content: { login: EMAIL.value } },
    { email: EMAIL.value },
    { phone: EMAIL.value },
  ])('a user with it in %o is stored without the person', (contact) => {
    const record = privacy.user({ oid: 7, name: 'Ivan', ...contact });
    expect(record).toEqual({ oid: 7, ...('content' in contact ? { content: {} } : {}) });
  });
});

test('what is kept of a text does not name the person of the record, nor an erased one', () => {
  const deliver = (privacy: Privacy, delivery: string) =>
    privacy.order({ order_id: '1', fio: 'Anna Berg', delivery }).payload['delivery'];
  const privacy = make([EMAIL], true);
  expect(['Courier', 'for Anna', 'x ivan@mail.example'].map((text) => deliver(privacy, text))).toEqual([
    'Courier',
    null,
    null,
  ]);
});

test('rows are made of what may be stored, and keep the customer', () => {
  const context = { ...shop, guestSecret: secret };
  const raw = { order_id: '1', master_oid: '6', email: EMAIL.value, summ: 'x' };
  const read = readOrder(make([EMAIL]), raw, context);
  const customer_key = guestKey(EMAIL.value, secret);
  expect(read).toMatchObject({ isScrubbed: true, row: { order_id: '1', buyer_email: null, customer_key } });
  expect(read.payload).toEqual({ order_id: '1', master_oid: '6', summ: '?', order_sync: { customer_key } });
  expect(read.rejections).toMatchObject([{ field: 'summ', value: '?' }]);
  expect(readOrder(make([EMAIL]), read.payload, context, { isStored: true })).toEqual(read);
  expect(readOrder(make([EMAIL]), read.payload, context).isScrubbed, 'a shop cannot say so').toBe(false);

  const plain = readOrder(keepAll(secret, shop), raw, context);
  expect(plain).toMatchObject({ isScrubbed: false, row: { buyer_email: EMAIL.value, customer_key } });
  expect(plain.payload).toBe(raw);
  expect(readOrder(keepAll(secret, shop), { order_id: 'x' }, context)).toMatchObject({ row: undefined });

  const user = { oid: '7', content: { email: EMAIL.value, level: 2 } };
  expect(readUser(make([EMAIL]), '7', user, shop)).toMatchObject({
    row: { user_oid: '7', email: null, level: 2 },
    payload: { oid: '7', content: { level: 2 } },
    rejections: [],
  });
  expect(readUser(keepAll(secret, shop), '8', user, shop).row).toBeUndefined();
});
