/** What the page of a shop, the metrics and the worker read of it: of this shop alone. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { markOrders } from '../../../src/warehouse/orders/missing-marks.ts';
import { readShopDetails } from '../../../src/sync/report/shop-details.ts';
import { readShopReports } from '../../../src/sync/report/shop-report.ts';
import { readDailyOrders } from '../../../src/warehouse/reports/shop-figures.ts';
import { updateShopState } from '../../../src/warehouse/ops/stored-shop-state.ts';
import { readLedgerSummaries } from '../../../src/warehouse/reports/ledger-summaries.ts';
import { orderToLoad, SEEN } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:40:00Z');

const warehouse = fileWarehouse();
const report = async (shopId: number, now = NOW) =>
  (await readShopReports(warehouse.db, now)).find(({ shop }) => shop.shopId === shopId);

test('the orders of a day are counted in every stage, its revenue is that of sales', async () => {
  const [shopId, other] = [await warehouse.newShop(), await warehouse.newShop()];
  const statuses = ['A', 'C', 'F', 'R', 'U', 'X', 'C'];
  const given = statuses.map((status_code, index) =>
    orderToLoad(String(index + 1), { row: { status_code, created_on: '2026-03-02' } }),
  );
  const rest = [
    orderToLoad('8', { row: { created_on: '2026-03-01', currency: null, order_sum: null } }),
    orderToLoad('9', { row: { created_on: null, created_local: null, created_at: null } }),
  ];
  for (const id of [shopId, other]) {
    await warehouse.load(id, [...given, ...rest]);
  }
  await warehouse.write(async (tx) => {
    await markOrders(tx, shopId, { missing: ['7'] }, SEEN);
    await markOrders(tx, shopId, { deleted: ['7'] }, SEEN);
  });
  expect(await readDailyOrders(warehouse.db, shopId)).toEqual([
    { day: '2026-03-01', orders: 1 },
    { day: '2026-03-02', orders: 6 },
  ]);
});

test('days that could not be verified are listed, newest first, until they are verified', async () => {
  const [shopId, other] = [await warehouse.newShop(), await warehouse.newShop()];
  for (const id of [shopId, other]) {
    await warehouse.rows(sql`
      INSERT INTO ops.days (shop_id, day, verified_at, attempts, last_error) VALUES
        (${id}, '2026-03-01', NULL, 1, 'moved'), (${id}, '2026-03-02', NULL, 0, NULL),
        (${id}, '2026-03-03', now(), 2, 'moved before'), (${id}, '2026-03-04', NULL, 3, 'cut'), (${id}, '2026-03-05', NULL, 4, 'cut')`);
  }
  await warehouse.rows(
    sql`UPDATE ops.shop_state SET findings = '{"clock": "wrong"}' WHERE shop_id = ${other}`,
  );
  const key = (await report(shopId))?.shop.shopKey ?? '';
  expect((await readShopDetails(warehouse.db, key, NOW))?.failedDays).toEqual([
    { day: '2026-03-05', error: 'cut' },
    { day: '2026-03-04', error: 'cut' },
    { day: '2026-03-01', error: 'moved' },
  ]);
  expect((await report(shopId))?.status.alerts).toEqual([]);
  expect((await report(other))?.status.alerts).toEqual([
    { cause: 'clock', text: 'The shop has a wrong time zone or clock: wrong.' },
  ]);
});

test('a lease counts until it ends, and a shop that is being deleted is not measured', async () => {
  const [shopId, other] = [await warehouse.newShop(), await warehouse.newShop()];
  const lease = async (until: string) =>
    warehouse.rows(sql`
      INSERT INTO ops.leases (shop_id, holder, epoch, expires_at) VALUES (${shopId}, 'one', 1, now() + ${until}::interval)
      ON CONFLICT (shop_id) DO UPDATE SET expires_at = excluded.expires_at`);
  expect(await report(shopId)).toMatchObject({
    isLeased: false,
    status: { requests_last_day: 0, open_rejections: 0 },
  });
  await lease('30 seconds');
  expect([await report(shopId), await report(other)].map((each) => each?.isLeased)).toEqual([true, false]);
  await lease('-1 second');
  expect((await report(shopId))?.isLeased).toBe(false);
  await warehouse.rows(sql`UPDATE core.shops SET deletion_started_at = now() WHERE shop_id = ${shopId}`);
  expect(await report(shopId)).toBeUndefined();
});

test('a ledger is summed up by the rules that its days fall under', async () => {
  const [shopId, other] = [await warehouse.newShop(), await warehouse.newShop()];
  const days = [
    ['2026-03-01', '2026-03-10T09:00:00Z', 1],
    ['2026-03-05', '2026-03-10T11:30:00Z', 2],
    ['2026-03-06', '2026-03-10T12:00:00Z', 4],
    ['2026-03-07', '2026-03-10T12:10:00Z', 8],
    // By a clock that was ahead.
    ['2026-03-08', '2026-03-10T13:00:00Z', 16],
    ['2026-03-09', null, 0],
    // Tomorrow is not due yet, though nobody has looked at it.
    ['2026-03-11', null, 0],
  ] as const;
  for (const [day, at, orders] of days) {
    await warehouse.rows(sql`
      INSERT INTO ops.days (shop_id, day, verified_at, orders_seen) VALUES (${shopId}, ${day}, ${at}, ${orders})`);
  }
  await warehouse.rows(sql`INSERT INTO ops.days (shop_id, day) VALUES (${other}, '2026-03-07')`);
  const freshness = [
    { younger_than_days: 5, target_seconds: 40 * 60 },
    { younger_than_days: null, target_seconds: 80 * 60 },
  ];
  await updateShopState(warehouse.db, shopId, { freshness }, NOW);
  await updateShopState(warehouse.db, other, { freshness: [] }, NOW);
  const summaries = await readLedgerSummaries(warehouse.db, NOW);
  expect([...summaries.keys()]).toContain(shopId);
  expect([...summaries.keys()], 'whose days are due at no age').not.toContain(other);
  expect(summaries.get(shopId)).toMatchObject({
    first_day: '2026-03-01',
    last_day: '2026-03-11',
    // Four by the rules, and today.
    days_due: 5,
    complete_through: '2026-03-08',
    days_verified: 5,
    days_unverified: 2,
    newest_verified_at: null,
    rules: expect.arrayContaining([
      { targetMs: 2_400_000, orders: 28 },
      { targetMs: 4_800_000, orders: 3 },
    ]),
  });
});
