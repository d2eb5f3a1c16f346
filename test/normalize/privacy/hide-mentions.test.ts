import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../src/model/json.ts';
import { findContacts } from '../../../src/normalize/privacy/identifiers.ts';
import { hideMentions, keepFields } from '../../../src/normalize/privacy/strip-records.ts';
import { normalizeOrder } from '../../../src/normalize/order.ts';

const isPersonal = (text: string) => text.includes('Ivan');

describe('what somebody else said of a person', () => {
  const hide = (kind: 'order' | 'content' | 'user', record: JsonObject) =>
    hideMentions(kind, record, isPersonal);

  test('is removed from every text, at any depth, and all else stays', () => {
    const record = {
      comment: 'call Ivan',
      fio: 'Anna',
      count: 5,
      none: null,
      list: ['Ivan', 'Anna', { deep: 'Ivan', other: 1, 'Ivan is a key': 1 }],
    };
    const clean = { ...record, comment: null, list: [null, 'Anna', { deep: null, other: 1 }] };
    expect(hide('order', record)).toEqual(clean);
    expect(hide('user', record)).toEqual(clean);
  });

  test('is removed from the names of fields, too', () => {
    for (const kind of ['order', 'content', 'user'] as const) {
      expect(hide(kind, { 'for Ivan': 1, size: 'M' })).toEqual({ size: 'M' });
    }
  });

  test('is removed from statuses of orders, which stay statuses', () => {
    const record = { status: 'for Ivan', pay_status: 'P' };
    expect(hide('order', record)).toEqual({ status: '(hidden)', pay_status: 'P' });
    expect(hide('order', { status: 5 })).toEqual({ status: 5 });
    const isPhone = (text: string) => text === '79165551234';
    expect(hideMentions('order', { status: 79_165_551_234 }, isPhone)).toEqual({ status: '(hidden)' });
    expect(hide('user', record)).toEqual({ status: null, pay_status: 'P' });
  });

  test('is found in fields of which an entry cannot be read, or that a page escaped', () => {
    const holds = (text: string) => findContacts(text).some(({ value }) => value === 'a@b.example');
    const hidden = (fields: string) => hideMentions('order', { fields }, holds)['fields'];
    const odd = 'a:3:{s:1:"x";s:9:"Anna";s:1:"y";s:11:"a@b.example";s:1:"z";i:1;}';
    expect(hidden(odd)).toEqual({ y: null, z: 1 });
    expect(hidden('a:2:{s:1:"x";d:INF;s:1:"z";i:1;}')).toBe('a:2:{s:1:"x";d:INF;s:1:"z";i:1;}');
    expect(hidden('a:2:{s:1:"x";s:99:"a@b.example";s:1:"z";i:1;}')).toEqual({ z: 1 });
    const escaped = 'a:1:{s:1:&quot;x&quot;;s:11:&quot;a&#64;b.example&quot;;}';
    expect(hidden(escaped)).toEqual({ x: null });
  });

  test('is not looked for in fields that nobody writes into', () => {
    expect(hide('order', { order_id: 'Ivan', summ: 'Ivan', delivery: 'Ivan' })).toEqual({
      order_id: 'Ivan',
      summ: 'Ivan',
      delivery: null,
    });
    expect(hide('user', { visible: 'Ivan', summ: 'Ivan' })).toEqual({ visible: 'Ivan', summ: null });
    expect(
      hide('content', { success: 'Ivan', ordercontent: [{ oid: 'Ivan', price: 'Ivan', name: 'Ivan' }] }),
    ).toEqual({
      success: 'Ivan',
      ordercontent: [{ oid: 'Ivan', price: 'Ivan', name: null }],
    });
  });

  test('is removed from what is called as a figure of a line elsewhere', () => {
    const [figures, hidden] = [
      { total: 'Ivan', oid: 'Ivan' },
      { total: null, oid: null },
    ];
    const record = { extra: figures, fields: { size: figures }, price: 'Ivan' };
    const clean = { extra: hidden, fields: { size: hidden }, price: null };
    expect(hide('order', record)).toEqual(clean);
    expect(hide('user', record)).toEqual(clean);
    expect(keepFields({ size: figures }, new Set(['size']), isPersonal)).toEqual({ size: hidden });
  });

  test('is removed from numbers, too', () => {
    const isNumber = (text: string) => text === '5551234' || text === 'true';
    const numbers = { a: 5_551_234, b: 5, c: [true, null, '5551234'], d: JSON.rawJSON('5551234') };
    const clean = hideMentions('order', numbers, isNumber);
    expect(clean).toEqual({ a: null, b: 5, c: [null, null, null], d: null });
  });

  test('is removed from figures of a line that are none', () => {
    const line = { price: 'Ivan@mail.example', count: ['Ivan'], weight: { to: 'Ivan' }, articul: 'Ivan' };
    expect(hide('content', { ordercontent: [line] })).toEqual({
      ordercontent: [{ price: null, count: [null], weight: { to: null }, articul: null }],
    });
    const isNumber = (text: string) => text.includes('5551234');
    expect(
      hideMentions('content', { ordercontent: [{ oid: 5_551_234, engraving: 5_551_234 }] }, isNumber),
    ).toEqual({
      ordercontent: [{ oid: 5_551_234, engraving: null }],
    });
  });

  test.each([
    ['a phone number with a slash', String.raw`{"c":"030\/1234567","d":"tea"}`],
    ['one with blanks that do not break', String.raw`{"c":"0\u00a030\u00a0123\u00a045\u00a067","d":"tea"}`],
    ['an address in a line of its own', String.raw`{"c":"mail\nivan@mail.example","d":"tea"}`],
    ['an address after such a blank', String.raw`{"c":"mail\u00a0ivan@mail.example","d":"tea"}`],
  ])('is removed from serialized fields however they spell it: %s', (_what, fields) => {
    const of = ['0301234567', 'ivan@mail.example'];
    const isContact = (text: string) => findContacts(text).some(({ value }) => of.includes(value));
    expect(hideMentions('order', { fields }, isContact)).toEqual({ fields: { c: null, d: 'tea' } });
  });

  test('is removed from extra fields; serialized ones stay as they were sent if nothing is', () => {
    const sent = 'a:1:{s:6:"source";s:3:"Ads";}';
    expect(hide('order', { fields: sent })).toEqual({ fields: sent });
    const hidden = hide('order', {
      order_id: 1,
      fields: 'a:2:{s:6:"source";s:4:"Ivan";s:4:"size";s:1:"M";}',
    });
    const { person } = normalizeOrder(hidden, { timezone: 'UTC', guestSecret: 'x' });
    expect(person?.fields).toEqual({
      source: { value: null, name: null, label: null },
      size: { value: 'M', name: null, label: null },
    });
    expect(hide('order', { fields: { source: 'Ivan', other: 'x' } })).toEqual({
      fields: { source: null, other: 'x' },
    });
    const serialized = 'a:1:{s:6:"source";s:4:"Ivan";}';
    expect(hide('user', { fields: serialized })).toEqual({ fields: null });
    expect(hide('order', { comment: serialized })).toEqual({ comment: null });
  });

  test('is removed with fields that cannot be read, but mention the person', () => {
    expect(hide('order', { fields: 'not serialized, by Ivan' })).toEqual({ fields: null });
    expect(hide('order', { fields: 'not serialized' })).toEqual({ fields: 'not serialized' });
  });
});
