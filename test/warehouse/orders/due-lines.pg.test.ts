/** Which lines are asked for again and when, and which orders are marked as contradicted by theirs. */
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import { hurryDue } from '../../../src/warehouse/ops/due.ts';
import { updateShopState } from '../../../src/warehouse/ops/stored-shop-state.ts';
import {
  learnLineRelations,
  markLines,
  readDueLines,
  readLineFailures,
  readWrongMarks,
} from '../../../src/warehouse/orders/due-lines.ts';
import { type LinesToLoad, loadLines } from '../../../src/warehouse/orders/load-lines.ts';
import { readOpenOrders } from '../../../src/warehouse/reports/shop-figures.ts';
import { at, fetched, lineRow, lost, orderToLoad } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const NOW = at('2026-03-20T12:00:00Z');

const warehouse = fileWarehouse();
let shopId: number;
beforeEach(async () => {
  shopId = await warehouse.newShop();
});

const failed = (attempts: number, seconds: number, reason?: string) =>
  lost(attempts, NOW.subtract({ seconds }), reason);
/** Fetched while they were doubtful, so many times. */
const again = (orderId: string, tries: number, seconds: number) =>
  fetched([lineRow(orderId, 1)], NOW.subtract({ seconds }), tries);
const store = (shop: number, ...orders: readonly (readonly [string, LinesToLoad])[]) =>
  warehouse.load(
    shop,
    orders.map(([id, lines]) => orderToLoad(id, { lines })),
  );
const due = async (limit = 99) =>
  (await readDueLines(warehouse.db, shopId, limit, NOW)).map(({ orderId }) => orderId);
const mark = (isDoubtful: boolean, ...ids: readonly string[]) =>
  warehouse.write((tx) =>
    markLines(
      tx,
      shopId,
      ids.map((orderId) => ({ orderId, isDoubtful })),
      NOW,
    ),
  );

test('failed and doubtful lines are retried after pauses that double, those with the fewest attempts first', async () => {
  const given = [
    ['1', failed(1, 60)],
    ['2', failed(1, 59)],
    ['3', failed(3, 240)],
    ['4', failed(3, 239)],
    ['5', again('5', 2, 120)],
    ['6', again('6', 2, 119)],
    ['7', failed(40, 4 * 86_400)],
    ['8', fetched([lineRow('8', 1)])],
  ] as const;
  await store(shopId, ...given);
  await store(await warehouse.newShop(), ...given);
  expect(await due()).toEqual(['1', '5', '3', '7']);
  expect(await due(2)).toEqual(['1', '5']);
  expect(await readOpenOrders(warehouse.db, shopId)).toMatchObject({
    without_lines: 7,
    doubtful: 2,
    missing: 0,
  });
  await warehouse.write((tx) => hurryDue(tx, shopId, 'lines', NOW));
  expect(await due()).toEqual(['5', '6', '1', '3', '7']);
});

test('loaded lines and those of a deleted order are not requested again', async () => {
  await store(shopId, ['1', failed(1, 60)], ['2', failed(1, 60)], ['3', failed(1, 60)], ['4', failed(1, 60)]);
  await warehouse.write((tx) => loadLines(tx, shopId, [{ orderId: '1', lines: fetched([lineRow('1', 1)]) }]));
  await warehouse.rows(sql`
    UPDATE core.orders SET missing_since = now(), deleted_at = CASE WHEN order_id = 3 THEN now() END
    WHERE shop_id = ${shopId} AND order_id IN (2, 3)`);
  expect(await due()).toEqual(['4']);
});

test('due lines come with the values of their list row', async () => {
  const lines = failed(4, 86_400);
  const given = [
    orderToLoad('1', { row: { item_count: '3.000' }, lines }),
    orderToLoad('2', { lines, fingerprint: 'p:key' }),
  ];
  await warehouse.load(shopId, given);
  expect(await readDueLines(warehouse.db, shopId, 2, NOW)).toMatchObject([
    { orderId: '1', attempts: 4, isDoubtful: false, isStripped: false, itemCount: '3.000' },
    { orderId: '2', isStripped: true },
  ]);
});

