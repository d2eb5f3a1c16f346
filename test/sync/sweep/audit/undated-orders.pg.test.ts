/** Orders without a readable date: no date filter reaches them. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { openShop, SHOP } from '../../../support/shop.ts';
import { marks } from '../../support/copy.ts';

const UNDATED = ['00.00.0000', ''] as const;

async function undatedOrders(client: Client): Promise<number> {
  const { rows } = await client.query(
    `SELECT order_id FROM tested.orders
     WHERE created_on IS NULL AND created_local IS NULL AND missing_since IS NULL AND deleted_at IS NULL`,
  );
  return rows.length;
}

async function countRuns(client: Client): Promise<number> {
  return (await client.query('SELECT FROM tested.runs')).rows.length;
}

test('orders without a readable date are loaded with the first load of a small shop', async () => {
  const { client, differences, shop, sweep } = await openShop();
  for (const createdText of UNDATED) shop.insertOrder({ createdText });
  expect(await sweep({ kind: 'backfill' })).toMatchObject({ orders_new: 42 });
  expect(await undatedOrders(client)).toBe(2);
  expect(await differences()).toEqual([]);
});

test.each([
  ['a sweep that requests an audit', { minutes: 1 }, { kind: 'sync', audit: true }],
  ['a sync a week later', { hours: 7 * 24 + 1 }, { kind: 'sync' }],
] as const)(
  'orders without a readable date are found by %s, and marked missing when they disappear',
  async (_what, later, request) => {
    const made = { ...SHOP, pageCap: 5, dialect: { total: 'absent' } } as const;
    const { client, clock, differences, shop, sweep, verify } = await openShop(made);
    expect(await sweep({ kind: 'backfill' })).toMatchObject({ status: 'ok' });
    const ids = UNDATED.map((createdText) => shop.insertOrder({ createdText }).orderId);
    clock.pass({ minutes: 6 });
    await sweep({ kind: 'sync' });
    expect(await undatedOrders(client), 'no date filter finds them').toBe(0);

    const { differences: found } = await verify({ makeDue: true });
    const isNone = { day: null, kind: 'not in the warehouse', is_sweep_due: false, confirmed_at: null };
    expect(new Set(found)).toEqual(new Set(ids.map((id) => ({ order_id: String(id), ...isNone }))));
    clock.pass(later);
    expect(await sweep(request)).toMatchObject({ orders_new: 2 });
    expect(await undatedOrders(client)).toBe(2);
    expect(await differences()).toEqual([]);

    shop.editOrder(ids[0] ?? 0, { status: 'C' });
    shop.deleteOrder(ids[1] ?? 0);
    clock.pass(later);
    await sweep(request);
    expect(await marks(client)).toEqual({ missing: 1, deleted: 0 });
    expect(await differences(), 'the other is as it is now').toEqual([]);
    clock.pass({ hours: 7 * 24 + 1 });
    const before = await countRuns(client);
    await sweep(request);
    expect(await marks(client)).toMatchObject({ deleted: 1 });
    expect(await countRuns(client), 'a run that deletes is no quiet one').toBe(before + 1);
  },
);

test('one that disappeared is looked for once more five minutes later, though no day of it is due', async () => {
  const { client, clock, shop, simulator, sweep } = await openShop();
  const gone = shop.insertOrder({ createdText: '' }).orderId;
  await sweep({ kind: 'backfill' });
  shop.deleteOrder(gone);
  clock.pass({ minutes: 10 });
  await sweep({ kind: 'sync', audit: true });
  clock.pass({ minutes: 4 });
  await sweep({ kind: 'sync' });
  expect(await marks(client)).toEqual({ missing: 1, deleted: 0 });
  clock.pass({ minutes: 1 });
  await sweep({ kind: 'sync' });
  expect(await marks(client)).toEqual({ missing: 1, deleted: 1 });
  simulator.requests.reset();
  clock.pass({ minutes: 1 });
  await sweep({ kind: 'sync' });
  expect(simulator.requests.count('orders'), 'then the list is not read again').toBeLessThan(4);
});

test('if orders without a date are stored, the list shows within an hour that others came, went or changed', async () => {
  const made = { ...SHOP, orders: 120, days: 40, pageCap: 60 };
  const { client, clock, differences, shop, simulator, sweep } = await openShop(made);
  const first = shop.insertOrder({ createdText: '' }).orderId;
  await sweep({ kind: 'backfill' });
  await sweep({ kind: 'sync', audit: true });
  clock.pass({ hours: 1 });
  simulator.requests.reset();
  expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok' });
  const audited = simulator.requests.count('orders');

  const second = shop.insertOrder({ createdText: '00.00.0000' }).orderId;
  shop.insertOrder();
  shop.editOrder(first, { status: 'C' });
  clock.pass({ minutes: 60 });
  await sweep({ kind: 'sync' });
  expect(await undatedOrders(client)).toBe(2);
  expect(await differences()).toEqual([]);

  shop.deleteOrder(first);
  clock.pass({ minutes: 6 });
  await sweep({ kind: 'sync' });
  expect(await marks(client), 'within the hour').toEqual({ missing: 0, deleted: 0 });
  clock.pass({ minutes: 60 });
  await sweep({ kind: 'sync' });
  expect(await marks(client)).toEqual({ missing: 1, deleted: 0 });
  expect(await differences()).toEqual([]);

  // One loses its date.
  const lost = shop.orders().at(-3)?.orderId ?? 0;
  shop.editOrder(lost, { createdText: '' });
  clock.pass({ minutes: 65 });
  expect(await sweep({ kind: 'sync' }), 'its old day lacks it').toMatchObject({ status: 'partial' });
  expect(await undatedOrders(client)).toBe(2);
  clock.pass({ minutes: 65 });
  expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok' });
  expect(await differences()).toEqual([]);

  // Where nothing is undated, the list is not read so often.
  shop.deleteOrder(second);
  shop.deleteOrder(lost);
  clock.pass({ minutes: 65 });
  await sweep({ kind: 'sync' });
  clock.pass({ minutes: 65 });
  await sweep({ kind: 'sync' });
  expect(await undatedOrders(client)).toBe(0);
  clock.pass({ minutes: 65 });
  simulator.requests.reset();
  await sweep({ kind: 'sync' });
  expect(simulator.requests.count('orders')).toBeLessThanOrEqual(audited - 3);
});

test('if too many orders without a date disappear at once, none is marked, and the sweep says so', async () => {
  const { client, clock, shop, sweep } = await openShop({
    ...SHOP,
    pageCap: 5,
    dialect: { total: 'absent' },
  });
  const ids = Array.from({ length: 30 }, () => shop.insertOrder({ createdText: '' }).orderId);
  await sweep({ kind: 'backfill' });
  await sweep({ kind: 'sync', audit: true });
  expect(await undatedOrders(client)).toBe(30);
  for (const id of ids) shop.deleteOrder(id);
  clock.pass({ hours: 2 });
  const { status, problems } = await sweep({ kind: 'sync', audit: true });
  expect(status).toBe('partial');
  expect(problems.join('\n')).toMatch(/^30 of \d+ orders disappeared/m);
  expect(await marks(client)).toEqual({ missing: 0, deleted: 0 });
});
