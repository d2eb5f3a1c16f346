import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import { LeaseLostError } from '../../../src/model/errors.ts';
import type { Lease } from '../../../src/warehouse/ops/lease.ts';
import { pruneRaw, pruneRecords } from '../../../src/warehouse/ops/prune-records.ts';
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

/** Payloads numbered from 1, each a day younger than the one before; the tenth is of the cutoff. */
const fill = async (ofShop: number) => {
  for (const [table, key] of [
    ['orders', 'order_id'],
    ['order_contents', 'order_id'],
    ['users', 'user_key'],
    ['user_groups', 'group_oid'],
  ]) {
    await warehouse.db.execute(sql`
      INSERT INTO raw.${sql.raw(`${table} (shop_id, ${key}`)}, payload, fetched_at)
      SELECT ${ofShop}, n, '{}', ${CUTOFF.toString()}::timestamptz + (n - 10) * interval '1 day'
      FROM generate_series(1, 12) n`);
  }
};
const left = async (table: string, key: string, ofShop = shopId) => {
  const rows = await warehouse.rows(
    sql`SELECT ${sql.raw(key)}::int AS key FROM raw.${sql.raw(table)} WHERE shop_id = ${ofShop} ORDER BY fetched_at`,
  );
  return rows.map((row) => row['key']);
};

test('payloads that were fetched earlier are removed, oldest first and few at a time', async () => {
  const other = await warehouse.newShop();
  await fill(shopId);
  await fill(other);
  const prune = async () => pruneRaw(warehouse.db, lease, CUTOFF, 5);
  expect(await prune()).toEqual({ orders: 5, contents: 5, users: 5 });
  expect(await left('orders', 'order_id')).toEqual([6, 7, 8, 9, 10, 11, 12]);
  expect(await prune()).toEqual({ orders: 4, contents: 4, users: 4 });
  for (const [table, key] of [
    ['orders', 'order_id'],
    ['order_contents', 'order_id'],
    ['users', 'user_key'],
  ] as const) {
    expect(await left(table, key), table).toEqual([10, 11, 12]);
    expect(await left(table, key, other), table).toHaveLength(12);
  }
  expect(await left('user_groups', 'group_oid')).toHaveLength(12);
  expect(await prune()).toEqual({ orders: 0, contents: 0, users: 0 });
});

test('unknown fields of persons are removed together with their payloads', async () => {
  const given = ['1', '2', '3'].map((id) => orderToLoad(id));
  await warehouse.load(shopId, given);
  await warehouse.rows(sql`
    UPDATE core.order_persons SET rest = '{"list": 1}', content_rest = CASE WHEN order_id < 3 THEN '{"content": 1}'::jsonb END
    WHERE shop_id = ${shopId}`);
  for (const [table, young] of [
    ['orders', 1],
    ['order_contents', 2],
  ] as const) {
    await warehouse.rows(sql`
      INSERT INTO raw.${sql.raw(table)} (shop_id, order_id, payload, fetched_at)
      SELECT ${shopId}, n, '{}', ${CUTOFF.toString()}::timestamptz + CASE n WHEN ${young}::int THEN 1 ELSE -1 END * interval '1 day'
      FROM generate_series(1, 3) n
      ON CONFLICT (shop_id, order_id) DO UPDATE SET fetched_at = excluded.fetched_at`);
  }
  expect(await pruneRaw(warehouse.db, lease, CUTOFF, 100)).toMatchObject({ orders: 2, contents: 2 });
  const kept = await warehouse.rows(sql`
    SELECT order_id::int AS id, rest, content_rest FROM core.order_persons WHERE shop_id = ${shopId} ORDER BY 1`);
  expect(kept).toEqual([
    { id: 1, rest: { list: 1 }, content_rest: null },
    { id: 2, rest: null, content_rest: { content: 1 } },
    { id: 3, rest: null, content_rest: null },
  ]);
});

test('a process whose lease was taken over removes nothing', async () => {
  await addRuns('sync', 'ok', '2026-03-01T00:00Z', 3);
  await fill(shopId);
  const outdated = { ...lease, epoch: lease.epoch - 1n };
  for (const prune of [pruneRecords, pruneRaw])
    await expect(prune(warehouse.db, outdated, CUTOFF, 100)).rejects.toThrow(LeaseLostError);
  expect([await runs(), await left('orders', 'order_id')].map(({ length }) => length)).toEqual([3, 12]);
});
