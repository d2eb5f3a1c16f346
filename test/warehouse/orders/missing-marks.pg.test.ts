import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { markVerified } from '../../../src/warehouse/ops/ledger.ts';
import { loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import { clearMissing, markDeleted, markMissing } from '../../../src/warehouse/orders/missing-marks.ts';
import { readHeldOrders } from '../../../src/warehouse/orders/stored-orders.ts';
import { at, type OrderRow, orderToLoad } from '../../support/rows.ts';
import { openTestWarehouse, type TestWarehouse } from '../test-warehouse.ts';

let warehouse: TestWarehouse;
let shopId: number;
beforeAll(async () => {
  warehouse = await openTestWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());
beforeEach(async () => {
  shopId = await warehouse.newShop();
});

const [NOON, LATER] = [at('2026-03-11T12:00:00Z'), at('2026-03-11T13:00:00Z')];
const time = (text: string) => Temporal.PlainDateTime.from(text);

const load = (id: string, row: Partial<OrderRow> = {}) =>
  warehouse.write((tx) => loadOrders(tx, shopId, [orderToLoad(id, { row })]));
const mark = (ids: readonly string[], since = NOON) =>
  warehouse.write((tx) => markMissing(tx, shopId, ids, since));
const clear = (ids: readonly string[]) => warehouse.write((tx) => clearMissing(tx, shopId, ids));
const remove = (id: string) =>
  warehouse.rows(
    sql`UPDATE core.orders SET deleted_at = now() WHERE shop_id = ${shopId} AND order_id = ${id}`,
  );
const marks = () =>
  warehouse.rows(sql`
    SELECT order_id, missing_since, deleted_at IS NOT NULL AS is_deleted FROM core.orders
    WHERE shop_id = ${shopId} ORDER BY order_id`);
const held = (from: string, to: string, listed: readonly string[] = []) =>
  readHeldOrders(warehouse.db, shopId, { from: time(from), to: time(to) }, listed);

test('a mark has a time, survives being set again, and is only on the given orders', async () => {
  for (const id of ['1', '2', '9223372036854775807']) await load(id);
  const otherShop = await warehouse.newShop();
  await warehouse.write((tx) => loadOrders(tx, otherShop, [orderToLoad('1')]));
  await mark(['1', '9223372036854775807', '77']);
  await mark(['1', '2'], LATER);
  const [since, later] = ['2026-03-11 12:00:00+00', '2026-03-11 13:00:00+00'];
  expect(await marks()).toEqual([
    { order_id: '1', missing_since: since, is_deleted: false },
    { order_id: '2', missing_since: later, is_deleted: false },
    { order_id: '9223372036854775807', missing_since: since, is_deleted: false },
  ]);
  shopId = otherShop;
  expect(await marks()).toMatchObject([{ missing_since: null }]);
});

test('an order is deleted once, and only where it is missing', async () => {
  for (const id of ['1', '2']) await load(id);
  await mark(['1']);
  for (const since of [NOON, LATER])
    await warehouse.write((tx) => markDeleted(tx, shopId, ['1', '2'], since));
  const deleted = await warehouse.rows(
    sql`SELECT order_id, deleted_at FROM core.orders WHERE shop_id = ${shopId} ORDER BY order_id`,
  );
  expect(deleted).toEqual([
    { order_id: '1', deleted_at: '2026-03-11 12:00:00+00' },
    { order_id: '2', deleted_at: null },
  ]);
});

test('an order seen again loses both marks, and one without a mark is not written', async () => {
  for (const id of ['1', '2', '3']) await load(id);
  await mark(['1', '2']);
  await remove('2');
  const version = () =>
    warehouse.rows(sql`SELECT xmin FROM core.orders WHERE shop_id = ${shopId} AND order_id = 3`);
  const before = await version();
  await clear(['1', '2', '3']);
  expect(await marks()).toMatchObject(
    ['1', '2', '3'].map(() => ({ missing_since: null, is_deleted: false })),
  );
  expect(await version()).toEqual(before);
});

test('a reloaded order loses its marks', async () => {
  await load('1');
  await mark(['1']);
  await remove('1');
  await load('1');
  expect(await marks()).toMatchObject([{ missing_since: null, is_deleted: false }]);
});

test('no orders write nothing', async () => {
  await load('1');
  await mark([]);
  await mark(['1']);
  await clear([]);
  expect(await marks()).toMatchObject([{ missing_since: '2026-03-11 12:00:00+00' }]);
});

test('stored orders are those of the half-open window, and the listed ones wherever they are', async () => {
  const times = ['2026-03-01T09:59:00', '2026-03-01T10:00:00', '2026-03-01T10:59:59', '2026-03-01T11:00:00'];
  for (const [index, created_local] of times.entries()) await load(String(index + 1), { created_local });
  await load('5', { created_local: null, created_on: null });
  await load('6', { created_local: '2020-01-01T00:00:00' });
  const otherShop = await warehouse.newShop();
  await warehouse.write((tx) =>
    loadOrders(tx, otherShop, [orderToLoad('7', { row: { created_local: times[1] ?? null } })]),
  );
  const found = await held('2026-03-01T10:00', '2026-03-01T11:00', ['2', '4', '5', '404']);
  const places = found.map(({ orderId, isInWindow }) => [orderId, isInWindow]);
  expect(places.toSorted((a, b) => Number(a[0]) - Number(b[0]))).toEqual([
    ['2', true],
    ['3', true],
    ['4', false],
    ['5', false],
  ]);
});

test('a stored order has everything that a sweep decides by', async () => {
  await load('1', { status_code: 'F' });
  await load('2', { status_code: 'own' });
  await mark(['2']);
  const triedAt = at('2026-03-10T09:00:00Z');
  const failed = orderToLoad('3', { lines: { kind: 'failed', attempts: 4, triedAt, reason: 'refused' } });
  await warehouse.write((tx) => loadOrders(tx, shopId, [failed]));
  const found = await held('2026-03-01T00:00', '2026-03-02T00:00');
  const seen = at('2026-03-10T08:00:00Z');
  const order = (orderId: string) => ({ orderId, isInWindow: true, observedAt: seen, lastSeenAt: seen });
  const fine = { linesState: 'ok', linesAttempts: 0, linesFetchedAt: seen };
  expect(found.toSorted((a, b) => Number(a.orderId) - Number(b.orderId))).toMatchObject([
    { ...order('1'), ...fine, fingerprint: 'print F 100.00', isOpen: false, isMarked: false },
    { ...order('2'), ...fine, fingerprint: 'print own 100.00', isOpen: true, isMarked: true },
    {
      ...order('3'),
      fingerprint: 'print A 100.00',
      linesState: 'failed',
      linesAttempts: 4,
      linesFetchedAt: triedAt,
      isOpen: true,
      isMarked: false,
    },
  ]);
});

test('an order was last seen when its day was last verified, unless it was missing then', async () => {
  await load('1');
  await load('2');
  const verdict = { day: '2026-03-01', verifiedAt: LATER, orders: 2 };
  await warehouse.write((tx) => markVerified(tx, shopId, [verdict]));
  await mark(['2']);
  const found = await held('2026-03-01T00:00', '2026-03-02T00:00');
  expect(new Map(found.map(({ orderId, lastSeenAt }) => [orderId, lastSeenAt]))).toEqual(
    new Map([
      ['1', LATER],
      ['2', at('2026-03-10T08:00:00Z')],
    ]),
  );
});
