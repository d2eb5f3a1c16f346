import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { markVerified } from '../../../src/warehouse/ops/ledger.ts';
import { diffOrders } from '../../../src/warehouse/orders/diff-orders.ts';
import { loadOrders, type OrderToLoad } from '../../../src/warehouse/orders/load-orders.ts';
import { markOrders } from '../../../src/warehouse/orders/missing-marks.ts';
import { at, fetched, orderToLoad, SEEN } from '../../support/rows.ts';
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

const LATER = at('2026-03-11T12:00:00Z');
const time = (text: string) => Temporal.PlainDateTime.from(text);
const WINDOW = { from: time('2026-03-01T10:00'), to: time('2026-03-01T11:00') };
const SAME = 'print A 100.00';

const load = (...orders: readonly OrderToLoad[]) => warehouse.write((tx) => loadOrders(tx, shopId, orders));
const placed = (id: string, clock: string, changes: Parameters<typeof orderToLoad>[1] = {}) =>
  orderToLoad(id, { ...changes, row: { created_local: `2026-03-01T${clock}`, ...changes.row } });
const mark = (marks: Parameters<typeof markOrders>[2]) =>
  warehouse.write((tx) => markOrders(tx, shopId, marks, LATER));
/** What a list says of orders, by their numbers and fingerprints. */
async function diff(
  listed: Readonly<Record<string, string>>,
  window: typeof WINDOW | undefined,
  linesBefore = at('2020-01-01T00:00:00Z'),
) {
  const rows = Object.entries(listed).map(([orderId, fingerprint]) => ({ orderId, fingerprint }));
  const found = await diffOrders(warehouse.db, shopId, rows, window, linesBefore);
  return found.toSorted((one, other) => Number(one.orderId) - Number(other.orderId));
}
const changes = (found: Awaited<ReturnType<typeof diff>>) =>
  Object.fromEntries(found.map(({ orderId, change }) => [orderId, change]));

test('an order differs that is new, changed, or seen again, wherever it is stored, or missing in the half-open window', async () => {
  const clocks = [
    '09:59:00',
    '10:00:00',
    '10:59:59',
    '11:00:00',
    '10:30:00',
    '10:31:00',
    '10:32:00',
    '10:33:00',
  ];
  await load(...clocks.map((clock, index) => placed(String(index + 1), clock)));
  await mark({ missing: ['5', '6', '7'], doubted: ['8', '4'] });
  await mark({ deleted: ['7'] });
  const other = await warehouse.newShop();
  await warehouse.write((tx) => loadOrders(tx, other, [placed('2', '10:00:00'), placed('9', '10:01:00')]));
  const found = await diff({ 3: SAME, 4: SAME, 6: SAME, 1: 'other', 404: 'any' }, WINDOW);
  expect(changes(found)).toEqual({
    1: 'changed',
    2: 'unlisted',
    4: 'seen',
    5: 'unlisted',
    6: 'returned',
    8: 'unlisted',
    404: 'new',
  });
  expect(found.map(({ live }) => live)).toEqual(found.map(() => 3));
  expect(found.at(-1)?.held).toBeUndefined();
  expect(found.map(({ held }) => held?.doubtedMs !== undefined)).toEqual([
    false,
    false,
    true,
    false,
    false,
    true,
    false,
  ]);
  expect(changes(await diff({ 3: SAME, 7: SAME, 404: 'any' }, undefined))).toEqual({
    7: 'returned',
    404: 'new',
  });
  expect(await diff({}, undefined)).toEqual([]);
});

test('lines of an open order are due again once they are old enough, but for those that are not in', async () => {
  const failed = { kind: 'failed', attempts: 4, triedAt: SEEN, reason: 'refused' } as const;
  await load(
    placed('1', '10:00:00'),
    placed('2', '10:00:00', { row: { status_code: 'F' } }),
    placed('3', '10:00:00', { lines: failed }),
    placed('4', '10:00:00', { lines: fetched([], SEEN, 1) }),
  );
  await mark({ missing: ['1'] });
  const listed = { 1: SAME, 2: 'print F 100.00', 3: SAME, 4: SAME };
  expect(changes(await diff(listed, WINDOW, SEEN))).toEqual({ 1: 'lines', 4: 'lines' });
  expect(changes(await diff(listed, WINDOW, SEEN.subtract({ seconds: 1 })))).toEqual({ 1: 'returned' });
});

test('a differing order comes with all that a sweep decides by', async () => {
  const failed = { kind: 'failed', attempts: 4, triedAt: LATER, reason: 'refused' } as const;
  await load(placed('1', '10:00:00', { lines: failed }), placed('2', '10:00:00'));
  await warehouse.write((tx) =>
    markVerified(tx, shopId, [{ day: '2026-03-01', verifiedAt: LATER, orders: 2 }]),
  );
  await mark({ missing: ['2'] });
  const found = await diff({ 1: 'other', 2: 'other' }, WINDOW);
  const held = {
    createdOn: '2026-03-01',
    createdMinute: '2026-03-01T10:00',
    observedAt: SEEN,
    fingerprint: SAME,
  };
  expect(found.map((order) => order.held)).toMatchObject([
    {
      ...held,
      linesState: 'failed',
      linesAttempts: 4,
      isMarked: false,
      lastSeenAt: LATER,
    },
    // It was missing when its day was verified.
    {
      ...held,
      linesState: 'ok',
      isMarked: true,
      missingSince: LATER,
      lastSeenAt: SEEN,
    },
  ]);
});

test('comparing the orders of a shop that statistics do not know of compares no pairs of them', async () => {
  await warehouse.rows(sql`ANALYZE core.orders`);
  const ids = Array.from({ length: 300 }, (_, index) => String(index + 1));
  await load(...ids.map((id) => placed(id, '10:00:00')));
  await warehouse.db.transaction(async (tx) => {
    const read = async () => {
      const { rows } = await tx.execute<{ read: number }>(sql`
        SELECT sum(seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relname = 'orders'`);
      return rows[0]?.read ?? 0;
    };
    const before = await read();
    const listed = ids.map((orderId) => ({ orderId, fingerprint: 'other' }));
    expect(await diffOrders(tx, shopId, listed, WINDOW, SEEN)).toHaveLength(ids.length);
    expect((await read()) - before).toBeLessThan(5 * ids.length);
  });
});
