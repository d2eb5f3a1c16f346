import { sql } from 'drizzle-orm';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { OrderToLoad } from '../../../src/warehouse/orders/load-orders.ts';
import {
  maintainSummaries,
  refreshSummaries,
  stampViewChanges,
} from '../../../src/warehouse/ops/refresh-summaries.ts';
import { emptyDatabase } from '../../support/database.ts';
import { fetched, lineRow, orderToLoad } from '../../support/rows.ts';
import { differences } from '../views/recount.ts';
import { anyChange, anyOrder, EDITS } from '../summary-changes.ts';
import { openTestWarehouse, type TestWarehouse, untilWaiting } from '../test-warehouse.ts';
import { IS_LONG } from '../../support/long.ts';
import { longTest } from '../../support/long-test.ts';

/** A full count of a small shop takes a quarter of a second. */
const RUNS = IS_LONG ? 200 : 2;

let warehouse: TestWarehouse;
beforeAll(async () => {
  // Some edits empty whole tables.
  warehouse = await openTestWarehouse(emptyDatabase);
});
afterAll(() => warehouse[Symbol.asyncDispose]());

const marks = async () => {
  const [counted] = await warehouse.rows(sql`SELECT count(*)::int AS marks FROM ops.stale_sums`);
  return counted?.['marks'];
};
const load = (shopId: number, ...given: readonly Parameters<typeof orderToLoad>[]) =>
  write(
    shopId,
    given.map((one) => orderToLoad(...one)),
  );
/** Orders of any kind with numbers within a range, the same ones each time. */
const sampled = (seed: number, min: number, max: number, count: number) => {
  const drawn = fc.sample(anyOrder(fc.integer({ min, max }).map(String)), { numRuns: count, seed });
  return [...new Map(drawn.map((order) => [order.row.order_id, order])).values()];
};
const write = (shopId: number, orders: readonly OrderToLoad[]) => warehouse.load(shopId, orders);
const revenue = async (shopId: number) => {
  const [row] = await warehouse.rows(sql`SELECT revenue FROM bi.daily_sales WHERE shop_id = ${shopId}`);
  return row?.['revenue'];
};

test('whatever writes orders, the views equal a full recount', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyChange, { minLength: 3, maxLength: 8 }), async (changes) => {
      const shopId = await warehouse.newShop();
      for (const change of changes) {
        await change(warehouse, shopId);
        expect(await differences(warehouse, shopId)).toEqual([]);
      }
    }),
    { numRuns: RUNS },
  );
  expect(
    await warehouse.rows(sql`SELECT FROM bi.customers LIMIT 1`),
    'there is something to compare',
  ).toHaveLength(1);
});

longTest(
  'after a refresh of many customers their marks take no space, and a few are left to autovacuum',
  async () => {
    await using own = await openTestWarehouse();
    const shopId = await own.newShop();
    const customers = (first: number, count: number) =>
      Array.from({ length: count }, (_, index) =>
        orderToLoad(String(first + index), { row: { customer_key: `o:${first + index}` } }),
      );
    const pages = async () => {
      const [sizes] = await own.rows(sql`SELECT pg_relation_size('ops.stale_sums')::int AS bytes`);
      return sizes?.['bytes'];
    };
    await own.load(shopId, customers(1, 1_500));
    expect(await pages()).toBeGreaterThan(0);
    await maintainSummaries(own.db);
    expect(await pages()).toBe(0);
    await own.load(shopId, customers(2_000, 10));
    await maintainSummaries(own.db);
    expect(await pages()).toBeGreaterThan(0);
    const [left] = await own.rows(sql`SELECT count(*)::int AS marks FROM ops.stale_sums`);
    expect(left).toEqual({ marks: 0 });
  },
);

