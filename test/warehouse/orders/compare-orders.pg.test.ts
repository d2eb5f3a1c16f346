/** How stored orders and lines are compared with what the shop sent. */
import { beforeAll, expect, test } from 'vitest';

import { findDifferences } from '../../../src/warehouse/orders/compare-orders.ts';
import { fetched, lineRow, orderPerson, type OrderRow, orderToLoad } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const warehouse = fileWarehouse();
let shopId: number;
beforeAll(async () => {
  shopId = await warehouse.newShop();
  const other = await warehouse.newShop();
  const given = (row: Partial<OrderRow>) => [
    ...['1', '2', '3', '4'].map((id) => orderToLoad(id, { row })),
    orderToLoad('5', { row, lines: fetched([]) }),
    orderToLoad('8', { row, person: null }),
  ];
  await warehouse.load(shopId, given({}));
  // Whatever is the same there says nothing.
  await warehouse.load(other, [...given({ color: 'other' }), orderToLoad('6')]);
});

const compare = (...given: Parameters<typeof findDifferences>[2]) =>
  findDifferences(warehouse.db, shopId, given);
const differing = async (...given: Parameters<typeof findDifferences>[2]) => [
  ...new Set((await compare(...given)).map(({ order_id }) => order_id)),
];

test('orders differ by their own columns or their persons, but not by how often they were viewed', async () => {
  const given = [
    orderToLoad('1'),
    orderToLoad('2', { row: { color: 'red' } }),
    orderToLoad('3', { row: { views: 99 } }),
    orderToLoad('4', { person: orderPerson({ comment: 'new' }) }),
    orderToLoad('8', { row: { color: 'red' } }),
  ];
  const asked = given.map(({ row, person }) => ({ orderId: row.order_id, row, person }));
  expect(await differing(...asked)).toEqual(['2', '4', '8']);
  const { row } = orderToLoad('8');
  expect(await differing({ orderId: '8', row, person: orderPerson({ comment: 'new' }) })).toEqual([]);
  expect(await differing()).toEqual([]);
});

test('lines differ by their columns, or by which there are', async () => {
  const lines = (orderId: string, ...numbers: readonly number[]) => ({
    orderId,
    lines: numbers.map((lineNo) => lineRow(orderId, lineNo)),
  });
  const many = Array.from({ length: 12 }, (_, index) => lineRow('7', index + 1));
  await warehouse.load(shopId, [orderToLoad('7', { lines: fetched(many) })]);
  expect(await differing(lines('1', 1, 2), lines('2', 1, 2), { orderId: '7', lines: many })).toEqual([]);
  const given = [lines('1', 1), lines('2', 1, 2), lines('3'), lines('4', 1, 2, 3)];
  expect(await differing(...given, { orderId: '7', lines: many.slice(0, 11) })).toEqual(['1', '3', '4', '7']);
  expect(await differing(lines('5'), lines('1', 1, 3))).toEqual(['1']);
  expect(await differing(lines('5', 1))).toEqual(['5']);
  const changed = { orderId: '2', lines: [lineRow('2', 1), lineRow('2', 2, { sku: 'S' })] };
  expect(await differing(lines('1', 1, 2), changed)).toEqual(['2']);
});

test('each column that differs is named with both values, of the order and of its lines', async () => {
  const [one, none] = [{ orderId: '1' }, null];
  const { row } = orderToLoad('1');
  expect(await compare({ ...one, row, lines: [lineRow('1', 1), lineRow('1', 2)] })).toEqual([]);
  const changed = { ...row, color: 'red', order_sum: '100.0', paid_amount: none };
  const lines = [lineRow('1', 1, { code: 'K' }), lineRow('1', 2, { sku: 'S' })];
  const of = { order_id: '1' };
  expect(await compare({ ...one, row: changed, lines })).toEqual([
    { ...of, line_no: 0, column_name: 'color', shop: 'red', warehouse: none },
    { ...of, line_no: 0, column_name: 'paid_amount', shop: none, warehouse: '0.00' },
    { ...of, line_no: 1, column_name: 'code', shop: 'K', warehouse: 'code' },
    { ...of, line_no: 2, column_name: 'sku', shop: 'S', warehouse: none },
  ]);
  const lacking = await compare({ ...one, lines: [lineRow('1', 2), lineRow('1', 3, { sku: 'S' })] });
  const found = lacking.filter(({ column_name: name }) => ['line_no', 'sku', 'shop_id'].includes(name));
  expect(found).toEqual([
    { ...of, line_no: 1, column_name: 'line_no', shop: none, warehouse: '1' },
    { ...of, line_no: 3, column_name: 'line_no', shop: '3', warehouse: none },
    { ...of, line_no: 3, column_name: 'sku', shop: 'S', warehouse: none },
  ]);
  expect(new Set(lacking.map(({ line_no: lineNo }) => lineNo))).toEqual(new Set([1, 3]));
  const unknown = { orderId: '6', row: { order_id: '6', color: 'red', currency: none }, lines: [] };
  expect(await compare(unknown)).toEqual([
    { order_id: '6', line_no: 0, column_name: 'color', shop: 'red', warehouse: none },
    { order_id: '6', line_no: 0, column_name: 'order_id', shop: '6', warehouse: none },
  ]);
});
