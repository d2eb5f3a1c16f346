import { describe, expect, test } from 'vitest';

import { LINE_FIELDS, LINE_TEXTS } from '../../src/normalize/lines.ts';
import { ORDER_FIELDS } from '../../src/normalize/order-fields.ts';
import { USER_FIGURES } from '../../src/normalize/privacy/divide-records.ts';
import {
  currency,
  discount,
  editedCode,
  editedText,
  figure,
  type Kept,
  key,
  state,
} from '../../src/normalize/order-fields.ts';

const isKept = ({ fits }: Kept, text: string) => fits?.(text) !== false;

describe.each<[string, Kept, readonly string[], readonly string[]]>([
  ['a state', state, ['x'.repeat(64), ''], ['x'.repeat(65)]],
  ['a key', key, [], ['abc', '']],
  [
    'a text that staff may edit',
    editedText,
    ['Courier, 123456', '', 'x'.repeat(256)],
    ['x'.repeat(257), '12.04.1985', '1   2   3   4   5   6   7'],
  ],
  [
    'a code',
    editedCode,
    ['Cash_on-delivery.1,%#+', 'x'.repeat(32), ' x ', '5'],
    ['x'.repeat(33), 'two words', 'Наличные', '1234567'],
  ],
  [
    'a discount',
    discount,
    ['10 %', '-5.50', '10,00%'],
    ['ten', '1234567', '1'.repeat(6) + ' '.repeat(11) + '%'],
  ],
  ['a currency', currency, ['EUR', '€', 'руб.', 'RUBR'], ['RUBLE', '€€', 'E R', '5']],
  ['a figure', figure, ['5', '8 916 555 12 34'], []],
])('%s', (_name, kept, good, bad) => {
  test('is kept where it is one', () => {
    expect(good.filter((text) => !isKept(kept, text))).toEqual([]);
  });

  test('is dropped where it is none', () => {
    expect(bad.filter((text) => isKept(kept, text))).toEqual([]);
  });
});

test('texts may name a person, and staff may have edited some of them', () => {
  const kinds = ({ fits, isEdited }: Kept) => [fits !== undefined, isEdited];
  expect(kinds(state)).toEqual([true, false]);
  expect([key, editedText, editedCode, discount, currency].map(kinds)).toEqual(
    Array.from({ length: 5 }, () => [true, true]),
  );
  expect(kinds(figure)).toEqual([false, false]);
});

test('what is kept of each record', () => {
  expect([...USER_FIGURES].toSorted()).toEqual([
    'access',
    'created',
    'master_oid',
    'oid',
    'parent_oid',
    'success',
    'updated',
    'visible',
  ]);
  const personal = ['email', 'phone', 'fio', 'address', 'user_unique_key', 'comment', 'fields', 'users'];
  expect(personal.filter((field) => Object.hasOwn(ORDER_FIELDS, field))).toEqual([]);
  expect(ORDER_FIELDS.hash.kept).toBe(key);
  expect(LINE_TEXTS.filter((field) => !Object.hasOwn(LINE_FIELDS, field))).toEqual([]);
});
