import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from 'drizzle-orm';

import { DEFAULT_FRESHNESS, parseFreshness } from '../../src/plan/days/freshness.ts';
import { recordRejections } from '../../src/warehouse/ops/rejections.ts';
import { saveShopFigures } from '../../src/warehouse/reports/shop-figures.ts';
import { releaseRoles } from '../../src/warehouse/ops/lease.ts';
import { readShopReports } from '../../src/sync/report/shop-report.ts';
import { createSources } from '../../src/worker/ops-sources.ts';
import { openTestWarehouse, type TestWarehouse } from '../warehouse/test-warehouse.ts';
import { heldLease } from '../support/held-lease.ts';

let warehouse: TestWarehouse;

beforeAll(async () => {
  warehouse = await openTestWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());

const worker = (holder: string) => ({
  holder,
  findPolicy: () => parseFreshness(DEFAULT_FRESHNESS),
  queue: { stats: async () => ({ queued: 3, active: 0, failed: 0 }) },
  now: () => Temporal.Instant.from('2026-03-10T12:00:00Z'),
});

test('a shop that was never complete ages from its registration, so that alerts fire', async () => {
  const { db } = warehouse;
  const shopId = await warehouse.newShop();
  await db.execute(sql`UPDATE tested.shops SET created_at = '2026-03-10T10:00:00Z'`);
  const { metrics } = createSources({ ...worker('one'), db });

  const before = await metrics.render();
  expect(before).toContain('order_sync_seconds_since_complete{shop="shop-1"} 7200\n');
  expect(before).not.toContain('order_sync_due{');

  await db.execute(
    sql`UPDATE tested.shop_state SET completed_at = '2026-03-10T11:30:00Z' WHERE shop_id = ${shopId}`,
  );
  expect(await metrics.render()).toContain('order_sync_seconds_since_complete{shop="shop-1"} 1800\n');
});

test('only open rejections count, and no sweep that ended in the future does', async () => {
  const { db } = warehouse;
  const shopId = await warehouse.newShop();
  const lease = await heldLease(db, shopId);
  const gauge = async () => {
    await saveShopFigures(db, lease, Temporal.Now.instant());
    const reports = await readShopReports(db, () => [], Temporal.Now.instant());
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

test('one worker reports on the shops, and another one as soon as it is gone', async () => {
  const { db } = warehouse;
  await db.execute(sql`DELETE FROM ops.worker_roles`);
  const reports = async (...holders: readonly string[]) => {
    const texts: string[] = [];
    for (const holder of holders) {
      const text = await createSources({ ...worker(holder), db }).metrics.render();
      const series = ['seconds_since_complete{', 'open_rejections{', 'queue_jobs{'].map((name) =>
        text.includes(`\norder_sync_${name}`),
      );
      expect(new Set(series).size, holder).toBe(1);
      expect(text).toContain(`order_sync_exporter ${Number(series[0])}\n`);
      if (series[0] === true) texts.push(holder);
    }
    return texts;
  };
  expect(await reports('one', 'two', 'three')).toEqual(['one']);
  expect(await reports('three', 'two', 'one')).toEqual(['one']);
  // Usual intervals of scrapes are up to a minute.
  await db.execute(sql`UPDATE ops.worker_roles SET expires_at = expires_at - interval '1 minute'`);
  expect(await reports('three', 'one')).toEqual(['one']);
  // Another one stops, and then it does.
  await releaseRoles(db, 'two');
  expect(await reports('three', 'one')).toEqual(['one']);
  await releaseRoles(db, 'one');
  expect(await reports('three', 'two')).toEqual(['three']);
  // It dies, or nobody scrapes it any more.
  await db.execute(sql`UPDATE ops.worker_roles SET expires_at = expires_at - interval '1 hour'`);
  expect(await reports('one', 'three', 'two')).toEqual(['one']);
});

test('workers that ask at the same moment do not both report', async () => {
  const { db } = warehouse;
  await db.execute(sql`DELETE FROM ops.worker_roles`);
  const holders = Array.from({ length: 6 }, (_, index) => `worker-${index}`);
  const texts = await Promise.all(
    holders.map(async (holder) => await createSources({ ...worker(holder), db }).metrics.render()),
  );
  expect(texts.filter((text) => text.includes('order_sync_exporter 1\n'))).toHaveLength(1);
});
