/** A warehouse whose big tables are partitioned by the numbers of orders is written and read as any other. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { partitionByNumber } from '../../bench/support/partition-tables.ts';
import { deleteShop } from '../../src/sync/shops/delete-shop.ts';
import { openDatabase } from '../../src/warehouse/db/database.ts';
import { runMigrations } from '../../src/warehouse/db/migrations.ts';
import { countShopRows } from '../../src/warehouse/directory/delete-shop.ts';
import { findShop } from '../../src/warehouse/directory/registered-shops.ts';
import { withClient } from '../support/database-clients.ts';
import { emptyDatabase } from '../support/database.ts';
import { makeShopInProcess } from '../support/in-process-shop.ts';
import { sweepOnce, testClock, verifyOnce } from '../support/sweep.ts';

const NOW = Temporal.Instant.from('2026-03-05T12:00:00Z');
const FORCED = { kind: 'backfill', force: true } as const;

test('orders are loaded, edited, found missing, verified and deleted in partitions by their number', async () => {
  await using simulator = makeShopInProcess({ orders: 40, days: 10, seed: 5, now: NOW });
  const ids = simulator.shop.orders().map(({ orderId }) => orderId);
  const bounds = [ids[10] ?? 0, ids[20] ?? 0].toSorted((a, b) => a - b);
  await using database = await emptyDatabase();
  await using warehouse = await openDatabase(database.url);
  const { db } = warehouse;
  await withClient(database.url, async (client) => {
    await partitionByNumber(client, bounds);
    await runMigrations(warehouse);
    const clock = testClock(NOW);
    const sweep = async () => {
      clock.pass({ minutes: 6 });
      return sweepOnce(simulator, db, FORCED, {}, { now: clock.now });
    };
    expect(await sweep()).toMatchObject({ status: 'ok', orders_new: 40 });
    expect((await countByPartition(client)).filter((orders) => orders > 5)).toHaveLength(3);

    const [edited = 0, gone = 0, moved = 0] = ids;
    simulator.shop.editOrder(edited, { status: 'C', sumCents: 12_345 });
    simulator.shop.deleteOrder(gone);
    simulator.shop.moveOrder(moved, Temporal.PlainDateTime.from('2026-02-27T10:00'));
    simulator.shop.insertOrder();
    expect(await sweep()).toMatchObject({ orders_new: 1, orders_changed: 2, orders_missing: 1 });
    // A second walk of its day, five minutes later, makes a missing order a deleted one.
    expect(await sweep()).toMatchObject({ orders_new: 0, orders_changed: 0 });
    expect(await verifyOnce(simulator, db, { makeDue: false })).toMatchObject({ status: 'ok' });
    const { rows } = await client.query(`
      SELECT (SELECT count(*)::int FROM bi.orders WHERE NOT is_deleted) AS orders,
        (SELECT sum(orders)::int FROM bi.daily_sales) > 0 AS has_sales,
        (SELECT count(*)::int FROM core.order_history WHERE NOT is_initial) AS changes`);
    expect(rows).toEqual([{ orders: 40, has_sales: true, changes: 1 }]);

    const shop = await findShop(db, 'test');
    if (shop === undefined) throw new Error('the shop is not registered');
    await deleteShop({ db, signal: new AbortController().signal }, shop, () => undefined);
    expect(await countShopRows(db, shop.shopId)).toEqual([]);
  });
});

async function countByPartition(client: Client): Promise<readonly number[]> {
  const { rows } = await client.query<{ orders: number }>(
    'SELECT count(*)::int AS orders FROM core.orders GROUP BY tableoid',
  );
  return rows.map(({ orders }) => orders);
}
