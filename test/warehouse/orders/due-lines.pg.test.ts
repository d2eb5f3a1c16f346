/** Which lines are asked for again, and what is read of orders to judge theirs. */
import { createHash } from 'node:crypto';

import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import {
  countWithoutLines,
  type LinesRetries,
  makeDoubtsDue,
  markDoubts,
  readAllFacts,
  readDueLines,
  readLatestFacts,
} from '../../../src/warehouse/orders/due-lines.ts';
import { loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import { at, fetched, lineRow, orderToLoad } from '../../support/rows.ts';
import { openTestWarehouse, type TestWarehouse } from '../test-warehouse.ts';

const NOW = at('2026-03-20T12:00:00Z');
const SINCE = NOW.subtract({ minutes: 10 });
const HOUR_MS = 3_600_000;
const RETRIES: LinesRetries = {
  failed: { firstPauseMs: HOUR_MS, maxDoublings: 3 },
  doubtful: { firstPauseMs: 2 * HOUR_MS, maxDoublings: 2, watched: 90, sample: 90 },
};

let warehouse: TestWarehouse;
let shopId: number;
beforeAll(async () => {
  warehouse = await openTestWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());
beforeEach(async () => {
  shopId = await warehouse.newShop();
});

type Tried = {
  readonly id: number;
  readonly state: 'ok' | 'pending' | 'failed' | 'doubtful';
  readonly attempts?: number;
  /** How long ago. */
  readonly minutes?: number;
  readonly gone?: 'missing_since' | 'deleted_at';
};

/** Orders of this shop, and the same of another. */
async function store(...orders: readonly Tried[]): Promise<number> {
  const other = await warehouse.newShop();
  const given = orders.map(({ id }) => orderToLoad(String(id)));
  for (const shop of [shopId, other]) {
    await warehouse.write((tx) => loadOrders(tx, shop, given));
    for (const { id, state, attempts = 0, minutes, gone } of orders) {
      const fetchedAt = minutes === undefined ? null : NOW.subtract({ minutes }).toString();
      await warehouse.rows(sql`
        UPDATE core.orders SET lines_state = ${state}, lines_attempts = ${attempts}, lines_fetched_at = ${fetchedAt}
          ${gone === undefined ? sql`` : sql`, ${sql.raw(gone)} = now()`}
        WHERE shop_id = ${shop} AND order_id = ${id}`);
    }
  }
  return other;
}

const due = async (doubts: 'none' | 'due' | 'all', doubtful: Partial<LinesRetries['doubtful']> = {}) => {
  const retries = { ...RETRIES, doubtful: { ...RETRIES.doubtful, ...doubtful } };
  const read = await readDueLines(warehouse.db, shopId, retries, doubts, SINCE, NOW);
  return read.map(({ orderId }) => Number(orderId));
};

test('lines that are not in are asked for once their pause is over, which doubles with each failure up to a limit', async () => {
  await store(
    { id: 1, state: 'ok', attempts: 1, minutes: 9_999 },
    { id: 2, state: 'failed', attempts: 1, minutes: 60 },
    { id: 3, state: 'failed', attempts: 1, minutes: 59 },
    { id: 4, state: 'failed', attempts: 3, minutes: 240 },
    { id: 5, state: 'failed', attempts: 3, minutes: 239 },
    { id: 6, state: 'failed', attempts: 9, minutes: 480 },
    { id: 7, state: 'failed', attempts: 0, minutes: 45 },
    { id: 9, state: 'pending' },
    { id: 8, state: 'pending' },
    { id: 10, state: 'failed', attempts: 1, minutes: 9_999, gone: 'missing_since' },
    { id: 11, state: 'failed', attempts: 1, minutes: 9_999, gone: 'deleted_at' },
    { id: 12, state: 'doubtful', attempts: 0, minutes: 1 },
    { id: 13, state: 'doubtful', attempts: 1, minutes: 600 },
  );
  expect(await due('none')).toEqual([8, 9, 6, 4, 2, 12]);
  expect(await countWithoutLines(warehouse.db, shopId)).toEqual({ orders: 10, doubtful: 2 });
});

test('of doubtful lines those that were asked for seldom come first, each after its pause', async () => {
  await store(
    { id: 20, state: 'doubtful', attempts: 1, minutes: 11 },
    { id: 21, state: 'doubtful', attempts: 1, minutes: 10 },
    { id: 22, state: 'doubtful', attempts: 2, minutes: 120 },
    { id: 23, state: 'doubtful', attempts: 2, minutes: 119 },
    { id: 24, state: 'doubtful', attempts: 9, minutes: 480 },
    { id: 25, state: 'doubtful', attempts: 4, minutes: 479 },
    { id: 26, state: 'doubtful', attempts: 1, minutes: 12 },
    { id: 27, state: 'doubtful', attempts: 1, minutes: 12 },
    { id: 28, state: 'failed', attempts: 1, minutes: 20 },
    { id: 29, state: 'doubtful', attempts: 0, minutes: 30 },
  );
  expect(await due('none')).toEqual([29]);
  expect(await due('due')).toEqual([29, 26, 27, 20, 22, 24]);
  expect(await due('due', { sample: 2 })).toEqual([29, 26, 27]);
  expect(await due('all', { sample: 2 })).toEqual([29, 26, 27, 20, 22, 23, 25, 24]);
});

test('doubtful lines that stay so are watched by a few orders, always the same', async () => {
  const ids = [31, 32, 33, 34, 35];
  await store(
    ...ids.map((id) => ({ id, state: 'doubtful', attempts: 2, minutes: 999 }) as const),
    ...[41, 42, 43, 44].map((id) => ({ id, state: 'failed', attempts: 1, minutes: 5 }) as const),
  );
  const digest = (id: number) => createHash('md5').update(String(id)).digest('hex');
  const watched = ids.toSorted((a, b) => (digest(a) < digest(b) ? -1 : 1)).slice(0, 2);
  expect(await due('due', { watched: 2 })).toEqual(ids.filter((id) => watched.includes(id)));
});

test('what is wanted is told as the list row has it', async () => {
  const row = { item_count: '3.000', order_sum: '10.50', delivery_price: '2.00', discount_raw: '5%' };
  const lines = { kind: 'failed', attempts: 4, triedAt: at('2026-03-01T00:00:00Z') } as const;
  const given = [orderToLoad('1', { row, lines }), orderToLoad('2', { lines, fingerprint: 'p:key' })];
  await warehouse.write((tx) => loadOrders(tx, shopId, given));
  const [first, second] = await readDueLines(warehouse.db, shopId, RETRIES, 'none', SINCE, NOW);
  const figures = { ...row, discount_percent: null };
  const told = { orderId: '1', attempts: 4, isDoubtful: false, isStripped: false, figures };
  expect([first, second?.isStripped]).toEqual([told, true]);
});

test('lines are marked where they are in, and all doubtful ones may be asked for again', async () => {
  const other = await store(
    { id: 1, state: 'ok', attempts: 0 },
    { id: 2, state: 'doubtful', attempts: 5 },
    { id: 3, state: 'failed', attempts: 4 },
    { id: 4, state: 'doubtful', attempts: 6 },
    { id: 5, state: 'doubtful', attempts: 7, gone: 'missing_since' },
  );
  const states = async (shop = shopId) => {
    const rows = await warehouse.rows(sql`
      SELECT lines_state || ' ' || lines_attempts AS is FROM core.orders WHERE shop_id = ${shop} ORDER BY order_id`);
    return rows.map((row) => row['is']);
  };
  const before = await states();
  await warehouse.write((tx) => markDoubts(tx, shopId, 'doubtful', ['1', '3']));
  await warehouse.write((tx) => markDoubts(tx, shopId, 'ok', ['2']));
  expect(await states()).toEqual(['doubtful 1', 'ok 0', 'failed 4', 'doubtful 6', 'doubtful 7']);
  expect(await warehouse.write((tx) => makeDoubtsDue(tx, shopId))).toBe(2);
  expect(await states()).toEqual(['doubtful 0', 'ok 0', 'failed 4', 'doubtful 0', 'doubtful 7']);
  expect(await states(other)).toEqual(before);
});

test('lines are judged by live orders whose lines are in: the latest ones, or all of them', async () => {
  await store(
    { id: 1, state: 'ok' },
    { id: 2, state: 'doubtful' },
    { id: 3, state: 'failed' },
    { id: 4, state: 'ok', gone: 'missing_since' },
    { id: 5, state: 'ok', gone: 'deleted_at' },
    { id: 6, state: 'ok' },
  );
  await warehouse.rows(
    sql`UPDATE core.orders SET created_local = NULL WHERE shop_id = ${shopId} AND order_id = 6`,
  );
  const unknown = lineRow('2', 2, { quantity: null });
  const lines = fetched([lineRow('2', 1), unknown], undefined, 1);
  await warehouse.write((tx) => loadOrders(tx, shopId, [orderToLoad('2', { lines })]));
  const all = async () => {
    const read: number[] = [];
    for await (const batch of readAllFacts(warehouse.db, shopId)) {
      read.push(...batch.map(({ orderId }) => Number(orderId)));
      if (read.length > 9_000) break;
    }
    return read;
  };
  expect(await all()).toEqual([1, 2, 6]);
  const [first, second, ...others] = await readLatestFacts(warehouse.db, shopId);
  const facts = { item_count: '2.000', order_sum: '100.00', delivery_price: '4.90', discount_raw: null };
  const sums = { discount_percent: null, lines_total: '100.00', list_total: '100.00', line_count: 2 };
  expect([first, second, others.length]).toEqual([
    { orderId: '1', isDoubtful: false, facts: { ...facts, ...sums, quantity: 2 } },
    { orderId: '2', isDoubtful: true, facts: { ...facts, ...sums, quantity: null } },
    0,
  ]);
  // A line that could not be read leaves a gap, and its order nothing to count.
  const gap = fetched([lineRow('2', 1), lineRow('2', 3)]);
  await warehouse.write((tx) => loadOrders(tx, shopId, [orderToLoad('2', { lines: gap })]));
  const [, unread] = await readLatestFacts(warehouse.db, shopId);
  expect(unread).toMatchObject({ orderId: '2', facts: { line_count: 0 } });
  // More than are read at once, each a minute older than the one before it.
  await warehouse.rows(sql`
    INSERT INTO core.orders SELECT (jsonb_populate_record(o, jsonb_build_object(
      'order_id', n, 'created_local', o.created_local - make_interval(mins => n)))).*
    FROM core.orders o, generate_series(101, 2100) n WHERE o.shop_id = ${shopId} AND o.order_id = 1`);
  expect(await all()).toEqual([1, 2, 6, ...Array.from({ length: 2_000 }, (_, index) => 101 + index)]);
  const latest = (await readLatestFacts(warehouse.db, shopId)).map(({ orderId }) => Number(orderId));
  expect([latest.length, latest[0], latest.at(-1)]).toEqual([300, 1, 398]);
});
