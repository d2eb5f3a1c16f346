import { spawnSync } from 'node:child_process';

import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { leaseOwnerName } from '../../../src/sync/run/shop-lease.ts';
import { readLiveRuns } from '../../../src/sync/report/live-runs.ts';
import { readShopReports } from '../../../src/sync/report/shop-report.ts';
import { releaseLease, takeLease } from '../../../src/warehouse/ops/lease.ts';
import { insertRun } from '../../../src/warehouse/ops/runs.ts';
import { fileWarehouse } from '../../warehouse/test-warehouse.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const warehouse = fileWarehouse();

/** A shop with an open run of this owner. */
async function runBy(owner: string) {
  const { db } = warehouse;
  const shopId = await warehouse.newShop();
  const answer = await takeLease(db, shopId, owner);
  if (answer.kind !== 'taken') throw new Error('the lease is held');
  await insertRun(db, shopId, { kind: 'backfill', version: '1.2.3', started_at: Temporal.Now.instant() });
  const read = async () => {
    const one = await readLiveRuns(db, 5, NOW, shopId);
    const all = (await readLiveRuns(db, 5, NOW)).filter(({ shop_id }) => shop_id === shopId);
    expect(all).toEqual(one);
    return one;
  };
  return { read, lease: answer.lease };
}

test('a run goes on while its lease is held, and was abandoned once that has ended', async () => {
  const { read, lease } = await runBy(leaseOwnerName());
  expect(await read()).toMatchObject([{ status: 'running', finished_at: null }]);
  await warehouse.db.execute(sql`UPDATE ops.runs SET orders_new = 700 WHERE shop_id = ${lease.shopId}`);
  const countHeld = async () => {
    const reports = await readShopReports(warehouse.db, NOW);
    return reports.find(({ shop }) => shop.shopId === lease.shopId)?.status.orders;
  };
  // What a run has loaded is known before orders are counted again.
  expect(await countHeld()).toBe(700);
  // Some of what was counted since is what it has loaded.
  await warehouse.db.execute(sql`INSERT INTO ops.shop_figures (shop_id, orders, counted_at)
    VALUES (${lease.shopId}, 900, ${NOW.toString()}::timestamptz)`);
  expect(await countHeld()).toBe(900);
  await releaseLease(warehouse.db, lease);
  const ended = sql`SELECT expires_at AS at FROM ops.leases WHERE shop_id = ${lease.shopId}`;
  const { rows } = await warehouse.db.execute(ended);
  expect(await read()).toMatchObject([{ status: 'abandoned', finished_at: rows[0]?.['at'] }]);
  // It is only told: the next run closes it.
  expect(await warehouse.rows(sql`SELECT status FROM tested.runs WHERE shop_id = ${lease.shopId}`)).toEqual([
    { status: 'running' },
  ]);
});

test('a run of a process of this machine that has ended is abandoned at once', async () => {
  const { pid } = spawnSync('true');
  const { read } = await runBy(leaseOwnerName().replace(`:${process.pid}`, `:${pid}`));
  expect(await read()).toMatchObject([{ status: 'abandoned', finished_at: NOW }]);
});
