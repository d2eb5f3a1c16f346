import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import { markVerified, recordDayFailure } from '../../../src/warehouse/ops/ledger.ts';
import { loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import { markOrders } from '../../../src/warehouse/orders/missing-marks.ts';
import { recordRejections } from '../../../src/warehouse/ops/rejections.ts';
import { readShopReports } from '../../../src/sync/report/shop-report.ts';
import { saveShopFigures } from '../../../src/warehouse/reports/shop-figures.ts';
import { heldLease } from '../../support/held-lease.ts';
import { orderToLoad, SEEN } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const warehouse = fileWarehouse();
let shopId: number;
beforeEach(async () => {
  shopId = await warehouse.newShop();
});

const status = async () => {
  const reports = await readShopReports(warehouse.db, Temporal.Now.instant());
  return reports.find(({ shop }) => shop.shopId === shopId)?.status;
};
const verify = (...days: readonly string[]) =>
  warehouse.write((tx) =>
    markVerified(
      tx,
      shopId,
      days.map((day) => ({ day, verifiedAt: SEEN, orders: 1 })),
    ),
  );
const fail = (...days: readonly string[]) =>
  warehouse.write((tx) =>
    recordDayFailure(tx, shopId, days, 'moved', (before) => ({
      attempts: before + 1,
      retryAt: undefined,
    })),
  );

test('a shop that was never swept has no days, and zero of everything', async () => {
  expect(await status()).toMatchObject({
    is_complete: false,
    days_due: null,
    first_day: null,
    last_day: null,
    complete_through: null,
    days_verified: 0,
    days_unverified: 0,
    newest_verified_at: null,
    orders: 0,
    orders_missing: 0,
    orders_deleted: 0,
    orders_without_lines: 0,
    open_rejections: 0,
    requests_last_day: 0,
  });
});

test('if only a future day of a shop is known, today is due', async () => {
  await verify('2999-01-01');
  expect(await status()).toMatchObject({ last_day: '2999-01-01', days_due: 1, is_complete: false });
});

test.each([
  ['today', '2026-03-10', 0],
  ['the day before', '2026-03-09', 1],
  ['two days before', '2026-03-08', 2],
])('where the last day that was read is %s (%s), %i days are due', async (_what, day, due) => {
  await verify(day);
  const reports = await readShopReports(warehouse.db, SEEN);
  const found = reports.find(({ shop }) => shop.shopId === shopId)?.status;
  expect(found).toMatchObject({ days_due: due, is_complete: due === 0 });
});

test('a run has the orders that it loaded, until they are counted', async () => {
  await heldLease(warehouse.db, shopId);
  await warehouse.rows(sql`
    INSERT INTO ops.runs (shop_id, kind, status, started_at, version, orders_new)
    VALUES (${shopId}, 'backfill', 'running', now(), 'test', 7)`);
  expect((await status())?.orders).toBe(7);
  await warehouse.rows(sql`UPDATE ops.runs SET status = 'ok', finished_at = now() WHERE shop_id = ${shopId}`);
  expect((await status())?.orders).toBe(0);
});

test('the newest day has its verification time, if any', async () => {
  await verify('2026-03-01');
  expect(await status()).toMatchObject({ newest_verified_at: '2026-03-10T08:00:00Z' });
  await fail('2026-03-02');
  expect(await status()).toMatchObject({ newest_verified_at: null });
});

test('days verified by a fast clock are due, without a known time', async () => {
  await verify('2026-03-01');
  await warehouse.rows(sql`UPDATE ops.days SET verified_at = '2099-01-01Z' WHERE shop_id = ${shopId}`);
  await warehouse.rows(sql`UPDATE ops.shop_state SET looked_at = '2099-01-01Z' WHERE shop_id = ${shopId}`);
  const read = await status();
  expect(read).toMatchObject({ is_complete: false, newest_verified_at: null, looked_at: null });
  expect(read?.days_due).toBeGreaterThan(0);
});

test('it reports how many days failed, why the newest did, and when the first is retried', async () => {
  await verify('2026-02-28', '2026-03-04');
  for (const [day, hour] of [
    ['2026-03-01', 9],
    ['2026-03-02', 10],
  ] as const) {
    const retryAt = Temporal.Instant.from('2026-03-10T00:00Z').add({ hours: hour });
    await warehouse.write((tx) =>
      recordDayFailure(tx, shopId, [day], `why ${day}`, () => ({ attempts: 1, retryAt })),
    );
  }
  // Still to be read.
  await warehouse.rows(sql`INSERT INTO ops.days (shop_id, day) VALUES (${shopId}, '2026-03-03')`);
  expect(await status()).toMatchObject({
    days_failed: 2,
    days_unverified: 3,
    day_error: 'why 2026-03-02',
    retry_at: '2026-03-10T09:00:00Z',
  });
});

test('orders, marks, rejections and requests are counted for this shop alone, lines as long as they can be fetched', async () => {
  const failed = { kind: 'failed', attempts: 1, triedAt: SEEN, reason: 'refused' } as const;
  await warehouse.write(async (tx) => {
    const ids = ['1', '2', '3', '4', '5'];
    await loadOrders(
      tx,
      shopId,
      ids.map((id) => orderToLoad(id, id >= '4' ? { lines: failed } : {})),
    );
    await markOrders(tx, shopId, { missing: ['2', '3', '4'] }, SEEN);
    await tx.execute(
      sql`UPDATE tested.orders SET deleted_at = now() WHERE shop_id = ${shopId} AND order_id IN (3, 4)`,
    );
    const rejection = { resource: 'order', sourceKey: '1', field: null, reason: 'r', value: null } as const;
    await recordRejections(
      tx,
      shopId,
      [],
      ['1', '2', '3'].map((sourceKey) => ({ ...rejection, sourceKey })),
    );
    await recordRejections(tx, shopId, [{ resource: 'order', sourceKeys: ['2'] }], []);
    // In the hour before this one the last request was counted; the oldest number is about 25 hours ago.
    const counts = [24, ...Array.from({ length: 21 }, () => 0), 240, 24_000];
    await tx.execute(sql`
      UPDATE tested.shop_state SET memory = jsonb_build_object('requests',
        jsonb_build_object('hour', date_trunc('hour', now() - interval '1 hour'), 'counts', ${JSON.stringify(counts)}::jsonb))
      WHERE shop_id = ${shopId}`);
  });
  const counted = {
    orders: 3,
    orders_missing: 1,
    orders_deleted: 2,
    orders_without_lines: 1,
    open_rejections: 1,
    requests_last_day: 264,
  };
  await warehouse.write((tx) => saveShopFigures(tx, shopId, SEEN));
  expect(await status()).toMatchObject(counted);
  const shown = await warehouse.rows(
    sql`SELECT open_rejections::int AS open FROM bi.sync_freshness WHERE shop_id = ${shopId}`,
  );
  expect(shown).toEqual([{ open: 1 }]);
  shopId = await warehouse.newShop();
  expect(await status()).toMatchObject({ orders: 0, open_rejections: 0, requests_last_day: 0 });
});

test.each([
  { found: null, pace: 'what it allows', perHour: 360 },
  { found: 1, pace: 'what it was found to take', perHour: 180 },
])("counts take no more of a shop's requests than their part of $pace", async ({ found, perHour }) => {
  const pace = { concurrency: 4, lowest_concurrency: 4, max_concurrency: 4, max_rps: 2, found_rps: found };
  const memory = {
    profile: { limit: 500, pageRows: 0, totalMeaning: 'matches' },
    counts: { at: '2026-03-09T00:00:00Z', through: '2026-03-08', orders: 7, facets: 27, requestsLeft: 0 },
    countEveryMs: 60_000,
    throttle: { ...pace, limited_by: null, circuit: 'closed' },
  };
  await warehouse.rows(sql`
    UPDATE ops.shop_state SET memory = ${JSON.stringify(memory)}
    WHERE shop_id = ${shopId}`);
  expect((await status())?.counts).toMatchObject({ facets: 27, requests_per_hour: perHour });
});
