import { describe, expect, test } from 'vitest';

import { guestKey } from '../../../src/normalize/customer-key.ts';
import { joinOrder } from '../../../src/normalize/privacy/records.ts';
import type { Identifier } from '../../../src/normalize/privacy/identifiers.ts';
import type { Privacy } from '../../../src/normalize/privacy/privacy.ts';
import { hashesOf, makePrivacy, SECRET } from './make-privacy.ts';

const EMAIL: Identifier = { kind: 'email', value: 'ivan@mail.example' };
const ACCOUNT: Identifier = { kind: 'user', value: '17' };

const make = (erased: readonly Identifier[], isPseudonymizing = false) =>
  makePrivacy({ keptFields: new Set(['size']), isPseudonymizing, erased: hashesOf(...erased) });

/** The record as a replay puts it together. */
const joined = ({ payload, person }: ReturnType<Privacy['order']>) =>
  person && joinOrder(payload, person, person.rest);

describe('after an account was erased', () => {
  const privacy = make([ACCOUNT]);
  const standIn = privacy.erased.standIn('17');

  test('its orders are stored under a number that stands for it, and nothing of the person is', () => {
    expect(BigInt(standIn)).toBeLessThan(0n);
    const of = { order_id: '1', summ: '5' };
    const sent = { ...of, master_oid: '17', fio: 'Ivan', fields: { size: 'M' }, note: 'x' };
    const read = privacy.order(sent);
    expect(read.payload).toEqual({ ...of, master_oid: standIn });
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
    const sent = { order_id: '1', master_oid: '18', fio: 'Petra', summ: 'see Ivan@mail.example' };
    const read = privacy.order(sent);
    expect(read).toMatchObject({ isStripped: false, person: { buyer_name: 'Petra' } });
    expect(JSON.stringify([read.payload, read.person])).not.toContain('Ivan');
  });

  test('orders with it are stored without their person, with the key of the guest', () => {
    const key = guestKey(EMAIL.value, SECRET);
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

  test('an order of an account keeps its account, unless that is erased', () => {
    const order = { ...ROW, master_oid: '17' };
    expect(privacy.order(order).row).toMatchObject({ buyer_oid: '17', customer_key: 'u:17' });
    const both = make([EMAIL, ACCOUNT]);
    expect(both.order(order).row?.customer_key).toBe(`u:${both.erased.standIn('17')}`);
  });
});

test('a number in the name of a product is found where it is the phone number of an erased person', () => {
  const erased: Identifier = { kind: 'phone', value: '307654321' };
  const found = [[], [erased]].map((given) => make(given).finder([])('Item 307654321', 'catalogue'));
  expect(found).toEqual([false, true]);
});

test('what is stored already of a person loses an erased contact, and is left alone where it has none', () => {
  const privacy = make([EMAIL]);
  expect(privacy.withoutMentions({ comment: `for ${EMAIL.value}`, rest: { count: 1 } })).toEqual({
    comment: null,
    rest: { count: 1 },
  });
  expect(privacy.withoutMentions({ comment: 'for anna@mail.example' })).toBeUndefined();
});
