/** What moves `changed_at` of an order: anything that the views show of it, and nothing else. */
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import { moveToZone } from '../../../src/warehouse/directory/shop-life.ts';
import { clearFingerprints } from '../../../src/warehouse/orders/compare-orders.ts';
import { markLines } from '../../../src/warehouse/orders/due-lines.ts';
import { hurryDue } from '../../../src/warehouse/ops/due.ts';
import type { Tx } from '../../../src/warehouse/db/database.ts';
import { type LinesToLoad, loadLines } from '../../../src/warehouse/orders/load-lines.ts';
import { loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import { forgetOrders } from '../../../src/warehouse/orders/forget-persons.ts';
import { markOrders } from '../../../src/warehouse/orders/missing-marks.ts';
import { stampChanges } from '../../../src/warehouse/ops/change-stamp.ts';
import { at, fetched, lineRow, lost, orderPerson, orderToLoad, reread } from '../../support/rows.ts';
import { fileWarehouse, type TestWarehouse, untilWaiting } from '../test-warehouse.ts';

type Write = Parameters<TestWarehouse['write']>[0];

const warehouse = fileWarehouse();
let shopId: number;
beforeEach(async () => {
  shopId = await warehouse.newShop();
  await warehouse.load(shopId, [held('1'), held('2')]);
});

const LATER = at('2026-03-11T08:00:00Z');
/** An order as it is stored, seen again. */
const held = (id: string, changes: Parameters<typeof orderToLoad>[1] = {}) =>
  orderToLoad(id, { seenAt: LATER, ...changes });
type Changes = Parameters<typeof held>[1];
const load = (changes?: Changes) => (tx: Tx) => loadOrders(tx, shopId, [held('1', changes)]);
const rewrite = (changes?: Changes) => (tx: Tx) =>
  loadOrders(tx, shopId, [reread(held('1', changes))], { isReread: true });
const retry = (lines: LinesToLoad) => (tx: Tx) => loadLines(tx, shopId, [{ orderId: '1', lines }]);
const doubt = (isDoubtful: boolean) => (tx: Tx) =>
  markLines(tx, shopId, [{ orderId: '1', isDoubtful }], LATER);
const mark = (how: 'missing' | 'deleted' | 'returned') => (tx: Tx) =>
  markOrders(tx, shopId, { [how]: ['1'] }, LATER);
const forget = (tx: Tx) =>
  forgetOrders(tx, shopId, [{ orderId: '1', fingerprint: 'e:', standIn: undefined, person: null }]);

async function changes(): Promise<ReadonlyMap<string, string>> {
  const rows = await warehouse.rows(
    sql`SELECT order_id::text AS id, changed_at::text AS at FROM bi.orders WHERE shop_id = ${shopId}`,
  );
  return new Map(rows.map((row) => [String(row['id']), String(row['at'])]));
}

/** The orders that an incremental read after a write would bring. */
async function readAfter(write: Write): Promise<readonly string[]> {
  const before = [...(await changes()).values()].toSorted().at(-1) ?? '';
  await warehouse.write(write);
  const rows = await warehouse.rows(sql`
    SELECT order_id::text AS id FROM bi.orders
    WHERE shop_id = ${shopId} AND changed_at > ${before}::timestamptz ORDER BY order_id`);
  return rows.map((row) => String(row['id']));
}

const twoLines = (change?: Parameters<typeof lineRow>[2]) =>
  fetched([lineRow('1', 1, change), lineRow('1', 2)], LATER);
const oneLine = fetched([lineRow('1', 1)], LATER);

test.each<readonly [string, Write]>([
  ['a late status', load({ row: { status_code: 'C' } })],
  ['its sum', load({ row: { order_sum: '90.00' } })],
  ['the name in a line alone', load({ lines: twoLines({ product_name: 'Other' }) })],
  ['one line less', load({ lines: oneLine })],
  ['lines that came later', retry(twoLines({ line_total: '40.00' }))],
  ['lines that came later, one less', retry(oneLine)],
  ['lines that could not be fetched', retry(lost(1, LATER))],
  ['lines that are found to contradict it', doubt(true)],
  ['lines that contradict it from the beginning', retry({ ...oneLine, doubtfulAttempts: 0 })],
  ['that it is missing', mark('missing')],
  ['a replay that reads the row in another way', rewrite({ row: { currency: 'USD' } })],
  ['a replay that reads a line in another way', rewrite({ lines: twoLines({ sku: 'S' }) })],
  ['what its buyer says', load({ person: orderPerson({ comment: 'new' }) })],
  ['a replay that reads the person in another way', rewrite({ person: orderPerson({ rest: null }) })],
  ['what is forgotten of its buyer', forget],
])('%s moves changed_at of the order, and of no other', async (_, write) => {
  expect(await readAfter(write)).toEqual(['1']);
});

test('a deletion and a return each move changed_at of the order', async () => {
  await warehouse.write(mark('missing'));
  expect(await readAfter(mark('deleted'))).toEqual(['1']);
  const [row] = await warehouse.rows(sql`
    SELECT is_deleted, deleted_at = ${LATER.toString()}::timestamptz AS at, is_sale, outstanding::text
    FROM bi.orders WHERE shop_id = ${shopId} AND order_id = 1`);
  expect(row).toEqual({ is_deleted: true, at: true, is_sale: false, outstanding: '0.00' });
  expect(await readAfter(mark('returned'))).toEqual(['1']);
  expect(await readAfter(mark('returned'))).toEqual([]);
});

test('doubtful lines that are to be asked for again, and have their tries counted, bring nothing until they are in order', async () => {
  await warehouse.write(doubt(true));
  expect(await readAfter((tx) => hurryDue(tx, shopId, 'lines', LATER))).toEqual([]);
  expect(await readAfter(retry({ ...twoLines(), doubtfulAttempts: 3 }))).toEqual([]);
  expect(await readAfter(doubt(false))).toEqual(['1']);
});

test('another time zone moves changed_at of all orders', async () => {
  expect(await readAfter((tx) => moveToZone(tx, shopId, 'Europe/Berlin', 'Asia/Almaty'))).toEqual(['1', '2']);
});

test('an unchanged order that is read again keeps changed_at', async () => {
  const unchanged: readonly Write[] = [
    load({ lines: twoLines() }),
    load({ row: { views: 99 } }),
    load({ fingerprint: 'of a field that is not stored' }),
    retry(twoLines()),
    rewrite(),
    async (tx) => {
      await clearFingerprints(tx, shopId, ['1']);
      await loadOrders(tx, shopId, [held('1')]);
    },
  ];
  for (const write of unchanged) expect(await readAfter(write)).toEqual([]);
});

test('a change shows in every view of parts of the order', async () => {
  await warehouse.load(shopId, [held('1', { row: { status_code: 'C' } })]);
  const { '1': changed } = Object.fromEntries(await changes());
  const { rows } = await warehouse.db.execute<{ view: string }>(sql`
    SELECT table_schema || '.' || table_name AS view FROM information_schema.columns
    WHERE table_schema IN ('bi', 'bi_pii') AND column_name = 'order_id'`);
  expect(rows.length).toBeGreaterThan(8);
  for (const { view } of rows) {
    const found = await warehouse.rows(sql`
      SELECT DISTINCT changed_at::text AS at FROM ${sql.raw(view)} WHERE shop_id = ${shopId} AND order_id = 1`);
    for (const row of found) expect(row['at'], view).toBe(changed);
  }
});

test('of two writers of a shop the one with the earlier time commits first', async () => {
  const [stamped, first] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const stamps: string[] = [];
  const early = warehouse.write(async (tx) => {
    stamps.push(String(await stampChanges(tx, shopId)));
    stamped.resolve();
    await first.promise;
  });
  await stamped.promise;
  const late = warehouse.write(async (tx) => {
    stamps.push(String(await stampChanges(tx, shopId)));
  });
  await untilWaiting(warehouse, 1);
  expect(stamps).toHaveLength(1);
  first.resolve();
  await Promise.all([early, late]);
  expect(stamps).toEqual(stamps.toSorted());
  expect(new Set(stamps).size).toBe(2);
});
