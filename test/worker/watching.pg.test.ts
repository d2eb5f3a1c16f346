/** What the page, its data and the metrics cost the database, and whether they say what is there. */
import { sql } from 'drizzle-orm';
import { Client } from 'pg';
import { expect, vi } from 'vitest';

import { test } from '../support/fixtures.ts';
import { dueDays } from '../../src/plan/days/due-days.ts';
import { DEFAULT_FRESHNESS, freshnessTargetMs, parseFreshness } from '../../src/plan/days/freshness.ts';
import { listRequestsPerHour } from '../../src/plan/load/load-cost.ts';
import { pageCapacity } from '../../src/shop-api/paging/request-page.ts';
import { freshnessRecords, readMemory } from '../../src/sync/run/shop-state.ts';
import type { Db } from '../../src/warehouse/db/database.ts';
import type { StoredShop } from '../../src/warehouse/directory/registered-shops.ts';
import { readLedger } from '../../src/warehouse/ops/ledger.ts';
import { readShopState } from '../../src/warehouse/ops/stored-shop-state.ts';
import { makeShopInProcess } from '../support/in-process-shop.ts';
import { readShopReports } from '../../src/sync/report/shop-report.ts';
import { readWithin } from '../../src/warehouse/db/rows.ts';
import { createSources } from '../../src/worker/ops-sources.ts';
import { sweepOnce, testClock, withoutGroups } from '../support/sweep.ts';
import { openTestWarehouse } from '../warehouse/test-warehouse.ts';
import { until, WAITING_FOR_LOCK } from '../support/until.ts';

const POLICY = parseFreshness(DEFAULT_FRESHNESS);
const FIGURES = [
  'orders',
  'orders_missing',
  'orders_deleted',
  'orders_without_lines',
  'orders_with_doubtful_lines',
  'open_rejections',
] as const;

/** The days of a shop that a sweep finds due, and what all of them cost, from each row of its ledger. */
async function sweepsTake(db: Db, { shopId, timezone }: StoredShop, now: Temporal.Instant) {
  const ledger = await readLedger(db, shopId, now, freshnessRecords(POLICY));
  const today = now.toZonedDateTimeISO(timezone).toPlainDate();
  const due = dueDays(ledger, { from: undefined, to: today }, {}, now);
  const groups = ledger.map(({ day, orders }) => ({
    targetMs: freshnessTargetMs(POLICY, day.until(today).total('days')),
    orders: orders ?? 0,
  }));
  const row = await readShopState(db, shopId);
  const pageRows = row === undefined ? 0 : pageCapacity(readMemory(row).profile);
  return { due: due.length, perHour: listRequestsPerHour(groups, pageRows) };
}

test('the figures that runs stored equal a full count, and days due are those that sweeps find', async ({
  own: { client, db },
}) => {
  // As precise as the database is.
  const NOW = Temporal.Now.instant().round({ smallestUnit: 'second', roundingMode: 'floor' });
  const clock = testClock(NOW);
  await using plain = makeShopInProcess({ orders: 60, days: 500, now: NOW, seed: 1 });
  await using changing = makeShopInProcess({ orders: 40, days: 20, now: NOW, seed: 2 });
  await using failing = makeShopInProcess({ orders: 20, days: 5, now: NOW, seed: 3 });
  const sync = (simulator: typeof plain, shopKey: string) =>
    sweepOnce(simulator, db, { kind: 'sync' }, { shopKey }, { now: clock.now, through: withoutGroups });
  const compare = async () => {
    const kept = await readShopReports(db, clock.now());
    const { rows: counted } = await client.query<Record<string, number>>('SELECT * FROM core.shop_summaries');
    for (const { shop, status } of kept) {
      const now = counted.find(({ shop_id }) => shop_id === shop.shopId);
      for (const name of FIGURES) expect(status[name], `${shop.shopKey} ${name}`).toBe(now?.[name]);
      expect(await sweepsTake(db, shop, clock.now())).toEqual({
        due: status.days_due,
        perHour: status.steady_list_requests_per_hour,
      });
    }
    return kept;
  };
  expect(await compare()).toEqual([]);
  await sync(plain, 'plain');
  await sync(changing, 'changing');
  await sync(failing, 'failing');
  await compare();
  const [first, second, third] = changing.shop.orders().map(({ orderId }) => orderId);
  if (first === undefined || second === undefined || third === undefined) throw new Error('no orders');
  changing.shop.setRaw(first, { status: 'X1' });
  changing.shop.setRaw(second, { summ: 'free' });
  changing.shop.deleteOrder(third);
  failing.faults.failNext(Infinity, 'http-401');
  clock.pass({ hours: 48 });
  await compare();
  await sync(changing, 'changing');
  await expect(sync(failing, 'failing')).rejects.toThrow('401');
  clock.pass({ minutes: 10 });
  await sync(changing, 'changing');
  // The ages of changes, and orders by code, are counted once a day.
  await client.query('UPDATE tested.shop_figures SET surveyed_at = NULL');
  changing.shop.insertOrder();
  clock.pass({ minutes: 10 });
  await sync(changing, 'changing');
  const [reported] = await compare();
  expect(reported).toMatchObject({
    status: { open_rejections: 1, unclassified_statuses: [{ code: 'X1', orders: 1 }] },
  });
  expect((reported?.status.orders_missing ?? 0) + (reported?.status.orders_deleted ?? 0)).toBe(1);
  await sync(plain, 'plain');
  clock.pass({ hours: 3 });
  await compare();
});

