/** An audit takes as many pages as the shop has orders for: one that is interrupted must not begin again. */
import { expect, test } from 'vitest';

import { parseFreshness } from '../../../src/plan/days/freshness.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import type { Dialect } from '../../../src/simulator/shop/dialect.ts';
import { watchLists } from '../../support/list-requests.ts';
import { sweepOnce, withoutGroups } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import { type Ground, SHOP, withShop } from './audited-shop.ts';
import { IS_LONG } from '../../support/long.ts';

const ORDERS = 160;
const CAP = 3;
const PAGES = ORDERS / (CAP - 1);
/** Requests after which each life ends. */
const LIFE = 40;
const FRESHNESS = parseFreshness('*:30d');
const STATE = `
  SELECT audit_orders::int AS orders, (SELECT count(*)::int FROM tested.audit_parts) AS parts,
    (SELECT count(*)::int FROM tested.days WHERE verified_at IS NULL) AS due
  FROM tested.shop_state`;

type Sync = (request: SweepRequest, signal?: AbortSignal) => ReturnType<typeof sweepOnce>;

/** A shop whose list takes many pages. */
const inLongShop = (
  listOrder: Dialect['listOrder'],
  work: (ground: Ground & { readonly sync: Sync }) => Promise<void>,
  { days = 16, undatedDays = 0 } = {},
) => {
  const shop = { ...SHOP, orders: ORDERS, days, pageCap: CAP, dialect: { listOrder, undatedDays } };
  return withShop(shop, async (ground) => {
    const { clock, db, simulator } = ground;
    const sync: Sync = (request, signal) => {
      const means = { now: clock.now, through: withoutGroups, signal };
      return sweepOnce(simulator, db, request, { freshness: FRESHNESS }, means);
    };
    await work({ ...ground, sync });
  });
};

const ORDERS_OF_LIST = ['shuffled', 'desc', 'asc'] as const;

test.each(IS_LONG ? ORDERS_OF_LIST : ORDERS_OF_LIST.slice(0, 1))(
  'an audit that is stopped after every few requests goes on where it was, and finds what no window shows: %s',
  async (listOrder) => {
    await inLongShop(listOrder, async ({ client, clock, simulator, sync }) => {
      await sync({ kind: 'backfill' });
      clock.pass({ hours: 7 * 24 + 1 });
      const undated = simulator.shop.insertOrder({ createdText: '' });
      const created = Temporal.PlainDateTime.from('2026-03-08T09:00');
      const { orderId } = simulator.shop.insertOrder({ createdLocal: created });
      const lists = watchLists(simulator.requests);
      const lives = async () => {
        const ended = new AbortController();
        let requests = 0;
        const forget = simulator.requests.onRequest(() => {
          if (++requests >= LIFE) ended.abort(new Error('the process ends'));
        });
        await sync({ kind: 'sync' }, ended.signal).catch(() => undefined);
        forget();
        return ended.signal.aborted;
      };
      let [count, parts] = [1, 0];
      for (; count < 20 && (await lives()); count++) {
        const { rows } = await client.query<{ parts: number }>(STATE);
        parts = Math.max(parts, rows[0]?.parts ?? 0);
        // As by a worker that restarts: nothing is remembered but what the database holds.
        clock.pass({ minutes: 1 });
      }
      const starts = lists
        .filter(({ dateFrom, dateTo }) => !dateFrom && !dateTo)
        .map(({ start }) => start ?? 0);
      expect(count).toBeGreaterThan(2);
      expect(parts).toBeGreaterThan(2);
      await sync({ kind: 'sync' });
      // A life repeats no more than what it read since the last ten pages, and what was asked for ahead.
      expect(starts.length).toBeLessThan(PAGES + count * 16);
      const { rows } = await client.query(STATE);
      expect(rows).toEqual([{ orders: ORDERS + 2, parts: 0, due: 0 }]);
      expect(await differences(client, simulator.shop)).toEqual([]);
      const { rows: loaded } = await client.query(
        'SELECT order_id::int AS id FROM tested.orders WHERE order_id = ANY ($1) ORDER BY 1',
        [[undated.orderId, orderId]],
      );
      expect(loaded).toHaveLength(2);
    });
  },
);

