/** A shop is paused, resumed, deleted; each changes what it says and nothing else. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import { judgeShops, readShopReports } from '../../../src/sync/report/shop-report.ts';
import { deleteShop } from '../../../src/sync/shops/delete-shop.ts';
import type { Db } from '../../../src/warehouse/db/database.ts';
import { countShopRows, listShopTables } from '../../../src/warehouse/directory/delete-shop.ts';
import { listShops } from '../../../src/warehouse/directory/registered-shops.ts';
import { pauseShop, resumeShop } from '../../../src/warehouse/directory/shop-life.ts';
import { readNextMessage } from '../../../src/warehouse/ops/alerts.ts';
import { refreshSummaries } from '../../../src/warehouse/ops/refresh-summaries.ts';
import { BYSTANDER } from '../../support/bystander.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { openOwnShop } from '../../support/shop.ts';
import { storedShop } from '../../support/stored-run.ts';
import { type Means, sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';
import { untilLocked, WAITING_FOR_LOCK } from '../../support/until.ts';

const now = Temporal.Instant.from('2026-03-05T12:00:00Z');
const clock = testClock(now);
const never = new AbortController().signal;
const shopOf = (seed: number) => ({ orders: 24, days: 10, seed, now });
const FORCED = { kind: 'backfill', force: true } as const;
async function sweep(simulator: Simulator, db: Db, shopKey: string, means: Means = {}) {
  clock.pass({ minutes: 1 });
  return sweepOnce(
    simulator,
    db,
    FORCED,
    { shopKey },
    { now: clock.now, refreshesSummaries: true, through: withoutGroups, ...means },
  );
}

const sales = async (client: Client) =>
  (await client.query('SELECT * FROM bi.daily_sales ORDER BY shop, order_date, currency')).rows;

test('a paused shop gets no requests and raises no alert, not even after it is resumed and before it is swept', async () => {
  const { client, db, simulator } = await openOwnShop(shopOf(1));
  await sweep(simulator, db, 'north');
  const { shopId } = await storedShop(db, 'north');
  await client.query(
    `INSERT INTO tested.alerts (shop_id, cause, text, raised_at) VALUES ($1, 'failing', 'it fails', now())`,
    [shopId],
  );
  const judged = async (at: Temporal.Instant) => (await judgeShops(db, at)).length > 0;
  await resumeShop(db, shopId);
  expect(await judged(Temporal.Now.instant()), 'it was not paused').toBe(true);
  await pauseShop(db, shopId);
  expect(await judged(Temporal.Now.instant().add({ hours: 1 })), 'it is paused').toBe(false);
  simulator.requests.reset();
  await expect(sweep(simulator, db, 'north')).rejects.toThrow(/^shop north is paused since /);
  expect(simulator.requests.count('orders')).toBe(0);
  const reports = await readShopReports(db, now);
  expect(reports.map(({ status }) => status)).toMatchObject([{ shop: 'north', alerts: [] }]);
  expect(await db.transaction((tx) => readNextMessage(tx))).toBeUndefined();
  expect((await sales(client)).length, 'its orders stay in the views').toBeGreaterThan(0);
  await resumeShop(db, shopId);
  const resumed = Temporal.Now.instant();
  expect(await judged(resumed)).toBe(false);
  expect(await judged(resumed.add({ minutes: 3 }))).toBe(true);
  expect(await sweep(simulator, db, 'north')).toMatchObject({ status: 'ok' });
});

test('pausing ends a sweep in progress, which writes nothing more', async () => {
  const { client, db, simulator } = await openOwnShop(shopOf(1));
  await sweep(simulator, db, 'north');
  const { shopId } = await storedShop(db, 'north');
  const [first] = simulator.shop.orders();
  simulator.shop.editOrder(first?.orderId ?? 0);
  const versions = async () => (await client.query('SELECT xmin, order_id FROM core.orders ORDER BY 2')).rows;
  const before = await versions();
  const through = (api: ShopApi): ShopApi => ({
    ...api,
    orderContent: async (...given) => {
      await pauseShop(db, shopId);
      return api.orderContent(...given);
    },
  });
  const pausing = sweep(simulator, db, 'north', { through });
  await expect(pausing).rejects.toThrow('stopped writing');
  expect(await versions()).toEqual(before);
});

test('a second key for a shop that is registered already is refused', async () => {
  const { db, simulator } = await openOwnShop(shopOf(1));
  await sweep(simulator, db, 'held');
  await expect(sweep(simulator, db, 'mistyped')).rejects.toThrow(
    /^the shop at http.* is already loaded as shop held, and would be loaded a second time as mistyped: set its shop key to held; docs\/runbooks\.md/,
  );
  expect((await listShops(db)).map(({ shopKey }) => shopKey)).toEqual([BYSTANDER, 'held']);
});

test('a registered shop is recognized by its orders, whatever else was registered with its address', async () => {
  const { db, simulator } = await openOwnShop(shopOf(1));
  // Given up before it read an order.
  await sweepOnce(simulator, db, { ...FORCED, budgetMs: 0 }, { shopKey: 'begun' }, { now: clock.now });
  await sweep(simulator, db, 'loaded');
  await expect(sweep(simulator, db, 'mistyped')).rejects.toThrow('is already loaded as shop loaded');
});

test('the deletion covers every table with rows of shops, in the order of their foreign keys', async () => {
  const { client, db } = await openOwnShop();
  const tables = await listShopTables(db);
  const held = await client.query<{ name: string }>(
    `SELECT table_schema || '.' || table_name AS name FROM information_schema.columns JOIN information_schema.tables
         USING (table_schema, table_name)
       WHERE column_name = 'shop_id' AND table_type = 'BASE TABLE' AND table_schema IN ('core', 'raw', 'ops')`,
  );
  expect(tables.toSorted()).toEqual(held.rows.map(({ name }) => name).toSorted());
  const { rows } = await client.query<{ from: string; to: string }>(
    `SELECT conrelid::regclass::text AS from, confrelid::regclass::text AS to FROM pg_constraint WHERE contype = 'f'`,
  );
  const wrong = rows.filter(
    ({ from, to }) => tables.includes(from) && tables.indexOf(from) > tables.indexOf(to),
  );
  expect(wrong).toEqual([]);
  expect(rows.length).toBeGreaterThan(10);
});

test('an interrupted deletion can be continued, and leaves nothing of the shop and everything of others', async () => {
  const { client, db, simulator: doomed } = await openOwnShop(shopOf(1));
  await using kept = makeShopInProcess(shopOf(2));
  await sweep(kept, db, 'kept');
  const [alone, keptRows] = [
    await sales(client),
    await countShopRows(db, (await storedShop(db, 'kept')).shopId),
  ];
  // With its groups.
  await sweep(doomed, db, 'doomed', { through: (api) => api });
  await refreshSummaries(db);
  const shop = await storedShop(db, 'doomed');
  expect((await countShopRows(db, shop.shopId)).length).toBeGreaterThan(14);
  const stop = new AbortController();
  const halfway = () => stop.abort(new Error('stopped'));
  await expect(deleteShop({ db, signal: stop.signal }, shop, halfway)).rejects.toThrow('stopped');
  await expect(sweep(doomed, db, 'doomed')).rejects.toThrow(/shop doomed is being deleted; .* --yes/);
  const began = async () => String((await storedShop(db, 'doomed')).deletionStartedAt);
  const first = await began();
  await expect(deleteShop({ db, signal: stop.signal }, shop)).rejects.toThrow('stopped');
  expect(await began()).toBe(first);
  const deleted: string[] = [];
  await deleteShop({ db, signal: never }, shop, ({ table }) => deleted.push(table));
  expect(deleted).toContain('core.orders');
  expect(await countShopRows(db, shop.shopId)).toEqual([]);
  expect(await sales(client)).toEqual(alone);
  expect(await countShopRows(db, (await storedShop(db, 'kept')).shopId)).toEqual(keptRows);
  // As a new one.
  expect(await sweep(doomed, db, 'doomed')).toMatchObject({ status: 'ok', orders_new: 24 });
});

test('sums that a refresh stores while the shop is deleted go too', async () => {
  const { client, db, simulator: doomed } = await openOwnShop(shopOf(1));
  await sweep(doomed, db, 'doomed');
  const shop = await storedShop(db, 'doomed');
  await client.query('BEGIN');
  await client.query('SELECT FROM core.order_statuses WHERE shop_id = $1 FOR NO KEY UPDATE', [shop.shopId]);
  await client.query(
    `INSERT INTO tested.status_paths (shop_id, day, status_code, earlier, orders) VALUES ($1, '2026-01-01', 'A', '{}', 1)`,
    [shop.shopId],
  );
  let isDeleted = false;
  const deleting = deleteShop({ db, signal: never }, shop).then(() => (isDeleted = true));
  await untilLocked(1, () => db.execute(WAITING_FOR_LOCK));
  expect(isDeleted).toBe(false);
  await client.query('COMMIT');
  await deleting;
  expect(await countShopRows(db, shop.shopId)).toEqual([]);
});
