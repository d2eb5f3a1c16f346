/** How stored orders and lines are compared with what the shop sent. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  clearFingerprints,
  findDifferences,
  findDifferingLines,
  findDifferingOrders,
} from '../../../src/warehouse/orders/compare-orders.ts';
import { loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import { fetched, lineRow, orderPerson, type OrderRow, orderToLoad } from '../../support/rows.ts';
import { openTestWarehouse, type TestWarehouse } from '../test-warehouse.ts';

let warehouse: TestWarehouse;
let shopId: number;
beforeAll(async () => {
  warehouse = await openTestWarehouse();
  shopId = await warehouse.newShop();
  const other = await warehouse.newShop();
  const given = (row: Partial<OrderRow>) => [
    ...['1', '2', '3', '4'].map((id) => orderToLoad(id, { row })),
    orderToLoad('5', { row, lines: fetched([]), fingerprint: 'e:key' }),
  ];
  await warehouse.write((tx) => loadOrders(tx, shopId, given({})));
  // Whatever is the same there says nothing.
  await warehouse.write((tx) => loadOrders(tx, other, [...given({ color: 'other' }), orderToLoad('6')]));
});
afterAll(() => warehouse[Symbol.asyncDispose]());

test('orders differ by their own columns or their persons, but not by how often they were viewed', async () => {
  const given = [
    orderToLoad('1'),
    orderToLoad('2', { row: { color: 'red' } }),
    orderToLoad('3', { row: { views: 99 } }),
    orderToLoad('4', { person: orderPerson({ comment: 'new' }) }),
    orderToLoad('6', { row: { color: 'red' } }),
  ];
  expect(await findDifferingOrders(warehouse.db, shopId, given)).toEqual(['2', '4']);
  expect(await findDifferingOrders(warehouse.db, shopId, [])).toEqual([]);
});

test('lines differ by their columns, or by which there are', async () => {
  const lines = (orderId: string, ...numbers: readonly number[]) => ({
    orderId,
    rows: numbers.map((lineNo) => lineRow(orderId, lineNo)),
  });
  const differing = async (...given: Parameters<typeof findDifferingLines>[2]) =>
    [...new Set(await findDifferingLines(warehouse.db, shopId, given))].toSorted();
  expect(await differing(lines('1', 1, 2), lines('2', 1, 2))).toEqual([]);
  expect(await differing(lines('1', 1), lines('2', 1, 2), lines('3'), lines('4', 1, 2, 3))).toEqual([
    '1',
    '3',
    '4',
  ]);
  expect(await differing(lines('5'), lines('1', 1, 3))).toEqual(['1']);
  expect(await differing(lines('5', 1))).toEqual(['5']);
  const changed = { orderId: '2', rows: [lineRow('2', 1), lineRow('2', 2, { sku: 'S' })] };
  expect(await differing(lines('1', 1, 2), changed)).toEqual(['2']);
});

test('lines are compared in the order of their numbers, however many there are', async () => {
  const rows = Array.from({ length: 12 }, (_, index) => lineRow('7', index + 1));
  await warehouse.write((tx) => loadOrders(tx, shopId, [orderToLoad('7', { lines: fetched(rows) })]));
  const differing = async (lines: typeof rows) =>
    findDifferingLines(warehouse.db, shopId, [{ orderId: '7', rows: lines }]);
  expect(await differing(rows)).toEqual([]);
  expect(await differing(rows.slice(0, 11))).toEqual(['7']);
});

test('each column that differs is named with both values, of the order and of its lines', async () => {
  const compare = (
    ...given: [string, Partial<OrderRow> | undefined, readonly ReturnType<typeof lineRow>[]]
  ) => findDifferences(warehouse.db, shopId, ...given);
  const same = [lineRow('1', 1), lineRow('1', 2)];
  const { row } = orderToLoad('1');
  expect(await compare('1', { ...row, views: 99 }, same)).toEqual({ isStripped: false, differences: [] });
  const changed = { ...row, color: 'red', order_sum: '100.0', paid_amount: null };
  expect(
    (await compare('1', changed, [lineRow('1', 1, { code: 'K' }), lineRow('1', 2, { sku: 'S' })]))
      .differences,
  ).toEqual([
    { line_no: 0, column_name: 'color', shop: 'red', warehouse: null },
    { line_no: 0, column_name: 'paid_amount', shop: null, warehouse: '0.00' },
    { line_no: 1, column_name: 'code', shop: 'K', warehouse: 'code' },
    { line_no: 2, column_name: 'sku', shop: 'S', warehouse: null },
  ]);
  const lacking = await compare('1', undefined, [lineRow('1', 2), lineRow('1', 3, { sku: 'S' })]);
  const found = lacking.differences.filter(({ column_name: name }) =>
    ['line_no', 'sku', 'shop_id'].includes(name),
  );
  expect(found).toEqual([
    { line_no: 1, column_name: 'line_no', shop: null, warehouse: '1' },
    { line_no: 3, column_name: 'line_no', shop: '3', warehouse: null },
    { line_no: 3, column_name: 'sku', shop: 'S', warehouse: null },
  ]);
  expect(new Set(lacking.differences.map(({ line_no: lineNo }) => lineNo))).toEqual(new Set([1, 3]));
  const unknown = await compare('6', { order_id: '6', color: 'red', currency: null }, []);
  expect(unknown).toEqual({
    isStripped: false,
    differences: [
      { line_no: 0, column_name: 'color', shop: 'red', warehouse: null },
      { line_no: 0, column_name: 'order_id', shop: '6', warehouse: null },
    ],
  });
  expect(await compare('5', { order_id: '5' }, [])).toEqual({ isStripped: true, differences: [] });
});

test('an order that is to be read again is still known to be stored without its person', async () => {
  const areStripped = async () => {
    const compared = ['1', '5'].map((id) =>
      findDifferences(warehouse.db, shopId, id, orderToLoad(id).row, []),
    );
    return (await Promise.all(compared)).map(({ isStripped }) => isStripped);
  };
  expect(await areStripped()).toEqual([false, true]);
  await warehouse.write((tx) => clearFingerprints(tx, shopId, ['1', '5']));
  expect(await areStripped()).toEqual([false, true]);
});
