import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import { type LinesToLoad, loadLines } from '../../../src/warehouse/orders/load-lines.ts';
import type { OrderToLoad } from '../../../src/warehouse/orders/load-orders.ts';
import { cleared } from '../../support/cleared.ts';
import { at, fetched, lineRow, lost, orderPerson, orderToLoad } from '../../support/rows.ts';
import { CORE_TABLES, countKept, fileWarehouse, rowVersions } from '../test-warehouse.ts';

const warehouse = fileWarehouse();
let shopId: number;
beforeEach(async () => {
  shopId = await warehouse.newShop();
});

const load = (...orders: readonly OrderToLoad[]) => warehouse.load(shopId, orders);
const order = async (id: string) => {
  const [row] = await warehouse.rows(sql`
    SELECT * FROM core.orders WHERE shop_id = ${shopId} AND order_id = ${id}`);
  return row;
};
const person = async (id: string) => {
  const [row] = await warehouse.rows(sql`
    SELECT * FROM core.order_persons WHERE shop_id = ${shopId} AND order_id = ${id}`);
  return row;
};
const lines = (id = '1') =>
  warehouse.rows(sql`
    SELECT line_no, product_name, line_total FROM core.order_lines
    WHERE shop_id = ${shopId} AND order_id = ${id} ORDER BY line_no`);
const numbers = async () => (await lines()).map((line) => line['line_no']);
/** The order 1 with these lines. */
const withLines = (...rows: readonly ReturnType<typeof lineRow>[]) =>
  orderToLoad('1', { lines: fetched(rows) });
const retry = (lines: LinesToLoad) =>
  warehouse.write((tx) => loadLines(tx, shopId, [{ orderId: '1', lines }]));
const versions = () => rowVersions(warehouse, [...CORE_TABLES, 'raw.orders', 'raw.order_contents']);

test('an order is stored with every column, its bookkeeping, its lines and both payloads', async () => {
  const big = '9223372036854775807';
  const { row, ...loaded } = orderToLoad(big, { row: { order_sum: '999999999999.99', buyer_oid: big } });
  await load({ row, ...loaded });
  expect(await order(big)).toEqual({
    ...row,
    shop_id: shopId,
    created_local: Temporal.PlainDateTime.from('2026-03-01T09:05'),
    created_at: '2026-03-01 08:05:00+00',
    updated_local: Temporal.PlainDateTime.from('2026-03-02T10:00'),
    updated_at: '2026-03-02 09:00:00+00',
    fingerprint: 'print A 999999999999.99',
    lines_state: 'ok',
    lines_fetched_at: '2026-03-10 08:00:00+00',
    lines_attempts: 0,
    first_seen_at: '2026-03-10 08:00:00+00',
    observed_at: '2026-03-10 08:00:00+00',
    missing_since: null,
    deleted_at: null,
    lines_total: '100.00',
    list_total: '100.00',
    units: '2.000',
    changed_at: expect.any(String),
    stored_at: expect.any(String),
  });
  expect(await lines(big)).toEqual([
    { line_no: 1, product_name: 'Product 1', line_total: '50.00' },
    { line_no: 2, product_name: 'Product 2', line_total: '50.00' },
  ]);
  const payloads = await warehouse.rows(sql`
    SELECT o.payload, c.payload AS content, c.fetched_at FROM raw.orders o
    JOIN raw.order_contents c USING (shop_id, order_id) WHERE shop_id = ${shopId}`);
  expect(payloads).toEqual([
    {
      payload: { order_id: big, status: 'A', summ: '999999999999.99' },
      content: { ordercontent: ['code', 'code'], success: 1 },
      fetched_at: '2026-03-10 08:00:00+00',
    },
  ]);
});

test('the same orders loaded again write no row in any table', async () => {
  const orders = [
    orderToLoad('1'),
    orderToLoad('2', { row: { status_code: 'own', pay_status_code: 'own', buyer_oid: null } }),
    // A line between two that could not be read leaves a gap.
    orderToLoad('3', { lines: fetched([lineRow('3', 1), lineRow('3', 3)]) }),
    orderToLoad('4', { lines: fetched([]), person: null }),
    orderToLoad('5', {
      lines: lost(),
    }),
  ];
  await load(...orders);
  const before = await versions();
  for (const { row } of orders) expect(await order(row.order_id)).toMatchObject({ order_id: row.order_id });
  await load(...orders);
  expect(await versions()).toEqual(before);
});

