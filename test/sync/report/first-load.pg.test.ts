/** What reports say is left of a first load, and where they know it from. */
import { expect, test } from 'vitest';

import { readShopReports } from '../../../src/sync/report/shop-report.ts';
import { OF_TEST_SHOP, sweepOnce } from '../../support/sweep.ts';
import { withShop } from '../../support/shop.ts';

const NOW = Temporal.Instant.from('2026-03-05T12:00:00Z');
const ORDERS = 400;

test('it is the listed orders that are not loaded yet, at the pace reached so far', () =>
  withShop({ orders: ORDERS, days: 40, seed: 3, now: NOW }, async ({ client, db, simulator }) => {
    const read = async () => {
      const [report] = await readShopReports(db, NOW);
      return report?.status;
    };
    let looked = 0;
    const first = { kind: 'sync', mustEnd: () => looked++ > 0 } as const;
    const { orders_new } = await sweepOnce(simulator, db, first, { pageLimit: 20 }, { now: () => NOW });
    const { rows } = await client.query(
      `SELECT (memory ->> 'loadRps')::float8 AS load_rps, memory -> 'listedOrders' AS listed_orders
       FROM ops.shop_state WHERE ${OF_TEST_SHOP}`,
    );
    const [{ load_rps: pace }] = rows;
    expect(pace).toBeGreaterThan(1);
    expect(rows).toMatchObject([{ listed_orders: ORDERS }]);
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
    await sweepOnce(simulator, db, { kind: 'sync' }, { pageLimit: 20 });
    expect(await read()).toMatchObject({ is_loaded: true, estimate: null, orders: ORDERS });
  }));

test('it subtracts what an interrupted and restarted load stored before it was counted', () =>
  withShop({ orders: ORDERS, days: 40, seed: 3, now: NOW }, async ({ client, db, simulator }) => {
    let looked = 0;
    const first = { kind: 'backfill', mustEnd: () => looked++ > 0 } as const;
    const { orders_new } = await sweepOnce(simulator, db, first, { pageLimit: 20 }, { now: () => NOW });
    await client.query(`UPDATE tested.runs SET status = 'interrupted'`);
    await client.query('DELETE FROM tested.shop_figures');
    await client.query(
      `INSERT INTO tested.runs (shop_id, kind, status, started_at, version, orders_new)
       SELECT shop_id, kind, 'running', started_at + interval '1 minute', version, 7 FROM tested.runs`,
    );
    const [report] = await readShopReports(db, NOW);
    expect(report?.status).toMatchObject({ orders: orders_new + 7 });
  }));
