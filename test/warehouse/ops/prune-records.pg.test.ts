import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import { LeaseLostError } from '../../../src/model/errors.ts';
import type { Lease } from '../../../src/warehouse/ops/lease.ts';
import { pruneRecords } from '../../../src/warehouse/ops/prune-records.ts';
import { recordRejections } from '../../../src/warehouse/ops/rejections.ts';
import { orderToLoad } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';
import { heldLease } from '../../support/held-lease.ts';

const CUTOFF = Temporal.Instant.from('2026-03-10T12:00:00Z');

const warehouse = fileWarehouse();
let shopId: number;
let lease: Lease;
beforeEach(async () => {
  shopId = await warehouse.newShop();
  lease = await heldLease(warehouse.db, shopId);
});

const addRuns = (kind: string, status: string, startedAt: string, count = 1, ofShop = shopId) =>
  warehouse.db.execute(sql`
    INSERT INTO ops.runs (shop_id, kind, status, started_at, version)
    SELECT ${ofShop}, ${kind}, ${status}, ${startedAt}::timestamptz + n * interval '1 s', 'test' FROM generate_series(1, ${count}) n`);
const runs = async (ofShop = shopId) =>
  (
    await warehouse.rows(sql`SELECT kind, status FROM ops.runs WHERE shop_id = ${ofShop} ORDER BY started_at`)
  ).map(({ kind, status }) => `${String(kind)} ${String(status)}`);

test('runs that began earlier are removed, oldest first and few at a time', async () => {
  const other = await warehouse.newShop();
  await addRuns('sync', 'failed', '2026-03-01T00:00Z', 5);
  await addRuns('verify', 'ok', '2026-03-02T00:00Z');
  await addRuns('sync', 'running', '2026-03-03T00:00Z');
  await addRuns('sync', 'ok', '2026-03-11T00:00Z');
  await addRuns('sync', 'ok', '2026-03-01T00:00Z', 1, other);
  expect(await pruneRecords(warehouse.db, lease, CUTOFF, 4)).toEqual({ runs: 4, rejections: 0 });
  expect(await runs()).toEqual(['sync failed', 'verify ok', 'sync running', 'sync ok']);
  expect(await pruneRecords(warehouse.db, lease, CUTOFF, 4)).toEqual({ runs: 2, rejections: 0 });
  expect(await runs()).toEqual(['sync running', 'sync ok']);
  expect(await runs(other)).toEqual(['sync ok']);
});

test.each(['sync', 'backfill'])(
  'the last %s stays, however old, and whatever else ran since, as the state of the shop',
  async (kind) => {
    await addRuns('sync', 'ok', '2025-01-01T00:00Z', 3);
    await addRuns(kind, 'failed', '2025-02-01T00:00Z');
    await addRuns('verify', 'ok', '2025-03-01T00:00Z');
    await pruneRecords(warehouse.db, lease, CUTOFF, 100);
    expect(await runs()).toEqual([`${kind} failed`, 'verify ok']);
  },
);

test('rejections go once they were resolved, or their order was deleted, early enough', async () => {
  await warehouse.load(
    shopId,
    ['1', '2', '3', '4', '7'].map((id) => orderToLoad(id)),
  );
  const rejection = (sourceKey: string | null, resource: 'order' | 'user' = 'order') =>
    ({ resource, sourceKey, field: 'summ', reason: 'not a number', value: 'free' }) as const;
  // Another shop has deleted its order 7.
  const all = [
    ...['1', '2', '3', '4', '7'].map((id) => rejection(id)),
    rejection(null),
    rejection('3', 'user'),
  ];
  await warehouse.write((tx) => recordRejections(tx, shopId, [], all));
  await warehouse.db.execute(sql`
    UPDATE ops.rejections SET resolved_at = CASE source_key WHEN '1' THEN '2026-03-09'::date ELSE '2026-03-11' END
    WHERE shop_id = ${shopId} AND source_key IN ('1', '2')`);
  await warehouse.db.execute(sql`
    UPDATE core.orders SET missing_since = '2026-03-08',
      deleted_at = CASE order_id WHEN 3 THEN '2026-03-09'::date ELSE '2026-03-11' END
    WHERE shop_id = ${shopId} AND order_id IN (3, 4)`);
  expect(await pruneRecords(warehouse.db, lease, CUTOFF, 100)).toEqual({ runs: 0, rejections: 2 });
  const left = await warehouse.rows(
    sql`SELECT resource, source_key FROM ops.rejections WHERE shop_id = ${shopId} ORDER BY resource, source_key`,
  );
  expect(left.map(({ resource, source_key }) => `${String(resource)} ${String(source_key)}`)).toEqual([
    'order 2',
    'order 4',
    'order 7',
    'order null',
    'user 3',
  ]);
});

test('a process whose lease was taken over removes nothing', async () => {
  await addRuns('sync', 'ok', '2026-03-01T00:00Z', 3);
  const outdated = { ...lease, epoch: lease.epoch - 1n };
  await expect(pruneRecords(warehouse.db, outdated, CUTOFF, 100)).rejects.toThrow(LeaseLostError);
  expect(await runs()).toHaveLength(3);
});
