import { expect, test } from 'vitest';

import { openDatabase } from '../../src/warehouse/db/database.ts';
import { withClient } from '../support/database-clients.ts';
import { makeShopInProcess } from '../support/in-process-shop.ts';
import { watchLists } from '../support/list-requests.ts';
import { needs } from '../support/needs.ts';
import { sweepOnce, testClock, withoutGroups } from '../support/sweep.ts';
import { differences } from '../support/truth.ts';
import { CITUS_URL, distributeWarehouse } from './citus-warehouse.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');

test(
  'changes in old history are found by counts on a Citus (needs CITUS_URL)',
  needs(CITUS_URL !== undefined, 'CITUS_URL names no Citus'),
  async () => {
    const url = CITUS_URL ?? '';
    await distributeWarehouse(url);
    const clock = testClock(NOW);
    await using simulator = makeShopInProcess({ orders: 300, days: 200, now: NOW });
    await using database = await openDatabase(url);
    const { shop } = simulator;
    const means = { now: clock.now, through: withoutGroups };
    await sweepOnce(simulator, database.db, { kind: 'backfill' }, {}, means);
    const orders = shop.orders();
    shop.deleteOrder(orders[40]?.orderId ?? 0);
    for (const at of [20, 90, 160]) {
      const { orderId = 0, status } = orders[at] ?? {};
      shop.editOrder(orderId, { status: status === 'F' ? 'K' : 'F' });
    }
    const lists = watchLists(simulator.requests);
    clock.pass({ minutes: 1 });
    const swept = await sweepOnce(simulator, database.db, { kind: 'sync' }, { countEveryMs: 60_000 }, means);
    expect(swept).toMatchObject({ orders_changed: 3, orders_missing: 1 });
    expect(lists.filter(({ limit }) => limit === 1).length).toBeGreaterThan(20);
    await withClient(url, async (client) => {
      expect(await differences(client, shop, { shopKey: 'test' })).toEqual([]);
      const { rows } = await client.query(
        `SELECT 1 FROM citus_tables WHERE table_name = 'core.orders'::regclass AND citus_table_type = 'distributed'`,
      );
      expect(rows).toHaveLength(1);
    });
  },
);
