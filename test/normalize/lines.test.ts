import { expect, test } from 'vitest';

import { type JsonObject, type JsonValue, parseJson } from '../../src/model/json.ts';
import { normalizeLines } from '../../src/normalize/lines.ts';

const wire: JsonObject = {
  oid: '123_hash',
  code: 'c1',
  name: 'Mug',
  count: 2,
  price: '90,00',
  total: 180,
  articul: 'M-1',
  discount: '10%',
  oldprice: 100,
  oldtotal: '200.00',
};

const row = {
  order_id: '1001',
  line_no: 1,
  line_oid: '123_hash',
  product_oid: '123',
  spec_hash: 'hash',
  withheld: 0,
  code: 'c1',
  product_name: 'Mug',
  sku: 'M-1',
  quantity: '2.000',
  unit_price: '90.00',
  line_total: '180.00',
  list_price: '100.00',
  list_total: '200.00',
  discount_raw: '10%',
  discount_percent: '10.0000',
};

test('a line is read into typed columns', () => {
  expect(normalizeLines('1001', [wire])).toEqual({ rows: [row], rejections: [] });
});

test('an order without lines has none', () => {
  expect(normalizeLines('1001', [])).toEqual({ rows: [], rejections: [] });
});

const oids: [oid: JsonValue, parts: (string | null)[], rejected: boolean][] = [
  ['123_a_b', ['123_a_b', '123', 'a_b'], false],
  ['123', ['123', '123', null], false],
  [123, ['123', '123', null], false],
  ['123_', ['123_', '123', null], false],
  ['', [null, null, null], false],
  ['_hash', ['_hash', null, 'hash'], true],
  ['abc_hash', ['abc_hash', null, 'hash'], true],
  ['12345678901234567890_h', ['12345678901234567890_h', null, 'h'], true],
  ['9223372036854775807_h', ['9223372036854775807_h', '9223372036854775807', 'h'], false],
  [parseJson('9007199254740993'), ['9007199254740993', '9007199254740993', null], false],
  [{}, [null, null, null], true],
];

test.each(oids)('the line oid %j is split into product and specification', (oid, parts, isRejected) => {
  const { rows, rejections } = normalizeLines('1001', [{ ...wire, oid }]);
  expect(rows.map((line) => [line.line_oid, line.product_oid, line.spec_hash])).toEqual([parts]);
  expect(rejections.map(({ field }) => field)).toEqual(isRejected ? ['oid'] : []);
});

test('lines keep their positions when one of them is not an object', () => {
  const { rows, rejections } = normalizeLines('1001', [wire, 'broken', null, { ...wire, price: 'free' }]);
  expect(rows.map((line) => line.line_no)).toEqual([1, 4]);
  expect(rows[1]?.unit_price).toBeNull();
  const of = { resource: 'content', sourceKey: '1001' };
  const noLine = { ...of, field: 'ordercontent', reason: 'an element of the content is not an object' };
  expect(rejections).toEqual([
    { ...noLine, value: 'broken' },
    { ...noLine, value: null },
    { ...of, field: 'price', reason: 'not an amount of money', value: 'free' },
  ]);
});

test('the same problem in many lines is one rejection; another value is another', () => {
  const bad = { ...wire, price: 'free' };
  const { rejections } = normalizeLines('1001', [bad, bad, { ...wire, price: 'gratis' }]);
  expect(rejections.map(({ value }) => value)).toEqual(['free', 'gratis']);
});

test('lines past 32767 are left out, and counted', () => {
  const many = Array.from({ length: 32_770 }, () => wire);
  const read = (length: number) => normalizeLines('1001', many.slice(0, length));
  expect(read(32_767).rejections).toEqual([]);
  const { rows, rejections } = read(32_770);
  expect(rows).toHaveLength(32_767);
  expect(rows.at(-1)?.line_no).toBe(32_767);
  const reason = 'lines past the first 32767 were left out';
  expect(rejections).toEqual([expect.objectContaining({ field: 'ordercontent', reason, value: '3' })]);
});