test.each<[string, string, Parameters<typeof orderToLoad>[1]]>([
  ['row', 'core.orders', { row: { color: 'new' } }],
  ['person', 'core.order_persons', { person: orderPerson({ comment: 'new' }) }],
])(
  'of many orders whose %s may differ only that of the changed one is written',
  async (_what, table, changes) => {
    await load(orderToLoad('1'), orderToLoad('2'), orderToLoad('3'));
    const before = await versions();
    await load(orderToLoad('1'), orderToLoad('2', changes), orderToLoad('3'));
    const after = await versions();
    expect(countKept(before[table], after[table])).toBe(Number(before[table]?.length) - 1);
    // A change of the person moves `changed_at` of the order.
    for (const other of Object.keys(after).filter((name) => name !== table && name !== 'core.orders'))
      expect(after[other], other).toEqual(before[other]);
  },
);

test('a person is stored apart from the order, with the other fields of the content', async () => {
  const contentRest = cleared({ ordercontent: { 0: { engraving: 'Anna' } } });
  const whole = orderPerson({
    buyer_email: 'anna@mail.example',
    comment: 'a\\u0000b',
    rest: { note: 'a\0b' },
  });
  await load(
    orderToLoad('1', { person: whole, lines: { ...fetched([lineRow('1', 1)]), rest: contentRest } }),
    orderToLoad('2', { person: null }),
  );
  expect(await person('1')).toMatchObject({
    buyer_name: 'A name',
    buyer_email: 'anna@mail.example',
    fields: { gift: { value: 'yes', name: 'gift', label: 'Gift' } },
    content_rest: { ordercontent: { 0: { engraving: 'Anna' } } },
  });
  expect(await person('2')).toBeUndefined();
  expect(JSON.stringify(await order('1'))).not.toContain('anna');
  // Lines that could not be fetched leave what is known of the last ones.
  await load(orderToLoad('1', { person: orderPerson({ comment: 'new' }), lines: lost() }));
  expect(await person('1')).toMatchObject({ comment: 'new', buyer_email: null, content_rest: contentRest });
  await load(orderToLoad('1', { person: orderPerson(), lines: fetched([lineRow('1', 1)]) }));
  expect(await person('1')).toMatchObject({ comment: null, content_rest: null });
});

test('an order that is loaded without its person loses the one that was stored', async () => {
  await load(orderToLoad('1'), orderToLoad('2'));
  const other = await warehouse.newShop();
  await warehouse.load(other, [orderToLoad('1')]);
  await load(orderToLoad('1', { person: null }), orderToLoad('2'));
  expect(await person('1')).toBeUndefined();
  const kept = sql`SELECT buyer_name FROM core.order_persons WHERE shop_id = ${other} AND order_id = 1`;
  expect(await warehouse.rows(kept)).toEqual([{ buyer_name: 'A name' }]);
  expect(await person('2')).toMatchObject({ buyer_name: 'A name' });
  expect(await order('1')).toMatchObject({ order_id: '1', order_sum: '100.00' });
});

test('an order that is seen again with a change of views alone is not written, and keeps the time of its last change', async () => {
  await load(orderToLoad('1', { row: { views: 1 } }));
  const before = await rowVersions(warehouse, CORE_TABLES);
  await load(orderToLoad('1', { row: { views: 2 }, seenAt: at('2026-03-20T00:00:00Z') }));
  expect(await rowVersions(warehouse, CORE_TABLES)).toEqual(before);
  await load(orderToLoad('1', { row: { views: 3, color: 'new' } }));
  expect(await order('1')).toMatchObject({ views: 3, color: 'new' });
});

test('a changed order keeps the time it was first seen, and gets that of the change', async () => {
  await load(orderToLoad('1'));
  const seenAt = at('2026-03-11T00:00:00Z');
  await load(orderToLoad('1', { seenAt, row: { status_code: 'C' } }));
  expect(await order('1')).toMatchObject({
    status_code: 'C',
    first_seen_at: '2026-03-10 08:00:00+00',
    observed_at: '2026-03-11 00:00:00+00',
  });
});

