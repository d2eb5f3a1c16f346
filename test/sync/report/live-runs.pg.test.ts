import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { readShopReports } from '../../../src/sync/report/shop-report.ts';
import { releaseLease } from '../../../src/warehouse/ops/lease.ts';
import { beginRun, readLastRuns } from '../../../src/warehouse/ops/runs.ts';
import { heldLease } from '../../support/held-lease.ts';
import { fileWarehouse } from '../../warehouse/test-warehouse.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
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