test('failures are grouped by their latest reason with some of their orders, without deleted ones', async () => {
  const ids = Array.from({ length: 14 }, (_, index) => String(index + 1));
  await store(
    shopId,
    ...ids.map((id) => [id, failed(1, 60)] as const),
    ['100', failed(1, 60, 'no answer')],
    ['101', failed(1, 60, 'empty')],
  );
  await store(shopId, ['100', failed(2, 30, 'empty')], ['102', again('102', 1, 60)]);
  const other = await warehouse.newShop();
  await store(other, ['1', failed(1, 60, 'empty')]);
  await warehouse.rows(
    sql`UPDATE core.orders SET deleted_at = now() WHERE shop_id = ${shopId} AND order_id = 2`,
  );
  expect(await readLineFailures(warehouse.db, [shopId])).toEqual([
    { shop_id: shopId, reason: 'refused', orders: 13, order_ids: ['1', '3', '4', '5', '6'] },
    { shop_id: shopId, reason: 'empty', orders: 2, order_ids: ['100', '101'] },
  ]);
  const told = await readLineFailures(warehouse.db, [shopId, other]);
  expect(told.map(({ shop_id }) => shop_id)).toContain(other);
});

test('lines marked as doubtful are requested at once, and those no longer doubtful not at all', async () => {
  await store(shopId, ['1', fetched([lineRow('1', 1)])], ['2', again('2', 9, 0)]);
  await mark(true, '1');
  await mark(false, '2');
  expect(
    await warehouse.rows(sql`
      SELECT lines_state, lines_attempts FROM core.orders WHERE shop_id = ${shopId} ORDER BY order_id`),
  ).toEqual([
    { lines_state: 'doubtful', lines_attempts: 0 },
    { lines_state: 'ok', lines_attempts: 0 },
  ]);
  expect(await due()).toEqual(['1']);
});

test('wrong marks of lines are found in batches, of all orders or of those that changed', async () => {
  // Of as many lines as they count, but for the last ones, whose lines are not in or of which one could not be read.
  const ids = Array.from({ length: 45 }, (_, index) => String(index + 1));
  const lines = (id: string, count: number) =>
    Array.from({ length: count }, (_, index) => lineRow(id, index + 1, { quantity: '5.000' }));
  const orders = ids.map((id) => {
    const count = 1 + (Number(id) % 3);
    const row = { item_count: `${count}.000`, order_sum: null };
    return orderToLoad(id, { row, lines: fetched(lines(id, count)) });
  });
  await warehouse.load(shopId, orders);
  const wrong = (since?: Temporal.Instant, after?: string, limit = 9) =>
    readWrongMarks(warehouse.db, shopId, since, after, limit);
  expect(await wrong(), 'nothing is known').toEqual([]);
  const line_relations = [...(await learnLineRelations(warehouse.db, shopId))];
  expect(line_relations).toEqual(['lines']);
  await updateShopState(warehouse.db, shopId, { line_relations }, NOW);
  expect(await wrong()).toEqual([]);
  const odd = (id: string) =>
    orderToLoad(id, { row: { item_count: '77.000', order_sum: null }, lines: fetched(lines(id, 1)) });
  const gap = orderToLoad('45', { row: odd('45').row, lines: fetched([lineRow('45', 1), lineRow('45', 3)]) });
  const lost = orderToLoad('44', { row: odd('44').row, lines: failed(1, 60) });
  await warehouse.load(shopId, [odd('7'), odd('40'), gap, lost]);
  expect(await wrong()).toEqual([
    { orderId: '7', isDoubtful: true },
    { orderId: '40', isDoubtful: true },
  ]);
  expect(await wrong(undefined, '7')).toEqual([{ orderId: '40', isDoubtful: true }]);
  expect(await wrong(undefined, undefined, 1)).toEqual([{ orderId: '7', isDoubtful: true }]);
  expect(await wrong(Temporal.Now.instant().add({ hours: 1 }))).toEqual([]);
  await mark(true, '7', '8', '40');
  expect(await wrong(Temporal.Now.instant().add({ hours: 1 }))).toEqual([
    { orderId: '8', isDoubtful: false },
  ]);
});
