import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../src/json.ts';
import {
  type Scrubbing,
  scrubContent,
  scrubOrder,
  scrubUser,
  withoutMentions,
} from '../../../src/normalize/privacy/scrub-records.ts';

const scrubbing: Scrubbing = {
  shop: { timezone: 'Europe/Berlin' },
  fields: {
    isKept: (key, part, text) => key === 'source' && (part !== 'value' || text === 'Ads'),
    isShared: () => false,
  },
  isPersonal: (text) => text.includes('Ivan'),
  shownCodes: new Set(['status custom', 'pay_status paid-later']),
};

describe('an order without its person', () => {
  test('has statuses of the platform, and those that are categories of the shop', () => {
    const statuses = (status: string, paid: string) => scrubOrder({ status, pay_status: paid }, scrubbing);
    expect(statuses('A', 'NEW')).toEqual({ status: 'A', pay_status: 'NEW' });
    expect(statuses('custom', 'paid-later')).toEqual({ status: 'custom', pay_status: 'paid-later' });
    expect(statuses('paid-later', 'custom')).toEqual({ status: '(rare)', pay_status: '(rare)' });
    expect(statuses('ABCD', 'x')).toEqual({ status: '(rare)', pay_status: '(rare)' });
    expect(scrubOrder({ status: '', pay_status: null }, scrubbing)).toEqual({ status: '', pay_status: null });
    expect(scrubOrder({ summ: '5' }, scrubbing)).toEqual({ summ: '5' });
  });

  test('keeps fields that are empty, and drops those that are not known', () => {
    expect(
      scrubOrder({ summ: null, paid: ' ', currency: '', extra: 'x', constructor: 'x' }, scrubbing),
    ).toEqual({
      summ: null,
      paid: ' ',
      currency: '',
    });
  });

  test('keeps a text unless it names the person, and a figure if it is one', () => {
    const row = { delivery: 'Courier', pay_method: 'cash', order_id: 'Ivan', summ: 'Ivan', count: 5 };
    expect(scrubOrder(row, scrubbing)).toEqual({ ...row, order_id: '?', summ: '?' });
    expect(scrubOrder({ delivery: 'for Ivan', pay_method: 'Ivan' }, scrubbing)).toEqual({
      delivery: null,
      pay_method: null,
    });
  });

  test('has its extra fields without what was typed into them', () => {
    const fields = (value: string) => scrubOrder({ fields: { source: { value } } }, scrubbing)['fields'];
    expect(fields('Ads')).toEqual({ source: { value: 'Ads', name: null, runame: null } });
    expect(fields('Radio')).toEqual({ source: { value: 'erased', name: null, runame: null } });
    expect(scrubOrder({ fields: 'x' }, scrubbing)).toEqual({ fields: null });
  });
});

describe('the content of an order without its person', () => {
  const line = { oid: '1_a', name: 'Mug', engraving: 'Ivan' };
  const kept = { oid: '1_a', name: 'Mug' };

  test.each<[string, JsonObject, JsonObject]>([
    ['a list', { ordercontent: [line, 'Ivan', null] }, { ordercontent: [kept, null, null] }],
    ['an object', { ordercontent: { x: line } }, { ordercontent: { x: kept } }],
    ['a text', { ordercontent: 'Ivan' }, { ordercontent: null }],
    ['another name', { content: [line] }, { content: [kept] }],
    [
      'an object of that',
      { content: { ordercontent: [line], buyer: 'Ivan' } },
      { content: { ordercontent: [kept] } },
    ],
    ['an object of lines under that', { content: { x: line } }, { content: { x: kept } }],
    ['nothing', { success: 1, order_id: 7, buyer: 'Ivan' }, { success: 1, order_id: 7 }],
  ])('with lines in %s', (_name, answer, expected) => {
    expect(scrubContent(answer, scrubbing)).toEqual(expected);
  });
});

describe('a user without the person', () => {
  test('keeps the account, and the fields of the shop that the policy keeps', () => {
    const content = { level: '2', source: 'Ads', phone: '1', other: 'Ads' };
    expect(scrubUser({ oid: 7, login: 'ivan', visible: 'Y', content }, scrubbing)).toEqual({
      oid: 7,
      visible: 'Y',
      content: { level: '2', source: 'Ads' },
    });
    expect(scrubUser({ content: { level: 'Ivan', source: 'Radio' } }, scrubbing)).toEqual({
      content: { level: '?' },
    });
    expect(scrubUser({ content: { source: 5 } }, scrubbing)).toEqual({ content: { source: 5 } });
  });

  test('keeps no documented field of a person, whatever the policy says', () => {
    const all = { ...scrubbing, fields: { isKept: () => true, isShared: () => true } };
    const fields = ['login', 'email', 'phone', 'name', 'org_name', 'gender', 'address', 'images', 'size'];
    const content = Object.fromEntries(fields.map((field) => [field, 'x']));
    expect(scrubUser({ content }, all)).toEqual({ content: { size: 'x' } });
  });

  test('keeps no content that is not an object', () => {
    expect(scrubUser({ oid: 7, content: 'Ivan' }, scrubbing)).toEqual({ oid: 7, content: null });
    expect(scrubUser({ oid: 7 }, scrubbing)).toEqual({ oid: 7 });
  });
});

describe('what somebody else said of a person', () => {
  const hide = (kind: 'order' | 'content' | 'user', record: JsonObject) =>
    withoutMentions(kind, record, scrubbing);

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

  test('is removed from statuses of orders, which stay statuses', () => {
    const record = { status: 'for Ivan', pay_status: 'P' };
    expect(hide('order', record)).toEqual({ status: '(rare)', pay_status: 'P' });
    expect(hide('order', { status: 5 })).toEqual({ status: 5 });
    expect(hide('user', record)).toEqual({ status: null, pay_status: 'P' });
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

  test('is removed from numbers, too', () => {
    const isPersonal = (text: string) => text === '5551234' || text === 'true';
    const clean = withoutMentions(
      'order',
      { a: 5_551_234, b: 5, c: [true, null] },
      { ...scrubbing, isPersonal },
    );
    expect(clean).toEqual({ a: null, b: 5, c: [null, null] });
  });

  test('is removed from extra fields; serialized ones stay as they were sent if nothing is', () => {
    const sent = 'a:1:{s:6:"source";s:3:"Ads";}';
    const hidden = { source: { value: 'erased', name: null, runame: null } };
    expect(hide('order', { fields: sent })).toEqual({ fields: sent });
    expect(hide('order', { fields: 'a:1:{s:6:"source";s:4:"Ivan";}' })).toEqual({ fields: hidden });
    expect(hide('order', { fields: { source: 'Ivan', other: 'x' } })).toEqual({
      fields: { source: null, other: 'x' },
    });
    expect(hide('user', { fields: 'a:1:{s:6:"source";s:4:"Ivan";}' })).toEqual({ fields: null });
  });
});