test('an audit without time left is gone on with, but not by who asks for one', async () => {
  await inLongShop('desc', async ({ client, clock, simulator, sync }) => {
    await sync({ kind: 'backfill' });
    clock.pass({ hours: 7 * 24 + 1 });
    const lists = watchLists(simulator.requests);
    const first = () => {
      const [list] = lists.slice(seen).filter(({ dateFrom, dateTo }) => !dateFrom && !dateTo);
      seen = lists.length;
      return list?.start ?? 0;
    };
    let seen = 0;
    const stopAfter = (most: number) => ({ mustEnd: () => lists.length - seen > most });
    await sync({ kind: 'sync', ...stopAfter(25) });
    expect(first()).toBe(0);
    await sync({ kind: 'sync', ...stopAfter(25) });
    expect(first()).toBeGreaterThan(20);
    await sync({ kind: 'sync', audit: true, ...stopAfter(25) });
    expect(first()).toBe(0);
    clock.pass({ hours: 25 });
    await sync({ kind: 'sync' });
    expect(first(), 'after a day what was read is old').toBe(0);
    const { rows } = await client.query(STATE);
    expect(rows).toEqual([{ orders: ORDERS, parts: 0, due: 0 }]);
  });
});

test('orders that came since an interrupted audit began are none that the list lacks', async () => {
  await inLongShop('shuffled', async ({ client, clock, simulator, sync }) => {
    await sync({ kind: 'backfill' });
    clock.pass({ hours: 7 * 24 + 1 });
    const lists = watchLists(simulator.requests);
    await sync({ kind: 'sync', mustEnd: () => lists.length > 60 });
    // On a new day, so that they are loaded before the audit goes on, behind them.
    clock.pass({ hours: 6 });
    const created = Temporal.PlainDateTime.from('2026-03-18T00:05');
    for (let minutes = 0; minutes < 10; minutes++)
      simulator.shop.insertOrder({ createdLocal: created.add({ minutes }) });
    simulator.requests.onRequest(() => clock.pass({ seconds: 1 }));
    const { problems } = await sync({ kind: 'sync' });
    const begun = lists.filter(({ dateFrom, dateTo, start = 0 }) => !dateFrom && !dateTo && start === 0);
    expect(begun).toHaveLength(1);
    expect(problems).toEqual([]);
    const { rows } = await client.query<{ orders: number }>(STATE);
    expect(rows).toMatchObject([{ parts: 0, due: 0 }]);
    expect(rows[0]?.orders, 'one of them lies where the audit has been').toBeLessThan(ORDERS + 10);
  });
});

test('elements that are no orders do not push others out of what an interrupted audit has read', async () => {
  await inLongShop('desc', async ({ client, clock, simulator, sync }) => {
    await sync({ kind: 'backfill' });
    for (let count = 0; count < 5; count++) {
      const { orderId } = simulator.shop.insertOrder();
      simulator.shop.setRaw(orderId, { order_id: `no number ${count}` });
    }
    clock.pass({ hours: 7 * 24 + 1 });
    const lists = watchLists(simulator.requests);
    let seen = 0;
    for (let stops = 0; stops < 3; stops++) {
      seen = lists.length;
      await sync({ kind: 'sync', mustEnd: () => lists.length - seen > 30 });
    }
    const { rows } = await client.query<{ parts: number }>(STATE);
    expect(rows[0]?.parts).toBeGreaterThan(2);
    const { problems } = await sync({ kind: 'sync' });
    expect(problems.filter((problem) => problem.includes('list without dates'))).toEqual([]);
  });
});

const STOPS = [
  ['asc', 30, 30],
  ['desc', 160, 160],
  // So few at first that more is read with dates, until it is stopped again, than was read without them.
  ['desc', 25, 100],
  ['desc', 30, 30],
] as const;

test.each(IS_LONG ? STOPS : STOPS.slice(0, 3))(
  'a list that shows its last 30 days without dates is read again with dates, though the audit is stopped: %s, after %i, then %i requests',
  async (listOrder, first, most) => {
    await inLongShop(
      listOrder,
      async ({ client, clock, simulator, sync }) => {
        await sync({ kind: 'backfill' });
        clock.pass({ hours: 7 * 24 + 1 });
        const lists = watchLists(simulator.requests);
        const problems: string[] = [];
        let count = 0;
        for (let isStopped = true; isStopped && count < 12; count++) {
          const seen = lists.length;
          isStopped = false;
          const mustEnd = () => (isStopped ||= lists.length - seen > (count === 0 ? first : most));
          problems.push(...(await sync({ kind: 'sync', mustEnd })).problems);
        }
        expect(problems).toEqual([]);
        expect(count).toBeGreaterThan(most === 30 ? 3 : 1);
        expect(count).toBeLessThan(12);
        const { rows } = await client.query(STATE);
        expect(rows).toEqual([{ orders: ORDERS, parts: 0, due: 0 }]);
      },
      { days: 60, undatedDays: 30 },
    );
  },
);
