import { getTableConfig } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';

import { type JsonObject, type JsonValue, parseJson } from '../../src/model/json.ts';
import {
  ORDER_COLUMNS,
  ORDER_FIELDS,
  PERSON_COLUMNS,
  PERSON_FIELDS,
} from '../../src/normalize/order-fields.ts';
import { normalizeOrder } from '../../src/normalize/order.ts';
import { orderPersons, orders } from '../../src/warehouse/schema/orders.ts';

const context = { timezone: 'Europe/Moscow', guestSecret: 'a key' };

const wire: JsonObject = {
  order_id: '1001',
  phone: '+7 900 123-45-67',
  email: 'anna@mail.example',
  address: 'Lenina 1',
  comment: '',
  fio: 'Анна',
  fields: 'a:1:{s:4:"gift";a:3:{s:5:"value";s:3:"yes";s:4:"name";s:4:"gift";s:6:"runame";s:14:"Подарок";}}',
  status: 'A',
  pay_status: 'HP',
  currency: 'RUB',
  pay_method: 'card',
  summ: '1 234,50',
  count: '3.0',
  paid: 100,
  discount: '10 %',
  delivery: 'Courier',
  delivery_id: 12,
  delivery_price: '0',
  weight: 1.25,
  master_oid: 42,
  views: 7,
  user_unique_key: 'abc',
  color: '',
  users: '',
  created: '03.02.2025',
  updated: '2025-02-04 10:11:12',
  time: '09:05',
  hash: 'deadbeef',
};

test('a whole order is read into typed columns, and its person into columns of its own', () => {
  expect(normalizeOrder(wire, context)).toEqual({
    row: {
      order_id: '1001',
      status_code: 'A',
      pay_status_code: 'HP',
      color: null,
      buyer_oid: '42',
      is_guest: false,
      customer_key: 'u:42',
      created_on: '2025-02-03',
      created_local: '2025-02-03T09:05:00',
      created_at: Temporal.Instant.from('2025-02-03T06:05:00Z'),
      updated_local: '2025-02-04T10:11:12',
      updated_at: Temporal.Instant.from('2025-02-04T07:11:12Z'),
      currency: 'RUB',
      pay_method: 'card',
      order_sum: '1234.50',
      paid_amount: '100.00',
      delivery_price: '0.00',
      discount_raw: '10 %',
      discount_percent: '10.0000',
      item_count: '3.000',
      weight: '1.250',
      delivery_name: 'Courier',
      delivery_id: '12',
      order_hash: 'deadbeef',
      views: 7,
      withheld: 0,
    },
    person: {
      buyer_name: 'Анна',
      buyer_email: 'anna@mail.example',
      buyer_phone: '+7 900 123-45-67',
      buyer_address: 'Lenina 1',
      comment: null,
      fields: { gift: { value: 'yes', name: 'gift', label: 'Подарок' } },
    },
    rejections: [],
  });
});

test('null, empty, blank and absent values mean the same, and an order with only an id has no rejection', () => {
  const bare = normalizeOrder({ order_id: 1 }, context);
  expect(bare.rejections).toEqual([]);
  expect(bare.row).toMatchObject({
    status_code: '',
    pay_status_code: '',
    is_guest: true,
    customer_key: 'o:1',
  });
  for (const nothing of [null, '', '  ']) {
    const row = Object.fromEntries(Object.keys(wire).map((field) => [field, nothing]));
    expect(normalizeOrder({ ...row, order_id: 1 }, context)).toEqual(bare);
  }
});

const unusable: [id: JsonValue | undefined, value: string | null][] = [
  ['12345678901234567890', '12345678901234567890'],
  [parseJson('12345678901234567890'), '12345678901234567890'],
  ['A-1', 'A-1'],
  [undefined, null],
  ['', ''],
  [{ id: 1 }, '{"id":1}'],
];

test.each(unusable)('an order whose id is %j gives no row but one rejection', (id, value) => {
  const row = id === undefined ? { summ: 'x' } : { order_id: id, summ: 'x' };
  const reason = 'not a whole number in the range of 64 bits';
  expect(normalizeOrder(row, context)).toEqual({
    row: undefined,
    rejections: [{ resource: 'order', sourceKey: null, field: null, reason, value }],
  });
});

