import type { Client } from 'pg';
import { expect, test } from 'vitest';

import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import { FORCED } from '../../../support/shop.ts';
import { OF_TEST_SHOP } from '../../../support/sweep.ts';
import { coreVersions } from '../../../support/truth.ts';
import { ageSuspects, held, idAt, marks, openCopy } from '../../support/copy.ts';
import { hiding } from '../../support/hiding.ts';

async function dayErrors(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ last_error: string }>(
    'SELECT last_error FROM tested.days WHERE last_error IS NOT NULL ORDER BY day',
  );
  return rows.map((row) => row.last_error);
}

test('an order that the list omits but the shop serves stays unresolved for a day, whenever its day was last verified', async () => {
  const { client, clock, shop, simulator, sweep } = await openCopy(40);
  // The day was last verified long ago when the order is first left out.
  clock.pass({ hours: 200 });
  const omitted = idAt(simulator, 12);
  const day = shop.orders()[12]?.createdLocal.toPlainDate().toString();
  const omitting = hiding(new Set([omitted]), 'list');
  const verdict = async () => {
    const { rows } = await client.query<{ verified: string; attempts: number; last_error: string | null }>(
      `SELECT to_char(verified_at, 'DD HH24:MI') AS verified, attempts, last_error FROM tested.days WHERE day = $1`,
      [day],
    );
    return rows[0];
  };
  for (const attempts of [1, 2]) {
    const result = await sweep(FORCED, {}, { through: omitting });
    expect(result).toMatchObject({ status: 'partial', orders_missing: 0 });
    expect(result.problems.join()).toContain('1 order was not listed');
    expect(await held(client, omitted)).toMatchObject({ missing_since: null });
    expect(await verdict()).toMatchObject({ verified: null, attempts });
    expect((await verdict())?.last_error).toContain('was not listed');
    clock.pass({ hours: 12 });
    await ageSuspects(client, 12);
  }
  expect(await sweep(FORCED, {}, { through: omitting })).toMatchObject({ status: 'ok', orders_missing: 1 });
  expect(await held(client, omitted)).toMatchObject({ missing_since: '20 02:01' });
  expect(await verdict()).toEqual({ verified: '20 02:01', attempts: 0, last_error: null });
});

test('the day of being unresolved starts over if the order was listed in between', async () => {
  const { client, clock, simulator, sweep } = await openCopy(40);
  const omitting = hiding(new Set([idAt(simulator, 12)]), 'list');
  expect(await sweep(FORCED, {}, { through: omitting })).toMatchObject({ status: 'partial' });
  clock.pass({ hours: 12 });
  await ageSuspects(client, 12);
  expect(await sweep()).toMatchObject({ status: 'ok' });
  clock.pass({ hours: 13 });
  await ageSuspects(client, 13);
  expect(await sweep(FORCED, {}, { through: omitting })).toMatchObject({ status: 'partial' });
  expect(await marks(client)).toEqual({ missing: 0, deleted: 0 });
});

test('30 of 100 orders gone at once look like a fault: none is marked, and the days stay due with the reason until accepted', async () => {
  const { client, clock, differences, rows, shop, sweep } = await openCopy(100);
  const before = await coreVersions(client);
  const counted = async () => await rows('SELECT day, orders_seen FROM tested.days ORDER BY day');
  const ledger = await counted();
  // Of some days only: the others were shown by the same list.
  const deleted = shop.orders().slice(0, 30);
  for (const { orderId } of deleted) shop.deleteOrder(orderId);
  expect(deleted).toHaveLength(30);
  for (let walk = 1; walk <= 2; walk++) {
    const result = await sweep();
    expect(result).toMatchObject({ status: 'partial', orders_missing: 0, days_verified: 0 });
    expect(await coreVersions(client)).toBe(before);
    expect(await counted()).toEqual(ledger);
    expect(await rows('SELECT 1 FROM tested.days WHERE verified_at IS NOT NULL')).toEqual([]);
    const errors = await dayErrors(client);
    expect(errors).toHaveLength(ledger.length);
    expect(errors[0]).toContain('30 of 100 orders disappeared');
    clock.pass({ hours: 1 });
  }
  const believed = await sweep({ ...FORCED, acceptMissing: true });
  expect(believed).toMatchObject({ status: 'ok', orders_missing: 30 });
  // What was accepted once is no new disappearance.
  expect(await sweep()).toMatchObject({ status: 'ok', problems: [], orders_missing: 0 });
  expect(await dayErrors(client)).toEqual([]);
  expect(await differences()).toEqual([]);
});

test('orders that moved to a day do not hide how many of its own are gone', async () => {
  const { shop, sweep } = await openCopy(130, 5);
  const orders = shop.orders();
  const day = orders.at(-1)?.createdLocal.toPlainDate().subtract({ days: 1 });
  if (day === undefined) throw new Error('no order');
  const isOfDay = ({ createdLocal }: { createdLocal: Temporal.PlainDateTime }) =>
    createdLocal.toPlainDate().equals(day);
  const own = orders.filter(isOfDay);
  const others = orders.filter((order) => !isOfDay(order)).slice(0, 100);
  expect(own.length).toBeGreaterThan(22);
  for (const { orderId } of own.slice(0, 22)) shop.deleteOrder(orderId);
  for (const { orderId } of others) shop.editOrder(orderId, { createdLocal: day.toPlainDateTime('12:00') });
  const result = await sweep({ kind: 'backfill', force: true, from: day, to: day });
  expect(result).toMatchObject({ status: 'partial', orders_missing: 0 });
  expect(result.problems.join()).toContain(`22 of ${own.length} orders disappeared`);
});

