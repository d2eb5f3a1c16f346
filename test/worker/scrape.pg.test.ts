import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from 'drizzle-orm';

import { recordRejections } from '../../src/warehouse/ops/record-rejections.ts';
import { readShopGauges } from '../../src/warehouse/reports/shop-gauges.ts';
import { ShopRegistry } from '../../src/worker/shop-registry.ts';
import { createMetrics, readScrape } from '../../src/worker/metrics.ts';
import { openTestWarehouse, type TestWarehouse } from '../warehouse/test-warehouse.ts';

let warehouse: TestWarehouse;

beforeAll(async () => {
  warehouse = await openTestWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());

test('a shop that was never complete ages from its registration, so that alerts fire', async () => {
  const { db } = warehouse;
  const shopId = await warehouse.newShop();
  await db.execute(sql`UPDATE core.shops SET created_at = '2026-03-10T10:00:00Z'`);
  const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined };
  const now = () => Temporal.Instant.from('2026-03-10T12:00:00Z');
  const noQueue = async () => ({ queued: 0, active: 0, failed: 0 });
  const metrics = createMetrics(() => readScrape({ db, registry: new ShopRegistry(quiet), now }, noQueue));

  const before = await metrics.render();
  expect(before).toContain('order_sync_seconds_since_complete{shop="shop-1"} 7200\n');
  expect(before).not.toContain('order_sync_days_due{');

  await db.execute(
    sql`UPDATE ops.shop_state SET completed_at = '2026-03-10T11:30:00Z' WHERE shop_id = ${shopId}`,
  );
  expect(await metrics.render()).toContain('order_sync_seconds_since_complete{shop="shop-1"} 1800\n');
});

test('only open rejections count, and no sweep that ended in the future does', async () => {
  const { db } = warehouse;
  const shopId = await warehouse.newShop();
  const gauge = async () => (await readShopGauges(db)).find((shop) => shop.shopId === shopId);
  const rejection = (sourceKey: string) =>
    ({ resource: 'order', sourceKey, field: 'summ', reason: 'not a number', value: 'free' }) as const;
  await warehouse.write((tx) => recordRejections(tx, shopId, [], ['1', '2', '3'].map(rejection)));
  expect(await gauge()).toMatchObject({ openRejections: 3 });
  await warehouse.write((tx) =>
    recordRejections(tx, shopId, [{ resource: 'order', sourceKeys: ['1', '2'] }], []),
  );
  expect(await gauge()).toMatchObject({ openRejections: 1 });

  const registered = (await gauge())?.lastCompleteAt;
  await db.execute(
    sql`UPDATE ops.shop_state SET completed_at = now() + interval '1 year' WHERE shop_id = ${shopId}`,
  );
  expect((await gauge())?.lastCompleteAt).toEqual(registered);
});