test('the pages, their data and the metrics take as many statements for 20 shops as for 2', async () => {
  await using warehouse = await openTestWarehouse();
  const { db } = warehouse;
  const worker = {
    db,
    shopKeys: () => [],
    now: () => Temporal.Now.instant(),
  };
  const addShops = async (count: number) => {
    for (let shop = 0; shop < count; shop++) {
      const shopId = await warehouse.newShop();
      await db.execute(sql`
        INSERT INTO tested.days (shop_id, day, verified_at) SELECT ${shopId}, (now() AT TIME ZONE 'Europe/Berlin')::date - n, now() FROM generate_series(1, 30) n`);
      await db.execute(sql`
        INSERT INTO tested.runs (shop_id, kind, status, version) SELECT ${shopId}, 'sync', 'ok', 'test' FROM generate_series(1, 20)`);
    }
  };
  const count = async () => {
    const { status, shop, metrics } = createSources(worker);
    const sent = vi.spyOn(Client.prototype, 'query');
    const shops = await status();
    const ofStatus = sent.mock.calls.length;
    const text = await metrics.render();
    const ofMetrics = sent.mock.calls.length - ofStatus;
    const details = await shop(shops[0]?.shop ?? '');
    const ofShop = sent.mock.calls.length - ofStatus - ofMetrics;
    sent.mockRestore();
    expect(details?.calendar?.states).toHaveLength(31);
    expect(details?.runs).toHaveLength(20);
    expect(shops.map(({ runs }) => runs.length)).toEqual(shops.map(() => 5));
    expect(text.match(/^order_sync_due\{/gm)).toHaveLength(shops.length);
    return { shops: shops.length, ofStatus, ofMetrics, ofShop };
  };
  await addShops(2);
  await count();
  const few = await count();
  await addShops(18);
  expect(await count()).toEqual({ ...few, shops: 20 });
});

test('a reading that takes too long is given up, and its query is cancelled', async () => {
  await using warehouse = await openTestWarehouse();
  const blocker = await warehouse.database.connect();
  await blocker.query('BEGIN; LOCK TABLE ops.shop_figures');
  const waiting = async () => (await warehouse.rows(sql.raw(WAITING_FOR_LOCK))).length;
  const read = readWithin(warehouse.db, 500, (tx) => readShopReports(tx, Temporal.Now.instant()));
  await expect(read).rejects.toThrow('the database did not answer within 0.5 s');
  await until('its query is cancelled', async () => (await waiting()) === 0);
  await blocker.query('ROLLBACK');
  await blocker.end();
  const again = readWithin(warehouse.db, 60_000, (tx) => readShopReports(tx, Temporal.Now.instant()));
  expect(await again).toEqual([]);
});
