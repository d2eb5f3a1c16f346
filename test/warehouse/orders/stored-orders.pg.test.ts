import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import { markVerified } from '../../../src/warehouse/ops/ledger.ts';
import type { OrderToLoad } from '../../../src/warehouse/orders/load-orders.ts';
import { markOrders } from '../../../src/warehouse/orders/missing-marks.ts';
import {
  diffOrders,
  readNeighbours,
  readOrdersById,
  readUndatedOrders,
} from '../../../src/warehouse/orders/stored-orders.ts';
import { at, fetched, lost, orderToLoad, SEEN } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const warehouse = fileWarehouse();
let shopId: number;
beforeEach(async () => {
  shopId = await warehouse.newShop();
});

const LATER = at('2026-03-11T12:00:00Z');
const time = (clock: string) => Temporal.PlainDateTime.from(`2026-03-01T${clock}`);
const WINDOW = { from: time('10:00'), to: time('11:00') };
const SAME = 'print A 100.00';

const load = (...orders: readonly OrderToLoad[]) => warehouse.load(shopId, orders);
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

test('an order differs if it is new, changed or seen again, wherever it is stored, or missing in the half-open window', async () => {
  const clocks = '09:59:00 10:00:00 10:59:59 11:00:00 10:30:00 10:31:00 10:32:00 10:33:00'.split(' ');
  await load(...clocks.map((clock, index) => placed(String(index + 1), clock)));
  await mark({ missing: ['5', '6', '7'], unresolved: ['8', '4'] });
  await mark({ deleted: ['7'] });
  const other = await warehouse.newShop();
  await warehouse.load(other, [placed('2', '10:00:00'), placed('9', '10:01:00')]);
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
  expect(found.at(-1)?.stored).toBeUndefined();
  const unresolved = found.filter(({ stored }) => typeof stored?.unresolvedMs === 'number');
  expect(unresolved.map(({ orderId }) => orderId)).toEqual(['4', '8']);
  expect(changes(await diff({ 3: SAME, 7: SAME, 404: 'any' }, undefined))).toEqual({
    7: 'returned',
    404: 'new',
  });
  expect(await diff({}, undefined)).toEqual([]);
});

test('lines of an open order are due again once they are old enough, unless they were never loaded', async () => {
  await load(
    placed('1', '10:00:00'),
    placed('2', '10:00:00', { row: { status_code: 'F' } }),
    placed('3', '10:00:00', { lines: lost(4) }),
    placed('4', '10:00:00', { lines: fetched([], SEEN, 1) }),
  );
  await mark({ missing: ['1'] });
  const listed = { 1: SAME, 2: 'print F 100.00', 3: SAME, 4: SAME };
  expect(changes(await diff(listed, WINDOW, SEEN))).toEqual({ 1: 'lines', 4: 'lines' });
  expect(changes(await diff(listed, WINDOW, SEEN.subtract({ seconds: 1 })))).toEqual({ 1: 'returned' });
});

test('a differing order comes with all that a sweep decides by', async () => {
  await load(placed('1', '10:00:00', { lines: lost(4) }), placed('2', '10:00:00'));
  const verified = { day: '2026-03-01', verifiedAt: LATER, orders: 2 };
  await warehouse.write((tx) => markVerified(tx, shopId, [verified]));
  await mark({ missing: ['2'] });
  const found = await diff({ 1: 'other', 2: 'other' }, WINDOW);
  const placedAt = { createdOn: '2026-03-01', createdMinute: time('10:00') };
  const stored = { ...placedAt, observedAt: SEEN, fingerprint: SAME };
  const live = { linesState: 'failed', linesAttempts: 4, isMarked: false, missingSince: null };
  // It was missing when its day was verified.
  const missing = { linesState: 'ok', isMarked: true, missingSince: LATER, lastSeenAt: SEEN };
  expect(found.map((order) => order.stored)).toMatchObject([
    { ...stored, ...live, lastSeenAt: LATER },
    { ...stored, ...missing },
  ]);
});

test('comparing orders of a shop without statistics needs no nested loop', async () => {
  await warehouse.rows(sql`ANALYZE core.orders`);
  const ids = Array.from({ length: 300 }, (_, index) => String(index + 1));
  await load(...ids.map((id) => placed(id, '10:00:00')));
  await warehouse.write(async (tx) => {
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

test('the oldest, the newest and the neighbouring orders are live ones of the shop, by its own time', async () => {
  const { db } = warehouse;
  const clocks = '08:00:05 09:00:00 10:00:00 10:30:00 11:00:59 07:00:00 12:00:00'.split(' ');
  const orders = clocks.map((clock, index) =>
    placed(String(index + 1), clock, { seenAt: at(`2026-03-0${index + 2}T00:00:00Z`) }),
  );
  const undated = (id: string) => orderToLoad(id, { row: { created_local: null, created_on: null } });
  await load(...orders, undated('8'));
  const foreign = ['06:00:00', '09:30:00', '13:00:00'].map((clock, index) =>
    placed(String(index + 101), clock),
  );
  await warehouse.load(await warehouse.newShop(), [...foreign, undated('104')]);
  await mark({ missing: ['6', '7'] });
  await mark({ deleted: ['7'] });
  const near = async (side: 'before' | 'after', clock: string, nth: number) =>
    (await readNeighbours(db, shopId, side, time(clock), nth)).at(-1)?.createdLocal.toPlainTime().toString();
  expect([
    await near('before', '10:00', 1),
    await near('before', '10:00', 2),
    await near('before', '10:00', 9),
    await near('before', '08:00', 1),
    await near('after', '10:00', 1),
    await near('after', '10:00', 2),
    await near('after', '10:00', 9),
    await near('after', '11:01', 1),
  ]).toEqual(['09:00:00', '08:00:05', '08:00:05', undefined, '10:00:00', '10:30:00', '11:00:59', undefined]);
  const newest = async (limit: number) => readNeighbours(db, shopId, 'before', undefined, limit);
  expect((await newest(9)).map(({ orderId }) => Number(orderId))).toEqual([5, 4, 3, 2, 1]);
  expect(await newest(1)).toEqual([
    { orderId: '5', createdLocal: time('11:00:59'), firstSeenAt: at('2026-03-06T00:00:00Z') },
  ]);
  const outside = await readUndatedOrders(db, shopId, time('11:00'));
  expect(outside.map(({ orderId }) => orderId).toSorted()).toEqual(['5', '7', '8']);
  const byId = await readOrdersById(db, shopId, ['8', '1', '101']);
  const placedOn = [...byId].map(([id, order]) =>
    [id, order.orderId, order.createdMinute, order.createdOn].join(' '),
  );
  expect(placedOn.toSorted()).toEqual(['1 1 2026-03-01T08:00:00 2026-03-01', '8 8  ']);
});
