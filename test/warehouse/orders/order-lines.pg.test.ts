import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import { loadLines } from '../../../src/warehouse/orders/load-lines.ts';
import type { OrderToLoad } from '../../../src/warehouse/orders/load-orders.ts';
import { at, fetched, lineRow, lost, orderToLoad } from '../../support/rows.ts';
import { countKept, fileWarehouse, rowVersions } from '../test-warehouse.ts';

const warehouse = fileWarehouse();
let shopId: number;
beforeEach(async () => {
  shopId = await warehouse.newShop();
});

const load = (...orders: readonly OrderToLoad[]) => warehouse.load(shopId, orders);
const order = async (id: string) => {
  const [row] = await warehouse.rows(sql`
    SELECT status_code, lines_state, lines_attempts, lines_fetched_at, lines_total, list_total FROM core.orders WHERE shop_id = ${shopId} AND order_id = ${id}`);
  return row;
};
const lines = (id = '1') =>
  warehouse.rows(sql`
    SELECT line_no, product_name, line_total FROM core.order_lines
    WHERE shop_id = ${shopId} AND order_id = ${id} ORDER BY line_no`);
const numbers = async () => (await lines()).map((line) => line['line_no']);
/** The order 1 with lines of these numbers, or in this order of products. */
const withLines = (...rows: readonly ReturnType<typeof lineRow>[]) =>
  orderToLoad('1', { lines: fetched(rows) });

test.each([
  ['grow', [1], [1, 2, 3]],
  ['shrink', [1, 2, 3], [1]],
  ['vanish', [1, 2], []],
  ['lose one in the middle to a fault', [1, 2, 3], [1, 3]],
  ['lose the first to a fault', [1, 2, 3], [2, 3]],
  ['come back after a fault', [1, 3], [1, 2, 3]],
])('lines that %s are replaced: none is left over', async (_how, before, after) => {
  const neighbour = orderToLoad('2');
  await load(withLines(...before.map((lineNo) => lineRow('1', lineNo))), neighbour);
  expect(await numbers()).toEqual(before);
  await load(withLines(...after.map((lineNo) => lineRow('1', lineNo))));
  expect(await numbers()).toEqual(after);
  expect(await lines('2')).toHaveLength(2);
});

test('lines that change places are stored in their new order, and lines that stay are not written', async () => {
  const named = (lineNo: number, product_name: string) => lineRow('1', lineNo, { product_name });
  await load(withLines(named(1, 'tea'), named(2, 'cup'), named(3, 'pot')));
  const versions = async () => (await rowVersions(warehouse, ['core.order_lines']))['core.order_lines'];
  const before = await versions();
  await load(withLines(named(1, 'cup'), named(2, 'tea'), named(3, 'pot')));
  expect((await lines()).map((line) => line['product_name'])).toEqual(['cup', 'tea', 'pot']);
  expect(countKept(before, await versions())).toBe(Number(before?.length) - 2);
});

test('lines of other orders and other shops are not touched', async () => {
  await load(orderToLoad('1'));
  const otherShop = await warehouse.newShop();
  await warehouse.load(otherShop, [orderToLoad('1', { lines: fetched([]) })]);
  expect(await lines()).toHaveLength(2);
  expect(await order('1')).toMatchObject({ lines_state: 'ok' });
});

test('lines that could not be fetched leave the stored ones and their payload alone, while the order is loaded', async () => {
  await load(orderToLoad('1'));
  const { lines_total, list_total } = (await order('1')) ?? {};
  expect([lines_total, list_total]).not.toContain(null);
  const triedAt = at('2026-03-11T00:00:00Z');
  await warehouse.write((tx) => loadLines(tx, shopId, [{ orderId: '1', lines: lost(1, triedAt) }]));
  expect(await order('1')).toMatchObject({ lines_state: 'failed', lines_total, list_total });
  const failed = (attempts: number) =>
    orderToLoad('1', { row: { status_code: 'C' }, lines: lost(attempts, triedAt) });
  await load(failed(1));
  expect(await order('1')).toMatchObject({
    status_code: 'C',
    lines_state: 'failed',
    lines_attempts: 1,
    lines_fetched_at: '2026-03-11 00:00:00+00',
    lines_total,
    list_total,
  });
  expect(await lines()).toHaveLength(2);
  const [content] = await warehouse.rows(
    sql`SELECT fetched_at FROM raw.order_contents WHERE shop_id = ${shopId}`,
  );
  expect(content).toEqual({ fetched_at: '2026-03-10 08:00:00+00' });
  // The column is a smallint.
  await load(failed(40_000));
  expect(await order('1')).toMatchObject({ lines_attempts: 32_767 });
  await load(orderToLoad('1', { row: { status_code: 'C' } }));
  expect(await order('1')).toMatchObject({ lines_state: 'ok', lines_attempts: 0 });
});

test('lines that came again and contradict their order again are stored with their own sum', async () => {
  await load(withLines(lineRow('1', 1, { line_total: '10.00' })));
  const doubtful = fetched([lineRow('1', 1, { line_total: '7.50', list_total: '8.00' })], undefined, 2);
  await warehouse.write((tx) => loadLines(tx, shopId, [{ orderId: '1', lines: doubtful }]));
  expect(await order('1')).toMatchObject({
    lines_state: 'doubtful',
    lines_attempts: 2,
    lines_total: '7.50',
    list_total: '8.00',
  });
});
