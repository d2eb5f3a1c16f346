import { expect, test } from 'vitest';

import type { Dialect } from '../../../../src/simulator/shop/dialect.ts';
import { watchLists } from '../../../support/list-requests.ts';
import { IS_LONG } from '../../../support/long.ts';
import { daysThatAre, FORCED, openGround, openShop } from '../../../support/shop.ts';
import { marks } from '../../support/copy.ts';

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

const NONE = { missing: 0, deleted: 0 };

test.each(FAULTS)('%s instead of orders, once or ten times, marks no order as missing', async (fault) => {
  for (const [index, { count, route, dialect }] of CASES.entries()) {
    const made = { orders: 24, days: 4, seed: index + 1, dialect, pageCap: 10 };
    await using ground = await openGround(made);
    const { client, clock, differences, shop, simulator } = ground;
    const sweep = () => ground.sweep(FORCED, {}, route === undefined ? { through: (api) => api } : {});
    expect(await sweep()).toMatchObject({ status: 'ok', orders_new: 24 });
    // So long that what was seen then counts for little now.
    clock.pass({ hours: 200 });
    shop.editOrder(shop.orders()[11]?.orderId ?? 0);

    simulator.faults.failNext(count, fault, { route });
    const outcome = await sweep().then(
      ({ status }) => status,
      () => 'failed',
    );
    expect(simulator.faults.pending(), 'the sweep met the fault').toBeLessThan(count);
    expect(await marks(client)).toEqual(NONE);
    const isSilent = fault === 'empty-array' || fault === 'truncated-list';
    if (count === 1 && !isSilent) expect(outcome).toBe('ok');

    simulator.faults.clear();
    clock.pass({ minutes: 1 });
    expect(await sweep()).toMatchObject({ status: 'ok', orders_missing: 0 });
    expect(await marks(client)).toEqual(NONE);
    expect(await differences()).toEqual([]);
  }
});

test.each(FAULTS.filter((fault) => fault !== 'truncated-list'))(
  '%s in the first sweep makes no day with orders count as empty',
  async (fault) => {
    for (const count of [1, 9, 16, 17, 18, 40]) {
      const made = { orders: 12, days: 3, seed: count };
      await using ground = await openGround(made);
      const { client, clock, differences, simulator } = ground;
      const sweep = () => ground.sweep({ kind: 'sync' });
      simulator.faults.failNext(count, fault, { route: 'orders' });
      await sweep().catch(() => undefined);
      expect(simulator.faults.pending()).toBeLessThan(count);
      const days = new Set(await daysThatAre('verified', client));
      expect(await differences({ days })).toEqual([]);

      simulator.faults.clear();
      clock.pass({ minutes: 6 });
      expect(await sweep()).toMatchObject({ status: 'ok' });
      expect(await differences()).toEqual([]);
    }
  },
);

test('while the list is empty, the days stay unverified with the reason', async () => {
  const { clock, differences, rows, simulator, ...ground } = await openShop({ orders: 30, days: 3, seed: 3 });
  const sweep = () => ground.sweep(FORCED);
  await sweep();
  for (let day = 1; day <= 2; day++) {
    clock.pass({ hours: 30 });
    simulator.faults.failNext(1000, 'empty-array', { route: 'orders' });
    const result = await sweep();
    expect(result).toMatchObject({ status: 'partial', orders_missing: 0, days_verified: 0 });
    expect(
      await rows(`SELECT DISTINCT verified_at, last_error LIKE '%lists no orders at all%' AS says_why FROM tested.days
         WHERE orders_seen IS NOT NULL`),
    ).toEqual([{ verified_at: null, says_why: true }]);
  }
  simulator.faults.clear();
  clock.pass({ minutes: 1 });
  expect(await sweep()).toMatchObject({ status: 'ok' });
  expect(await differences()).toEqual([]);
});

test('a shop without orders verifies no day; one order is enough to verify empty days', async () => {
  const { clock, differences, rows, shop, simulator, ...ground } = await openShop({ orders: 0, days: 1 });
  const historyFrom = Temporal.PlainDate.from('2026-02-01');
  const sweep = () => ground.sweep(FORCED, { historyFrom });
  const empty = await sweep();
  expect(empty).toMatchObject({ status: 'partial', days_verified: 0, orders_new: 0 });
  expect(empty.problems.join()).toContain('lists no orders at all');
  expect(
    await rows('SELECT jsonb_object_keys(findings) AS cause FROM tested.shop_state'),
    'a new shop may have none yet',
  ).toEqual([]);

  shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from('2026-02-20T10:00') });
  clock.pass({ minutes: 1 });
  expect(await sweep()).toMatchObject({ status: 'ok', days_verified: 38, orders_new: 1 });
  expect(await differences()).toEqual([]);

  clock.pass({ minutes: 1 });
  simulator.requests.reset();
  const lists = watchLists(simulator.requests);
  await sweep();
  const known = simulator.requests.count('orders');
  // The list, and what lies on each side of its only order; each time that nothing follows it, at first three times.
  expect(known).toBeLessThanOrEqual(12);
  const canaries = lists.filter(({ limit }) => limit === 1);
  expect(canaries).toEqual([]);
});