const fields: [field: string, wire: JsonValue, column: string, value: JsonValue, rejected: boolean][] = [
  ['status', ' my status ', 'status_code', 'my status', false],
  ['status', ['A'], 'status_code', '', true],
  ['pay_status', 'x'.repeat(9999), 'pay_status_code', '', true],
  ['currency', ' RUB ', 'currency', 'RUB', false],
  ['master_oid', 0, 'buyer_oid', null, false],
  ['master_oid', '12345678901234567890', 'buyer_oid', null, true],
  ['master_oid', parseJson('9007199254740993'), 'buyer_oid', '9007199254740993', false],
  ['delivery_id', '1.5', 'delivery_id', null, true],
  ['summ', 'NaN', 'order_sum', null, true],
  ['paid', '1e12', 'paid_amount', null, true],
  ['delivery_price', 'free', 'delivery_price', null, true],
  ['weight', '1,5', 'weight', '1.500', false],
  ['count', '2.5', 'item_count', '2.500', false],
  ['count', '3000000000', 'item_count', '3000000000.000', false],
  ['views', 'many', 'views', null, true],
  ['discount', '500', 'discount_percent', null, false],
  ['discount', '500', 'discount_raw', '500', false],
  ['discount', 'ten %', 'discount_percent', null, true],
  ['discount', {}, 'discount_raw', null, true],
  ['updated', '0000-00-00 00:00:00', 'updated_at', null, false],
  ['updated', 'now', 'updated_at', null, true],
  ['time', '25:99', 'created_local', '2025-02-03T00:00:00', true],
  ['time', null, 'created_local', '2025-02-03T00:00:00', false],
  ['time', '23:59:58', 'created_local', '2025-02-03T23:59:58', false],
  ['comment', { text: 'x' }, 'comment', null, true],
  ['comment', 'a\0b', 'comment', 'ab', true],
  ['fio', '\ud800', 'buyer_name', '?', true],
  ['phone', 79001234567, 'buyer_phone', '79001234567', false],
  ['fields', 'not serialized', 'fields', null, true],
];

test.each(fields)('%s = %j: %s is %j', (field, sent, column, value, isRejected) => {
  const { row, person, rejections } = normalizeOrder({ ...wire, [field]: sent }, context);
  expect({ ...row, ...person }).toHaveProperty(column, value);
  expect(rejections.map((rejection) => [rejection.resource, rejection.sourceKey, rejection.field])).toEqual(
    isRejected ? [['order', '1001', field]] : [],
  );
});

test.each(['31.02.2025', 'infinity', '00.00.0000', '', null])(
  'a date of %j takes the time of day with it, and both losses are named',
  (created) => {
    const { row, rejections } = normalizeOrder({ ...wire, created }, context);
    expect(row).toMatchObject({ created_on: null, created_local: null, created_at: null });
    const isMistake = created === '31.02.2025' || created === 'infinity';
    expect(rejections.map(({ field }) => field)).toEqual(isMistake ? ['created', 'time'] : ['time']);
    expect(rejections.at(-1)).toMatchObject({ reason: 'a time of day without a date', value: '09:05' });
  },
);

test('a reason is the same sentence for every value, with the value beside it', () => {
  const reject = (summ: string) => normalizeOrder({ ...wire, summ }, context).rejections;
  expect(reject('cheap')).toEqual([{ ...reject('dear')[0], value: 'cheap' }]);
  expect(reject(`x${'\0'.repeat(9)}${'y'.repeat(999)}`)[0]?.value).toMatch(/^xy{490}$/);
});

test('the guest account is a guest, and guests are identified by their contacts', () => {
  const guest = (more: JsonObject) => normalizeOrder({ ...wire, ...more }, context).row;
  expect(guest({ master_oid: 6 })).toMatchObject({ buyer_oid: '6', is_guest: true });
  const key = guest({ master_oid: 6 })?.customer_key;
  expect(key).toMatch(/^g:[0-9a-f]{32}$/);
  expect(guest({ master_oid: '', email: ' ANNA@mail.example', phone: '' })?.customer_key).toBe(key);
  expect(guest({ master_oid: 6, email: ['x'], phone: {} })?.customer_key).toBe('o:1001');
});

test('no field is both of the order and of its person, so that no column of a person is where the order is', () => {
  const [ofPerson, ofOrder] = [PERSON_COLUMNS, ORDER_COLUMNS].map((table) => new Set(Object.keys(table)));
  expect([...PERSON_FIELDS.keys()].filter((field) => ORDER_FIELDS.has(field))).toEqual([]);
  const tables = [orders, orderPersons].map(
    (table) => new Set(getTableConfig(table).columns.map(({ name }) => name)),
  );
  expect(tables[0]?.intersection(ofPerson ?? new Set())).toEqual(new Set());
  expect(tables[1]?.intersection(ofOrder ?? new Set())).toEqual(new Set());
});
