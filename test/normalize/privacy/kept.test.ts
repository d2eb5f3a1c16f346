import { describe, expect, test } from 'vitest';

import type { JsonValue } from '../../../src/json.ts';
import {
  catalogText,
  currency,
  discount,
  editedCode,
  editedText,
  type Kept,
  number,
  state,
  textId,
} from '../../../src/normalize/privacy/kept.ts';
import { answerFields, orderFields, userFields } from '../../../src/normalize/privacy/known-fields.ts';

const shop = { timezone: 'Europe/Berlin' };
const isKept = ({ parse }: Kept, value: JsonValue) => parse(value, shop).problems.length === 0;

describe.each<[string, Kept, readonly JsonValue[], readonly JsonValue[]]>([
  ['a state', state, ['x'.repeat(64), true, 5, ''], ['x'.repeat(65), {}]],
  ['an identifier', textId, ['x'.repeat(256), '1234567', ''], ['x'.repeat(257), true]],
  ['a text of the catalogue', catalogText, ['x'.repeat(256), 'Mug 1234567'], ['x'.repeat(257)]],
  [
    'a text that staff may edit',
    editedText,
    ['Courier, 123456', ''],
    ['x'.repeat(257), '12.04.1985', '1   2   3   4   5   6   7'],
  ],
  [
    'a code',
    editedCode,
    ['Cash_on-delivery.1,%#+', 'x'.repeat(32), ' x ', true, 5, ''],
    ['x'.repeat(33), 'two words', 'Наличные', '1234567'],
  ],
  [
    'a discount',
    discount,
    ['10 %', '-5.50', '10,00%', ''],
    ['ten', '1234567', '1'.repeat(6) + ' '.repeat(11) + '%'],
  ],
  ['a currency', currency, ['EUR', '€', 'руб.', 'RUBR', ''], ['RUBLE', '€€', 'E R', '5']],
  ['a number', number, [5, '5', true], ['Ivan', 5.5]],
])('%s', (_name, kept, good, bad) => {
  test('is kept where it is one', () => {
    expect(good.filter((value) => !isKept(kept, value))).toEqual([]);
  });

  test('is dropped where it is none', () => {
    expect(bad.filter((value) => isKept(kept, value))).toEqual([]);
  });
});

test('texts may name a person, and staff may have edited some of them', () => {
  const kinds = ({ isText, isEdited }: Kept) => [isText, isEdited];
  expect([state, textId].map(kinds)).toEqual([
    [true, false],
    [true, false],
  ]);
  expect([catalogText, editedText, editedCode, discount, currency].map(kinds)).toEqual(
    Array.from({ length: 5 }, () => [true, true]),
  );
  expect(kinds(number)).toEqual([false, false]);
});

test('what is kept of each record', () => {
  expect(Object.keys(userFields).toSorted()).toEqual([
    'access',
    'created',
    'master_oid',
    'oid',
    'parent_oid',
    'success',
    'updated',
    'visible',
  ]);
  expect(Object.keys(answerFields).toSorted()).toEqual(['oid', 'order_id', 'success']);
  const personal = [
    'email',
    'phone',
    'fio',
    'address',
    'user_unique_key',
    'comment',
    'fields',
    'hash',
    'users',
  ];
  expect(personal.filter((field) => Object.hasOwn(orderFields, field))).toEqual([]);
});
