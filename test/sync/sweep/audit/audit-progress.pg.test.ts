/** An audit takes as many pages as the shop has orders for: it goes on over many sweeps, and where processes are killed. */
import { expect, test } from 'vitest';

import { parseFreshness } from '../../../../src/plan/days/freshness.ts';
import type { Dialect } from '../../../../src/simulator/shop/dialect.ts';
import type { SweepRequest } from '../../../../src/sync/sweep/sweep-request.ts';
import { watchLists } from '../../../support/list-requests.ts';
import { IS_LONG } from '../../../support/long.ts';
import { openShop, SHOP } from '../../../support/shop.ts';

const ORDERS = 100;
const CAP = 3;
const PAGES = ORDERS / (CAP - 1);
/** Pages of a sweep. */
const PAGES_A_SWEEP = 20;
const FRESHNESS = parseFreshness('*:30d');
const STATE = `
  SELECT (memory #>> '{audit,orders}')::int AS orders, memory ? 'auditPosition' AS is_open,
    (SELECT count(*)::int FROM tested.days WHERE verified_at IS NULL) AS due
  FROM tested.shop_state`;

/** A shop whose list takes many pages, which was audited with its first load, and is to be again. */
async function openLongShop(listOrder: Dialect['listOrder']) {
  const shop = { ...SHOP, orders: ORDERS, days: 16, pageCap: CAP, dialect: { listOrder } };
  const ground = await openShop(shop);
  const { clock, rows, simulator } = ground;
  const sync = (request: SweepRequest, signal?: AbortSignal) =>
    ground.sweep(request, { freshness: FRESHNESS }, { signal });
  /** Syncs of a minute each, until the audit has ended; how many it took. */
  const finish = async () => {
    for (let syncs = 1; syncs < 20; syncs++) {
      clock.pass({ minutes: 1 });
      await sync({ kind: 'sync' });
      if ((await rows(STATE))[0]?.is_open === false) return syncs;
    }
    throw new Error('the audit does not end');
  };
  const lists = watchLists(simulator.requests);
  let seen = 0;
  /** Positions of the list without dates that were asked for since this was called last. */
  const starts = () => {
    const own = lists.slice(seen).filter(({ dateFrom, dateTo }) => !dateFrom && !dateTo);
    seen = lists.length;
    return own.map(({ start = 0 }) => start);
  };
  await sync({ kind: 'backfill' });
  await finish();
  clock.pass({ hours: 7 * 24 + 1 });
  starts();
  return { ...ground, sync, starts, finish };
}

const ORDERS_OF_LIST = ['shuffled', 'desc', 'asc'] as const;

test.each(IS_LONG ? ORDERS_OF_LIST : ORDERS_OF_LIST.slice(0, 1))(
  'an audit reads some pages per sweep, resumes there, and finds what no window shows: %s',
  async (listOrder) => {
    const { differences, finish, rows, shop, starts } = await openLongShop(listOrder);
    const undated = shop.insertOrder({ createdText: '' });
    const created = Temporal.PlainDateTime.from('2026-03-08T09:00');
    const { orderId } = shop.insertOrder({ createdLocal: created });
    const syncs = await finish();
    expect(syncs).toBe(Math.ceil((PAGES + 2) / PAGES_A_SWEEP));
    expect(starts().length).toBeLessThanOrEqual(PAGES + 2);
    expect(await rows(STATE)).toMatchObject([{ orders: ORDERS + 2 }]);
    const loaded = 'SELECT FROM tested.orders WHERE order_id = ANY ($1)';
    expect(await rows(loaded, [undated.orderId, orderId])).toHaveLength(2);
    await finish();
    expect(await differences()).toEqual([]);
    expect(await rows(STATE)).toMatchObject([{ due: 0 }]);
  },
);

test('an audit that is stopped after every few requests completes, too', async () => {
  const { clock, rows, shop, simulator, starts, sync } = await openLongShop('desc');
  const undated = shop.insertOrder({ createdText: '' });
  let [lives, isOpen] = [0, true];
  for (; isOpen && lives < 30; lives++) {
    const ended = new AbortController();
    let requests = 0;
    const forget = simulator.requests.onRequest(() => {
      if (++requests >= 12) ended.abort(new Error('the process ends'));
    });
    await sync({ kind: 'sync' }, ended.signal).catch(() => undefined);
    forget();
    clock.pass({ minutes: 1 });
    const [state] = await rows(STATE);
    isOpen = state.is_open === true || state.orders === ORDERS;
  }
  expect(lives).toBeGreaterThan(4);
  expect(lives).toBeLessThan(30);
  expect(starts().length).toBeLessThanOrEqual(PAGES + 2 + 2 * lives);
  expect(await rows('SELECT FROM tested.orders WHERE order_id = $1', undated.orderId)).toHaveLength(1);
});

test('an audit that ran out of time resumes, but a requested one starts over and is read to its end', async () => {
  const { finish, rows, starts, sync } = await openLongShop('desc');
  let asked = 0;
  const stopAfter = (most: number) => {
    asked = 0;
    return { mustEnd: () => ++asked > most };
  };
  await sync({ kind: 'sync', ...stopAfter(12) });
  expect(starts()[0]).toBe(0);
  await sync({ kind: 'sync', ...stopAfter(12) });
  expect(starts()[0]).toBeGreaterThan(0);
  await sync({ kind: 'sync', audit: true });
  const [first, ...others] = starts();
  expect([first, others.length]).toEqual([0, PAGES]);
  expect(await rows(STATE)).toEqual([{ orders: ORDERS, is_open: false, due: 0 }]);
  await finish();
  expect(starts(), 'it is not due').toEqual([]);
});

test('an audit misses no order if others disappear between its pages, or elements are not orders', async () => {
  const { clock, finish, rows, shop, sync } = await openLongShop('desc');
  const ids = shop.orders().map(({ orderId }) => orderId);
  for (let count = 0; count < 5; count++) {
    const { orderId } = shop.insertOrder();
    shop.setRaw(orderId, { order_id: `no number ${count}` });
  }
  shop.insertOrder({ createdText: '' });
  await sync({ kind: 'sync' });
  const [gone = 0] = ids.toReversed().slice(10);
  shop.deleteOrder(gone);
  clock.pass({ minutes: 1 });
  const { problems } = await sync({ kind: 'sync' });
  await finish();
  expect(problems.filter((problem) => problem.includes('list without dates'))).toEqual([]);
  expect(await rows('SELECT FROM tested.orders WHERE created_on IS NULL')).toHaveLength(1);
});
