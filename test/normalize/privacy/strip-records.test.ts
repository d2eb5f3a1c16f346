import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../../src/model/json.ts';
import {
  hideInColumns,
  keepFields,
  keepProfile,
  stripOrder,
  type TypedColumns,
} from '../../../src/normalize/privacy/strip-records.ts';

const isPersonal = (text: string) => text.includes('Ivan');
const options = {
  checksForm: true,
  isPersonal,
  isKnownCode: (column: string, code: string) => `${column} ${code}` === 'status_code für Anna',
};
const EMPTY: TypedColumns = {
  color: null,
  currency: null,
  pay_method: null,
  discount_raw: null,
  delivery_name: null,
  order_hash: null,
  status_code: '',
  pay_status_code: '',
};
const strip = (row: Partial<TypedColumns>) => stripOrder({ ...EMPTY, ...row }, options);
const NOTHING = { columns: {}, fields: {} };

describe('an order without its person', () => {
  test('has statuses that look like codes, and those that are categories of the shop', () => {
    const codes = (status_code: string, pay_status_code: string) => strip({ status_code, pay_status_code });
    expect(codes('A', 'NEW')).toEqual(NOTHING);
    expect(codes('custom_1', 'PAID-later')).toEqual(NOTHING);
    expect(codes('x'.repeat(16), '7')).toEqual(NOTHING);
    expect(codes('für Anna', '')).toEqual(NOTHING);
    expect(codes('', '(hidden)')).toEqual(NOTHING);
    const hidden = {
      columns: { status_code: '(hidden)', pay_status_code: '(hidden)' },
      fields: { status: '(hidden)', pay_status: '(hidden)' },
    };
    expect(codes('x'.repeat(17), 'für Anna')).toEqual(hidden);
    expect(codes('two words', 'a.b')).toEqual(hidden);
    expect(codes('Анна', 'a\n'), 'the form of a code holds for the whole of it').toEqual(hidden);
    expect(codes('Ivan', 'Ivanova'), 'though they look like codes').toEqual(hidden);
  });

  test('keeps a text that looks as it should and does not name the person', () => {
    const good = {
      color: '#ff0000',
      currency: 'EUR',
      pay_method: 'cash',
      discount_raw: '10%',
      delivery_name: 'Courier',
    };
    expect(strip(good)).toEqual(NOTHING);
    const columns = {
      color: null,
      currency: null,
      pay_method: null,
      discount_raw: null,
      delivery_name: null,
    };
    const fields = { color: null, currency: null, pay_method: null, discount: null, delivery: null };
    const bad = { color: 'dark red', currency: 'RUBLE', pay_method: '1234567', discount_raw: 'ten' };
    expect(strip({ ...bad, delivery_name: '12.04.1985' })).toEqual({ columns, fields });
    expect(strip({ color: 'Ivan', pay_method: 'Ivan', delivery_name: 'for Ivan' })).toEqual({
      columns: { color: null, pay_method: null, delivery_name: null },
      fields: { color: null, pay_method: null, delivery: null },
    });
  });

  test('has no key of its page', () => {
    expect(strip({ order_hash: 'abc' })).toEqual({ columns: { order_hash: null }, fields: { hash: null } });
  });
});

test('of an order of somebody else, only what mentions the person goes, whatever it looks like', () => {
  const row = {
    ...EMPTY,
    color: 'dark red',
    delivery_name: 'for Ivan',
    order_hash: 'abc',
    status_code: 'two words',
    pay_status_code: 'by Ivan',
  };
  expect(hideInColumns(row, isPersonal)).toEqual({
    columns: { delivery_name: null, pay_status_code: '(hidden)' },
    fields: { delivery: null, pay_status: '(hidden)' },
  });
  expect(hideInColumns({ ...row, status_code: 'IvanP' }, isPersonal).columns).toHaveProperty(
    'status_code',
    '(hidden)',
  );
  expect(hideInColumns(row, () => false)).toEqual(NOTHING);
});

describe('extra fields', () => {
  const field = (value: JsonValue, name: string | null = null, label: string | null = null) => ({
    value,
    name,
    label,
  });
  const kept = (fields: JsonValue, ...names: readonly string[]) =>
    keepFields(fields, new Set(names), isPersonal);

  test('are kept if the owner keeps them, each for itself, and the others leave no trace', () => {
    const fields = { source: field('Ads', 'source', 'Source?'), f1: field('Anna'), f2: field('') };
    expect(kept(fields, 'source')).toEqual({ source: fields.source });
    expect(kept(fields, 'source', 'f2')).toEqual({ source: fields.source, f2: fields.f2 });
    expect(kept(fields)).toBeNull();
    expect(kept(fields, 'Source')).toBeNull();
  });

  test('lose what names the person, in value, name and label, at any depth', () => {
    const fields = { source: field({ to: ['Ivan', 'tea'], Ivan: 1 }, 'by Ivan', 'Ivan?') };
    expect(kept(fields, 'source')).toEqual({ source: field({ to: [null, 'tea'] }) });
    expect(kept({ source: field('for Ivan') }, 'source')).toEqual({ source: field(null) });
    expect(kept({ source: field(5) }, 'source')).toEqual({ source: field(5) });
  });

  test('that cannot be read are none', () => {
    for (const fields of ['source', 5, null, {}, ['source']]) expect(kept(fields, 'source', '0')).toBeNull();
  });
});

test('no documented field of a person is kept of a profile, whatever the settings say', () => {
  const names = ['login', 'email', 'phone', 'name', 'org_name', 'gender', 'address', 'images', 'size'];
  const content: JsonObject = Object.fromEntries(names.map((name) => [name, 'x']));
  expect(keepProfile(content, new Set(names), isPersonal)).toEqual({ size: 'x' });
  expect(keepProfile({ size: 'Ivan', list: ['x', 'Ivan'] }, new Set(['size', 'list']), isPersonal)).toEqual({
    size: null,
    list: ['x', null],
  });
  expect(keepProfile('Ivan', new Set(['size']), isPersonal)).toBeNull();
});
