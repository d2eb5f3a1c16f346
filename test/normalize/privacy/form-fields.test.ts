import { expect, test } from 'vitest';

import { type FieldPolicy, hideFields } from '../../../src/normalize/privacy/form-fields.ts';
import { normalizeOrder } from '../../../src/normalize/order.ts';

const policy = (kept: readonly string[], shared: readonly string[] = []): FieldPolicy => ({
  isKept: (key, part, text) => kept.includes(`${key} ${part} ${text}`),
  isShared: (key, part, text) => shared.includes(`${key} ${part} ${text}`),
});
const FIELDS = { gift: { value: 'Yes', name: 'g', runame: 'Gift?' }, f2: 'Ivan', erased: '' };

test('texts that the policy does not keep are hidden, each for itself, and every entry stays', () => {
  const hidden = {
    'erased 2': { value: 'erased', name: null, runame: null },
    'erased 3': { value: '', name: null, runame: null },
  };
  expect(hideFields(FIELDS, policy([]))).toEqual({
    'erased 1': { value: 'erased', name: null, runame: null },
    ...hidden,
  });
  const all = ['key gift', 'value Yes', 'name g', 'label Gift?'].map((text) => `gift ${text}`);
  expect(hideFields(FIELDS, policy(all))).toEqual({ gift: FIELDS.gift, ...hidden });
  expect(hideFields(FIELDS, policy(['gift key gift', 'gift label Gift?']))).toEqual({
    gift: { value: 'erased', name: null, runame: 'Gift?' },
    ...hidden,
  });
});

test('what names the person is hidden though the policy keeps it, unless many share it', () => {
  const texts = ['f key f', 'f value Ivan'];
  const isPersonal = (text: string) => text === 'Ivan';
  const value = (given: FieldPolicy) => hideFields({ f: 'Ivan' }, given, isPersonal)?.['f'];
  expect(value(policy(texts))).toMatchObject({ value: 'erased' });
  expect(value(policy(texts, texts))).toMatchObject({ value: 'Ivan' });
  expect(value(policy([], texts))).toMatchObject({ value: 'Ivan' });
});

test('values that are no texts are hidden, unless they are empty', () => {
  const values = (value: number | null | readonly string[]) =>
    Object.values(hideFields({ f: { value } }, policy(['f value 5'])) ?? {});
  expect([5, null, ['Ivan']].map(values)).toEqual(
    ['erased', null, 'erased'].map((value) => [{ value, name: null, runame: null }]),
  );
  expect(Object.values(hideFields({ f: ' ' }, policy([])) ?? {})).toMatchObject([{ value: ' ' }]);
});

test('hidden fields are hidden the same way again, and normalize to themselves', () => {
  const hidden = hideFields(FIELDS, policy(['gift key gift', 'gift label Gift?']));
  expect(hideFields(hidden, policy(['gift key gift', 'gift label Gift?', 'gift value erased']))).toEqual(
    hidden,
  );
  const row = (fields: typeof hidden) =>
    normalizeOrder({ order_id: 1, fields }, { timezone: 'UTC', guestSecret: 'x' }).row?.fields;
  expect(row(hidden)).toEqual({
    gift: { value: 'erased', name: null, label: 'Gift?' },
    'erased 2': { value: 'erased', name: null, label: null },
    'erased 3': { value: '', name: null, label: null },
  });
  expect(
    Object.keys(hideFields({ 'erased 7': 'x', 'erased 7b': 'x', 'not erased 7': 'x' }, policy([])) ?? {}),
  ).toEqual(['erased 7', 'erased 2', 'erased 3']);
});

test('fields that cannot be read are none', () => {
  for (const fields of ['x', 5, null, {}]) expect(hideFields(fields, policy([]))).toBeNull();
});