test('any edit after a refresh shows in the views at once', async () => {
  const drawn = { order: '1', code: 'C', day: '2026-02-03', oid: '3' };
  const edits = Object.entries(EDITS);
  const ofAll = edits.filter(([name]) => /^(the whole|all) /.test(name));
  expect(ofAll).toHaveLength(4);
  const shops = new Map<string, number>();
  for (const [name] of edits) {
    const shopId = await warehouse.newShop();
    shops.set(name, shopId);
    // Twice, so that orders have a past.
    for (const seed of [1, 2]) await write(shopId, sampled(seed, 1, 16, 16));
  }
  const editShop = ([name, edit]: (typeof edits)[number]) =>
    warehouse.rows(edit(shops.get(name) ?? 0, drawn));
  // Those of one shop are seen with one look at all shops, which takes as long as one at a single shop.
  await refreshSummaries(warehouse.db);
  for (const edit of edits) if (!ofAll.includes(edit)) await editShop(edit);
  expect(await differences(warehouse), JSON.stringify([...shops])).toEqual([]);
  for (const edit of ofAll) {
    await refreshSummaries(warehouse.db);
    await editShop(edit);
    expect(await differences(warehouse, shops.get(edit[0])), edit[0]).toEqual([]);
  }
});

test('the views read the summaries, and recompute only what a write touched', async () => {
  const shopId = await warehouse.newShop();
  await load(shopId, ['1'], ['2', { row: { created_on: '2026-03-02', customer_key: 'g:x' } }]);
  await refreshSummaries(warehouse.db);
  expect(await marks()).toBe(0);
  await warehouse.rows(sql`UPDATE core.daily_sums SET revenue = 7 WHERE shop_id = ${shopId}`);
  expect(await revenue(shopId)).toBe('7.00');
  await load(shopId, ['1', { row: { order_sum: '5.00' } }]);
  const days = await warehouse.rows(sql`
    SELECT order_date, revenue FROM bi.daily_sales WHERE shop_id = ${shopId} ORDER BY order_date`);
  expect(days).toEqual([
    { order_date: '2026-03-01', revenue: '5.00' },
    { order_date: '2026-03-02', revenue: '7.00' },
  ]);
  expect(await refreshSummaries(warehouse.db)).toBe(1);
  await warehouse.rows(sql`SELECT ops.mark_everything()`);
  await refreshSummaries(warehouse.db);
  expect(await revenue(shopId)).not.toBe('7.00');
});

test('a new order sum does not change the sums of products, but an order that stops being a sale does', async () => {
  const shopId = await warehouse.newShop();
  await load(shopId, ['1'], ['2']);
  await refreshSummaries(warehouse.db);
  await warehouse.rows(sql`UPDATE core.product_months SET orders = 70 WHERE shop_id = ${shopId}`);
  const sold = async () =>
    (await warehouse.rows(sql`SELECT orders FROM bi.products WHERE shop_id = ${shopId}`)).map(
      ({ orders }) => orders,
    );
  const edit = async (row: { readonly order_sum: string; readonly status_code?: string }) => {
    await load(shopId, ['1', { row }]);
    const atOnce = await sold();
    await refreshSummaries(warehouse.db);
    expect(await sold()).toEqual(atOnce);
    return atOnce;
  };
  expect(await edit({ order_sum: '5.00' })).toEqual(['70', '70']);
  expect(await edit({ order_sum: '5.00', status_code: 'F' })).toEqual(['1', '1']);
});

test('reloading unchanged orders makes nothing stale', async () => {
  const shopId = await warehouse.newShop();
  await load(shopId, ['1'], ['2']);
  await refreshSummaries(warehouse.db);
  await load(shopId, ['1', { row: { color: 'new', views: 9 } }], ['2']);
  expect(await marks()).toBe(0);
});

