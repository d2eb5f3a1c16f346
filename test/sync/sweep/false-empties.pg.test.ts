import type { Client } from 'pg';
import { expect, test } from 'vitest';

import type { Dialect } from '../../../src/simulator/shop/dialect.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { inWarehouse, sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import { watchLists } from '../../support/list-requests.ts';
import { IS_LONG } from '../../support/long.ts';
import { PRESENT, withShop } from '../../support/shop.ts';

const FORCED = { kind: 'backfill', force: true } as const;
const ALL_FAULTS = ['empty-array', 'truncated-list', 'message-200', 'empty-200', 'html-200'] as const;
const FAULTS = IS_LONG ? ALL_FAULTS : ALL_FAULTS.slice(0, 3);
const DIALECTS: readonly Partial<Dialect>[] = [
  { total: 'matches' },
  { total: 'absent', emptyAnswer: 'array', listOrder: 'asc' },
];
const ALL_CASES = [1, 10].flatMap((count) =>
  (['orders', undefined] as const).flatMap((route) => DIALECTS.map((dialect) => ({ count, route, dialect }))),
);
/** Each count, each route and each dialect, where not all of them together. */
const CASES = ALL_CASES.filter((_case, index) => IS_LONG || [0, 7].includes(index));

async function marks(client: Client): Promise<number> {
  const { rows } = await client.query<{ marks: number }>(
    'SELECT count(*)::int AS marks FROM tested.orders WHERE missing_since IS NOT NULL OR deleted_at IS NOT NULL',
  );
  return rows[0]?.marks ?? -1;
}

/** What was verified, as far as it is not the shop. */
async function wrongDays(
  client: Client,
  shopKey: string,
  shop: Parameters<typeof differences>[1],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ day: string }>(
    'SELECT day::text FROM tested.days JOIN tested.shops USING (shop_id) WHERE shop_key = $1 AND verified_at IS NOT NULL',
    [shopKey],
  );
  return differences(client, shop, { shopKey, days: new Set(rows.map(({ day }) => day)) });
}

test.each(FAULTS)('%s instead of orders, once or ten times, marks no order as missing', (fault) =>
  inWarehouse(async ({ client, db }) => {
    for (const [index, { count, route, dialect }] of CASES.entries()) {
      const made = { orders: 24, days: 4, seed: index + 1, now: PRESENT, dialect, pageCap: 10 };
      await using simulator = makeShopInProcess(made);
      const shopKey = `shop-${index}`;
      const clock = testClock(PRESENT);
      const through = route === undefined ? undefined : withoutGroups;
      const sweep = () => sweepOnce(simulator, db, FORCED, { shopKey }, { now: clock.now, through });
      expect(await sweep()).toMatchObject({ status: 'ok', orders_new: 24 });
      // So long that what was seen then counts for little now.
      clock.pass({ hours: 200 });
      simulator.shop.editOrder(simulator.shop.orders()[11]?.orderId ?? 0);

      simulator.faults.failNext(count, fault, { route });
      const outcome = await sweep().then(
        ({ status }) => status,
        () => 'failed',
      );
      expect(simulator.faults.pending(), 'the sweep met the fault').toBeLessThan(count);
      expect(await marks(client)).toBe(0);
      const isSilent = fault === 'empty-array' || fault === 'truncated-list';
      if (count === 1 && !isSilent) expect(outcome).toBe('ok');

      simulator.faults.clear();
      clock.pass({ minutes: 1 });
      expect(await sweep()).toMatchObject({ status: 'ok', orders_missing: 0 });
      expect(await marks(client)).toBe(0);
      expect(await differences(client, simulator.shop, { shopKey })).toEqual([]);
    }
  }),
);

test.each(FAULTS.filter((fault) => fault !== 'truncated-list'))(
  '%s in the first sweep makes no day with orders count as empty',
  (fault) =>
    inWarehouse(async ({ client, db }) => {
      for (const count of [1, 9, 16, 17, 18, 40]) {
        await using simulator = makeShopInProcess({ orders: 12, days: 3, seed: count, now: PRESENT });
        const shopKey = `shop-${count}`;
        const clock = testClock(PRESENT);
        const means = { now: clock.now, through: withoutGroups };
        const sweep = () => sweepOnce(simulator, db, { kind: 'sync' }, { shopKey }, means);
        simulator.faults.failNext(count, fault, { route: 'orders' });
        await sweep().catch(() => undefined);
        expect(simulator.faults.pending()).toBeLessThan(count);
        expect(await wrongDays(client, shopKey, simulator.shop)).toEqual([]);

        simulator.faults.clear();
        clock.pass({ minutes: 6 });
        expect(await sweep()).toMatchObject({ status: 'ok' });
        expect(await differences(client, simulator.shop, { shopKey })).toEqual([]);
      }
    }),
);

test('while the list is empty, the days stay unverified with the reason', () =>
  withShop({ orders: 30, days: 3, seed: 3 }, async ({ client, clock, simulator, ...ground }) => {
    const sweep = () => ground.sweep(FORCED);
    await sweep();
    for (let day = 1; day <= 2; day++) {
      clock.pass({ hours: 30 });
      simulator.faults.failNext(1000, 'empty-array', { route: 'orders' });
      const result = await sweep();
      expect(result).toMatchObject({ status: 'partial', orders_missing: 0, days_verified: 0 });
      const { rows } = await client.query(
        `SELECT DISTINCT verified_at, last_error LIKE '%lists no orders at all%' AS says_why FROM tested.days
         WHERE orders_seen IS NOT NULL`,
      );
      expect(rows).toEqual([{ verified_at: null, says_why: true }]);
    }
    simulator.faults.clear();
    clock.pass({ minutes: 1 });
    expect(await sweep()).toMatchObject({ status: 'ok' });
    expect(await differences(client, simulator.shop)).toEqual([]);
  }));

test('a shop without orders verifies no day; one order is enough to verify empty days', () =>
  withShop({ orders: 0, days: 1 }, async ({ client, clock, simulator, ...ground }) => {
    const historyFrom = Temporal.PlainDate.from('2026-02-01');
    const sweep = () => ground.sweep(FORCED, { historyFrom });
    const empty = await sweep();
    expect(empty).toMatchObject({ status: 'partial', days_verified: 0, orders_new: 0 });
    expect(empty.problems.join()).toContain('lists no orders at all');
    const { rows: findings } = await client.query(
      'SELECT jsonb_object_keys(findings) AS cause FROM tested.shop_state',
    );
    expect(findings, 'a new shop may have none yet').toEqual([]);

    simulator.shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from('2026-02-20T10:00') });
    clock.pass({ minutes: 1 });
    expect(await sweep()).toMatchObject({ status: 'ok', days_verified: 38, orders_new: 1 });
    expect(await differences(client, simulator.shop)).toEqual([]);

    clock.pass({ minutes: 1 });
    simulator.requests.reset();
    const lists = watchLists(simulator.requests);
    await sweep();
    const known = simulator.requests.count('orders');
    // The list, and what lies on each side of its only order; each time that nothing follows it, at first three times.
    expect(known).toBeLessThanOrEqual(12);
    const canaries = lists.filter(({ limit }) => limit === 1);
    expect(canaries).toEqual([]);
  }));
