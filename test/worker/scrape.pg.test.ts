import { expect } from 'vitest';
import { sql } from 'drizzle-orm';

import { recordRejections } from '../../src/warehouse/ops/rejections.ts';
import { saveShopFigures } from '../../src/warehouse/reports/shop-figures.ts';
import { readShopReports } from '../../src/sync/report/shop-report.ts';
import { createSources } from '../../src/worker/ops-sources.ts';
import { test } from '../support/fixtures.ts';

const worker = {
  shopKeys: () => [],
  now: () => Temporal.Instant.from('2026-03-10T12:00:00Z'),
};

test('a shop that was never complete ages from its registration, so that alerts fire', async ({
  warehouse,
}) => {
  const { db } = warehouse;
  const shopId = await warehouse.newShop();
  await db.execute(sql`UPDATE tested.shops SET created_at = '2026-03-10T10:00:00Z'`);
  const { metrics } = createSources({ ...worker, shopKeys: () => ['shop-1'], db });

  const before = await metrics.render();
  expect(before).toContain('order_sync_seconds_since_complete{shop="shop-1"} 7200\n');
  expect(before).not.toContain('order_sync_due{');
  expect(before).toContain('order_sync_queue_jobs{state="queued"} 1\n');

  await db.execute(
    sql`UPDATE tested.shop_state SET completed_at = '2026-03-10T11:30:00Z' WHERE shop_id = ${shopId}`,
  );
  expect(await metrics.render()).toContain('order_sync_seconds_since_complete{shop="shop-1"} 1800\n');
});

test('only open rejections count, and no sweep that ended in the future does', async ({ warehouse }) => {
  const { db } = warehouse;
  const shopId = await warehouse.newShop();
  const gauge = async () => {
    await warehouse.write((tx) => saveShopFigures(tx, shopId, Temporal.Now.instant()));
    const reports = await readShopReports(db, Temporal.Now.instant());
    return reports.find(({ shop }) => shop.shopId === shopId);
  };
  const rejection = (sourceKey: string) =>
    ({ resource: 'order', sourceKey, field: 'summ', reason: 'not a number', value: 'free' }) as const;
  await warehouse.write((tx) => recordRejections(tx, shopId, [], ['1', '2', '3'].map(rejection)));
  expect(await gauge()).toMatchObject({ status: { open_rejections: 3 } });
  await warehouse.write((tx) =>
    recordRejections(tx, shopId, [{ resource: 'order', sourceKeys: ['1', '2'] }], []),
  );
  expect(await gauge()).toMatchObject({ status: { open_rejections: 1 } });

  const registered = (await gauge())?.completeSince;
  await db.execute(
    sql`UPDATE tested.shop_state SET completed_at = now() + interval '1 year' WHERE shop_id = ${shopId}`,
  );
  expect((await gauge())?.completeSince).toEqual(registered);
});