test('rereading lines of an unchanged order leaves observed_at alone', async () => {
  await load(orderToLoad('1'));
  const later = at('2026-03-20T00:00:00Z');
  const again = orderToLoad('1', {
    seenAt: later,
    observedAt: at('2026-03-10T08:00:00Z'),
    lines: fetched([], later),
  });
  await load(again);
  expect(await order('1')).toMatchObject({
    observed_at: '2026-03-10 08:00:00+00',
    lines_fetched_at: '2026-03-20 00:00:00+00',
  });
});

test('an order that was observed later stays unchanged, unless that time was written by a fast clock', async () => {
  const seen = (hour: number, color: string) =>
    orderToLoad('1', { row: { color }, seenAt: at('2026-03-10T00:00:00Z').add({ hours: hour }) });
  const now = at('2026-03-10T12:00:00Z');
  await load(seen(11, 'later'));
  expect(await warehouse.load(shopId, [seen(10, 'earlier')], { now })).toMatchObject({
    headers: 0,
    lines: 0,
  });
  expect(await order('1')).toMatchObject({ color: 'later' });
  await load(seen(13, 'ahead'));
  await warehouse.load(shopId, [seen(12, 'now')], { now });
  expect(await order('1')).toMatchObject({ color: 'now', observed_at: '2026-03-10 12:00:00+00' });
});

test('unknown buyers are added to be fetched, and known ones stay as they are', async () => {
  await warehouse.rows(
    sql`INSERT INTO core.users (shop_id, user_oid, fetch_state, level) VALUES (${shopId}, 42, 'ok', 7)`,
  );
  await load(
    orderToLoad('1', { row: { buyer_oid: '42' } }),
    orderToLoad('2', { row: { buyer_oid: '43' } }),
    orderToLoad('3', { row: { buyer_oid: '43' } }),
    orderToLoad('4', { row: { buyer_oid: '6', is_guest: true } }),
    orderToLoad('5', { row: { buyer_oid: null, is_guest: true } }),
  );
  const users = await warehouse.rows(
    sql`SELECT user_oid, fetch_state, level FROM core.users WHERE shop_id = ${shopId} ORDER BY user_oid`,
  );
  expect(users).toEqual([
    { user_oid: '6', fetch_state: 'guest', level: null },
    { user_oid: '42', fetch_state: 'ok', level: 7 },
    { user_oid: '43', fetch_state: 'pending', level: null },
  ]);
});

test('an order that cannot be written rolls back the whole transaction', async () => {
  const tooLarge = orderToLoad('2', { row: { order_sum: '1000000000000.00' } });
  await expect(load(orderToLoad('1'), tooLarge)).rejects.toMatchObject({ cause: { code: '22003' } });
  expect(await order('1')).toBeUndefined();
});

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

test('lines that could not be fetched leave the stored ones and their payload alone, while the order is loaded', async () => {
  await load(orderToLoad('1'));
  const { lines_total, list_total } = (await order('1')) ?? {};
  expect([lines_total, list_total]).not.toContain(null);
  const triedAt = at('2026-03-11T00:00:00Z');
  await retry(lost(1, triedAt));
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
  await load(orderToLoad('1', { row: { color: 'new' }, lines: undefined }));
  expect(await order('1')).toMatchObject({ color: 'new', lines_state: 'failed', lines_attempts: 1 });
  // The column is a smallint.
  await load(failed(40_000));
  expect(await order('1')).toMatchObject({ lines_attempts: 32_767 });
  await load(orderToLoad('1', { row: { status_code: 'C' } }));
  expect(await order('1')).toMatchObject({ lines_state: 'ok', lines_attempts: 0 });
});

test('lines that came again and contradict their order again are stored with their own sum', async () => {
  await load(withLines(lineRow('1', 1, { line_total: '10.00' })));
  const doubtful = fetched([lineRow('1', 1, { line_total: '7.50', list_total: '8.00' })], undefined, 2);
  await retry(doubtful);
  expect(await order('1')).toMatchObject({
    lines_state: 'doubtful',
    lines_attempts: 2,
    lines_total: '7.50',
    list_total: '8.00',
  });
});