test('concurrent loads of one or two shops, with refreshes, lose no order and never deadlock', async () => {
  const shops = [await warehouse.newShop(), await warehouse.newShop()];
  const loaded = new AbortController();
  let refreshes = 0;
  const refreshing = (async () => {
    for (; !loaded.signal.aborted; refreshes += 1) await refreshSummaries(warehouse.db);
  })();
  const loaders = shops.flatMap((shopId) =>
    [1, 2, 3].map(async (loader) => {
      for (let round = 0; round < 5; round += 1) {
        // Of the same days and customers in every loader, and in no order.
        await write(shopId, sampled(loader * 100 + round, loader * 1_000, loader * 1_000 + 50, 20));
      }
    }),
  );
  try {
    await Promise.all(loaders);
  } finally {
    loaded.abort();
    await refreshing;
  }
  expect(refreshes).toBeGreaterThan(1);
  expect(await differences(warehouse)).toEqual([]);
  await refreshSummaries(warehouse.db);
  expect(await differences(warehouse)).toEqual([]);
  expect(await marks()).toBe(0);
});

test('a refresh waits for an edit of what counts as a sale, and then uses it', async () => {
  const shopId = await warehouse.newShop();
  await load(shopId, ['1'], ['2', { row: { status_code: 'C' } }]);
  await refreshSummaries(warehouse.db);
  const { refreshing } = await warehouse.write(async (tx) => {
    await tx.execute(
      sql`UPDATE core.order_statuses SET is_sale = false WHERE shop_id = ${shopId} AND status_code = 'A'`,
    );
    // Written when the edit has marked the orders that it found, and is not seen by others yet.
    await warehouse.rows(
      sql`UPDATE core.orders SET status_code = 'A' WHERE shop_id = ${shopId} AND order_id = 2`,
    );
    const started = refreshSummaries(warehouse.db);
    await untilWaiting(warehouse);
    return { refreshing: started };
  });
  // Of the order that the edit found, and of the one that came while it was made.
  expect(await refreshing).toBe(2);
  expect(await revenue(shopId)).toBe('0.00');
  expect(await differences(warehouse)).toEqual([]);
  expect(await marks()).toBe(0);
});

test("editing a line while its order moves marks the order's new day", async () => {
  const shopId = await warehouse.newShop();
  const lines = (products: readonly string[]) =>
    fetched(products.map((product_oid, index) => lineRow('1', index + 1, { product_oid })));
  await load(shopId, ['1', { lines: lines(['1', '2']) }], ['2', { lines: fetched([]) }]);
  await refreshSummaries(warehouse.db);
  const { moving } = await warehouse.write(async (tx) => {
    await tx.execute(sql`
      UPDATE core.order_lines SET product_oid = 9 WHERE shop_id = ${shopId} AND order_id = 1 AND line_no = 1`);
    const started = warehouse.rows(sql`
      UPDATE core.orders SET created_on = '2026-05-03' WHERE shop_id = ${shopId} AND order_id = 1`);
    await untilWaiting(warehouse);
    await refreshSummaries(warehouse.db);
    return { moving: started };
  });
  await moving;
  expect(await differences(warehouse, shopId)).toEqual([]);
  await refreshSummaries(warehouse.db);
  expect(await differences(warehouse, shopId)).toEqual([]);
});

test('a transaction that does not see the newest orders cannot change what counts as a sale', async () => {
  const shopId = await warehouse.newShop();
  await load(shopId, ['1']);
  const edit = warehouse.db.transaction(
    (tx) => tx.execute(sql`UPDATE core.order_statuses SET is_sale = NOT is_sale WHERE shop_id = ${shopId}`),
    { isolationLevel: 'repeatable read' },
  );
  await expect(edit).rejects.toMatchObject({
    cause: { message: 'what a sale is cannot be changed in a repeatable read transaction' },
  });
  expect(await differences(warehouse, shopId)).toEqual([]);
});

test('all orders that show a change are stamped by one call, also where they are more than a transaction takes', async () => {
  const { db } = warehouse;
  const shopId = await warehouse.newShop();
  await db.execute(sql`
    INSERT INTO ops.view_changes (shop_id, kind, key) SELECT ${shopId}, 'order', n::text FROM generate_series(1, 5001) AS n`);
  await stampViewChanges(db);
  expect(await warehouse.rows(sql`SELECT key FROM ops.view_changes WHERE shop_id = ${shopId}`)).toEqual([]);
});
