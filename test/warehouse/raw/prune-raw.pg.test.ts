import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import { LeaseLostError } from '../../../src/model/errors.ts';
import type { Lease } from '../../../src/warehouse/ops/lease.ts';
import { pruneRaw } from '../../../src/warehouse/ops/prune-records.ts';
import { fileWarehouse } from '../test-warehouse.ts';
import { heldLease } from '../../support/held-lease.ts';
import { orderToLoad } from '../../support/rows.ts';

const CUTOFF = Temporal.Instant.from('2026-03-10T12:00:00Z');

const warehouse = fileWarehouse();
let shopId: number;
let lease: Lease;
beforeEach(async () => {
  shopId = await warehouse.newShop();
  lease = await heldLease(warehouse.db, shopId);
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
  await fill(shopId);
  const outdated = { ...lease, epoch: lease.epoch - 1n };
  await expect(pruneRaw(warehouse.db, outdated, CUTOFF, 100)).rejects.toThrow(LeaseLostError);
  expect(await left('orders', 'order_id')).toHaveLength(12);
});