test.each([
  ['20 of 40: few enough, whatever their share', 40, 20, true],
  ['21 of 40', 40, 21, false],
  ['21 of 105: just a fifth', 105, 21, true],
  ['22 of 105', 105, 22, false],
])('the guard: %s', async (_claim, orders, gone, areMarked) => {
  const { client, shop, sweep } = await openCopy(orders);
  for (const { orderId } of shop.orders().slice(3, 3 + gone)) shop.deleteOrder(orderId);
  const missing = areMarked ? gone : 0;
  expect(await sweep()).toMatchObject({
    status: areMarked ? 'ok' : 'partial',
    orders_missing: missing,
  });
  expect(await marks(client)).toEqual({ missing, deleted: 0 });
});

test('the guard: what was marked before is no part of what a new disappearance is a share of', async () => {
  const { client, clock, shop, sweep } = await openCopy(105);
  const ids = shop.orders().map(({ orderId }) => orderId);
  for (const id of ids.slice(0, 5)) shop.deleteOrder(id);
  expect(await sweep()).toMatchObject({ status: 'ok', orders_missing: 5 });
  // A fifth of 105, and more than that of 100.
  clock.pass({ minutes: 1 });
  for (const id of ids.slice(10, 31)) shop.deleteOrder(id);
  expect(await sweep()).toMatchObject({ status: 'partial', orders_missing: 0 });
  expect(await marks(client)).toMatchObject({ missing: 5 });
});

test('the guard: what was marked before is no part of a new disappearance', async () => {
  const { client, clock, shop, sweep } = await openCopy(100);
  for (const [first, gone] of [
    [3, 15],
    [30, 10],
  ] as const) {
    for (const { orderId } of shop.orders().slice(first, first + gone)) {
      shop.deleteOrder(orderId);
    }
    expect(await sweep()).toMatchObject({ status: 'ok', orders_missing: gone });
    clock.pass({ hours: 1 });
  }
  expect(await marks(client)).toEqual({ missing: 25, deleted: 15 });
});

test.each([
  ['newest', 'of all', -2, undefined],
  ['oldest', 'of all', 0, 2],
  ['newest', 'of a day', -2, undefined],
  ['oldest', 'of a day', 0, 2],
] as const)(
  'the %s orders %s that the list omits are not lost, and their day stays due',
  async (_which, of, first, end) => {
    const { client, clock, differences, shop, sweep } = await openCopy(60);
    const days = [...Map.groupBy(shop.orders(), ({ createdLocal }) => createdLocal.toPlainDate().toString())];
    const orders = of === 'of all' ? shop.orders() : (days[2]?.[1] ?? []);
    const hidden = orders.slice(first, end);
    expect(hidden).toHaveLength(2);
    const own = [...new Set(hidden.map(({ createdLocal }) => createdLocal.toPlainDate().toString()))];
    const [from, to] =
      of === 'of all' ? [undefined, undefined] : own.map((day) => Temporal.PlainDate.from(day));
    const request = { ...FORCED, from, to: to ?? from };
    const result = await sweep(
      request,
      {},
      { through: hiding(new Set(hidden.map(({ orderId }) => orderId)), 'list') },
    );
    expect(result).toMatchObject({ status: 'partial', orders_missing: 0 });
    const { rows } = await client.query<{ day: string }>(
      `SELECT day::text FROM ops.days WHERE ${OF_TEST_SHOP} AND verified_at IS NULL ORDER BY day`,
    );
    expect(rows.map(({ day }) => day)).toEqual(own.toSorted());
    expect(await differences()).toEqual([]);
    clock.pass({ minutes: 1 });
    expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok' });
  },
);

test.each([
  ['newest', '23:30'],
  ['oldest', '00:20'],
])(
  'a filter that leaves out the %s hours of what is asked for hides no new order of a day',
  async (end, time) => {
    const { differences, shop, sweep } = await openCopy(60);
    const HOURS = { hours: 20 };
    const through = (api: ShopApi): ShopApi => ({
      ...api,
      listOrders({ dateFrom, dateTo, ...query }, signal) {
        const from = end === 'oldest' ? dateFrom?.add(HOURS) : dateFrom;
        const to = end === 'newest' ? dateTo?.subtract(HOURS) : dateTo;
        return api.listOrders(
          { ...query, ...(from && { dateFrom: from }), ...(to && { dateTo: to }) },
          signal,
        );
      },
    });
    const day = Temporal.PlainDate.from('2026-03-08');
    const createdLocal = day.toPlainDateTime(time);
    shop.insertOrder({ createdLocal });
    expect(await sweep({ ...FORCED, from: day, to: day }, {}, { through })).toMatchObject({
      status: 'ok',
      days_verified: 1,
      orders_new: 1,
    });
    expect(await differences()).toEqual([]);
  },
);
