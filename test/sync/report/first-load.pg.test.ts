/** What reports say of a first load and of a run, and where they know it from. */
import { expect, test } from 'vitest';
import { sql } from 'drizzle-orm';

import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { readShopReports } from '../../../src/sync/report/shop-report.ts';
import { releaseLease } from '../../../src/warehouse/ops/lease.ts';
import { beginRun, readLastRuns } from '../../../src/warehouse/ops/runs.ts';
import { heldLease } from '../../support/held-lease.ts';
import { openShop } from '../../support/shop.ts';
import { fileWarehouse } from '../../warehouse/test-warehouse.ts';

const NOW = Temporal.Instant.from('2026-03-05T12:00:00Z');
const ORDERS = 400;
/** With the group tree. */
const WHOLE = { through: (api: ShopApi) => api };

test('it is the listed orders that are not loaded yet, at the pace reached so far', async () => {
  const { client, db, ...ground } = await openShop({ orders: ORDERS, days: 40, seed: 3, now: NOW });
  const read = async () => {
    const [report] = await readShopReports(db, NOW);
    return report?.status;
  };
  let looked = 0;
  const first = { kind: 'sync', mustEnd: () => looked++ > 0 } as const;
  const { orders_new } = await ground.sweep(first, { pageLimit: 20 }, WHOLE);
  const [{ pace, listed }] = await ground.rows(
    `SELECT (memory ->> 'loadRps')::float8 AS pace, memory -> 'listedOrders' AS listed FROM tested.shop_state`,
  );
  expect(pace).toBeGreaterThan(1);
  expect(listed).toBe(ORDERS);
  const begun = await read();
  const left = ORDERS - orders_new;
  expect(left).toBeGreaterThan(100);
  expect(begun).toMatchObject({ is_loaded: false, estimate: { orders: left } });
  await client.query(
    `UPDATE tested.shop_state SET memory = memory || '{"audit": {"finishedAt": "2026-03-05T12:00:00Z", "orders": 300, "total": 310}}'`,
  );
  expect(await read(), 'which lists fewer than it counts').toMatchObject({
    estimate: { orders: left - 10 },
  });
  const { requests = 0, seconds } = begun?.estimate ?? {};
  expect(seconds).toBe(Math.ceil(requests / Math.min(begun?.throttle?.max_rps ?? 0, pace)));
  await ground.sweep({ kind: 'sync' }, { pageLimit: 20 }, { ...WHOLE, now: () => Temporal.Now.instant() });
  expect(await read()).toMatchObject({ is_loaded: true, estimate: null, orders: ORDERS });
});

test('it subtracts what an interrupted and restarted load stored before it was counted', async () => {
  const { client, db, ...ground } = await openShop({ orders: ORDERS, days: 40, seed: 3, now: NOW });
  let looked = 0;
  const first = { kind: 'backfill', mustEnd: () => looked++ > 0 } as const;
  const { orders_new } = await ground.sweep(first, { pageLimit: 20 }, WHOLE);
  await client.query(`UPDATE tested.runs SET status = 'interrupted'`);
  await client.query('DELETE FROM tested.shop_figures');
  await client.query(
    `INSERT INTO tested.runs (shop_id, kind, status, started_at, version, orders_new)
       SELECT shop_id, kind, 'running', started_at + interval '1 minute', version, 7 FROM tested.runs`,
  );
  const [report] = await readShopReports(db, NOW);
  expect(report?.status).toMatchObject({ orders: orders_new + 7 });
});

const warehouse = fileWarehouse();

test('a run goes on while its lease is held, and was abandoned once that has ended', async () => {
  const { db } = warehouse;
  const lease = await heldLease(db, await warehouse.newShop());
  await beginRun(db, lease, 'backfill', '1.2.3');
  const read = async () => {
    const one = await readLastRuns(db, 5, lease.shopId);
    expect((await readLastRuns(db, 5)).filter(({ shop_id }) => shop_id === lease.shopId)).toEqual(one);
    return one;
  };
  expect(await read()).toMatchObject([{ status: 'running', finished_at: null }]);
  await warehouse.db.execute(sql`UPDATE ops.runs SET orders_new = 700 WHERE shop_id = ${lease.shopId}`);
  const countMatching = async () => {
    const reports = await readShopReports(warehouse.db, NOW);
    return reports.find(({ shop }) => shop.shopId === lease.shopId)?.status.orders;
  };
  // What a run has loaded is known before orders are counted again.
  expect(await countMatching()).toBe(700);
  // Some of what was counted since is what it has loaded.
  await warehouse.db.execute(sql`INSERT INTO ops.shop_figures (shop_id, orders, counted_at)
    VALUES (${lease.shopId}, 900, ${NOW.toString()}::timestamptz)`);
  expect(await countMatching()).toBe(900);
  await releaseLease(warehouse.db, lease);
  const ended = sql`SELECT expires_at AS at FROM ops.leases WHERE shop_id = ${lease.shopId}`;
  const { rows } = await warehouse.db.execute(ended);
  expect(await read()).toMatchObject([{ status: 'abandoned', finished_at: rows[0]?.['at'] }]);
  // It is only told: the next run closes it.
  expect(await warehouse.rows(sql`SELECT status FROM tested.runs WHERE shop_id = ${lease.shopId}`)).toEqual([
    { status: 'running' },
  ]);
});
