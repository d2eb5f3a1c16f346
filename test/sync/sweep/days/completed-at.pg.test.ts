import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { UnavailableError } from '../../../../src/model/errors.ts';
import { parseFreshness } from '../../../../src/plan/days/freshness.ts';
import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import type { SweepRequest } from '../../../../src/sync/sweep/sweep-request.ts';
import { FORCED, openShop } from '../../../support/shop.ts';
import { OF_TEST_SHOP } from '../../../support/sweep.ts';
import { idAt, openCopy } from '../../support/copy.ts';
import { hiding } from '../../support/hiding.ts';

/** Minutes past 18:00 UTC, as `completed/ok`; empty for never. */
async function ends(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ ends: string }>(
    `SELECT concat_ws('/', to_char(completed_at AT TIME ZONE 'UTC', 'MI'), to_char(ok_at AT TIME ZONE 'UTC', 'MI')) AS ends
     FROM ops.shop_state WHERE ${OF_TEST_SHOP}`,
  );
  return rows[0]?.ends;
}

/** A shop that requests a pause of a minute and a half. */
const pausing = (api: ShopApi): ShopApi => ({
  ...api,
  listOrders: () => Promise.reject(new UnavailableError('busy', { retryAfterMs: 90_000 })),
});

test('a sweep that leaves a day due, in whatever way, does not make the shop complete', async () => {
  const { client, clock, shop, simulator, sweep } = await openCopy(40);
  expect(await ends(client)).toBe('00/00');
  const omitting = hiding(new Set([idAt(simulator, 12)]), 'list');
  expect(await sweep(FORCED, {}, { through: omitting })).toMatchObject({
    status: 'partial',
    problems: [expect.anything()],
  });
  expect(await ends(client), 'an order is in doubt').toBe('00/00');

  clock.pass({ minutes: 1 });
  expect(await sweep({ ...FORCED, budgetMs: 0 })).toMatchObject({ is_cut: true });
  expect(await ends(client), 'time is up').toBe('00/00');

  clock.pass({ minutes: 1 });
  expect(await sweep(FORCED, {}, { through: pausing })).toMatchObject({ status: 'partial' });
  clock.pass({ minutes: 1 });
  expect(await sweep()).toMatchObject({ status: 'partial', requests: 0 });
  expect(await ends(client), 'a pause was requested').toBe('00/00');

  clock.pass({ minutes: 1 });
  const first = shop.orders()[0]?.createdLocal.toPlainDate();
  expect(await sweep({ ...FORCED, to: first })).toMatchObject({ status: 'ok' });
  clock.pass({ minutes: 1 });
  expect(await sweep()).toMatchObject({ status: 'ok', problems: [] });
  expect(await ends(client)).toBe('06/06');
});

test('a record that cannot be read leaves the shop complete, and the sweep partial', async () => {
  const { client, shop, simulator, sweep } = await openCopy(20);
  shop.editOrder(idAt(simulator, 3), { status: 'C' });
  shop.setRaw(idAt(simulator, 3), { summ: 'a lot' });
  expect(await sweep()).toMatchObject({ status: 'partial', new_rejections: 1 });
  expect(await ends(client)).toBe('01/00');
  expect(await sweep()).toMatchObject({ status: 'ok' });
  expect(await ends(client)).toBe('01/01');
});

test('the result of a sweep of all days is not undone by a partial sweep, or by one that leaves days due', async () => {
  const { client, clock, shop, simulator, sweep } = await openCopy(100);
  const causes = async () => {
    const { rows } = await client.query<{ cause: string }>(
      `SELECT jsonb_object_keys(findings) AS cause FROM ops.shop_state WHERE ${OF_TEST_SHOP} ORDER BY cause`,
    );
    return rows.map(({ cause }) => cause);
  };
  const orders = shop.orders();
  const hidden = new Set(orders.slice(30, 80).map(({ orderId }) => orderId));
  expect(await sweep(FORCED, {}, { through: hiding(hidden, 'list') })).toMatchObject({ status: 'partial' });
  expect(await causes()).toEqual(['deletions']);
  clock.pass({ minutes: 1 });
  const [first, last] = [orders[0], orders.at(-1)].map((order) => order?.createdLocal.toPlainDate());
  for (const part of [{ from: last }, { to: first }]) {
    expect(await sweep({ ...FORCED, ...part })).toMatchObject({ status: 'ok', days_due: 1 });
    expect(await causes()).toEqual(['deletions']);
  }
  await sweep({ ...FORCED, budgetMs: 0 });
  expect(await causes()).toEqual(['deletions']);
  clock.pass({ minutes: 1 });
  expect(await sweep()).toMatchObject({ status: 'ok' });
  expect(await causes()).toEqual([]);

  clock.pass({ minutes: 1 });
  simulator.faults.failNext(Infinity, 'http-401');
  await expect(sweep()).rejects.toThrow('401');
  simulator.faults.clear();
  expect(await causes()).toEqual(['credentials']);
  clock.pass({ minutes: 1 });
  await sweep(FORCED, {}, { through: pausing });
  expect(await causes(), 'a shop that asks for a pause may refuse the login all the same').toEqual([
    'credentials',
  ]);
  clock.pass({ hours: 1 });
  await sweep();
  expect(await causes()).toEqual([]);
});

test('a sweep of some days reports only those, whatever else is unread', async () => {
  const { clock, ...ground } = await openShop({ orders: 40, days: 5, seed: 4 });
  const settings = { freshness: parseFreshness('*:10m') };
  const sweep = (request: SweepRequest) => ground.sweep(request, settings);
  expect(await sweep({ kind: 'sync', budgetMs: 0 })).toMatchObject({
    status: 'partial',
    is_beginning_due: true,
  });
  const today = Temporal.PlainDate.from('2026-03-10');
  expect(await sweep({ kind: 'backfill', from: today, to: today })).toMatchObject({
    status: 'ok',
    days_due: 1,
    is_beginning_due: false,
    days_verified: 1,
  });
  expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok', is_beginning_due: false });

  // Only what runs by itself takes days a little early.
  clock.pass({ minutes: 9, seconds: 40 });
  expect(await sweep({ kind: 'backfill' })).toMatchObject({ days_due: 0 });
  expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok', days_due: 6 });
});

test('the ledger says when orders last came to a day, changed on it or left it', async () => {
  const { client, clock, shop, sweep } = await openCopy(60);
  const lastChanges = async () => {
    const { rows } = await client.query<{ day: string; at: string }>(
      `SELECT day::text, to_char(changed_at AT TIME ZONE 'UTC', 'HH24:MI') AS at FROM tested.days ORDER BY day`,
    );
    return Object.fromEntries(rows.map(({ day, at }) => [day, at]));
  };
  const loaded = await lastChanges();
  expect(Object.keys(loaded).length).toBeGreaterThan(4);
  expect(new Set(Object.values(loaded))).toEqual(new Set(['18:00']));
  clock.pass({ minutes: 9 });
  expect(await sweep()).toMatchObject({ status: 'ok' });
  expect(await lastChanges(), 'nothing has changed').toEqual(loaded);

  const [came, changed, left] = [8, 28, 48].map((at) => shop.orders()[at]);
  const dayOf = (order = came) => order?.createdLocal.toPlainDate().toString() ?? '';
  expect(new Set([dayOf(came), dayOf(changed), dayOf(left)]).size).toBe(3);
  shop.insertOrder(came && { createdLocal: came.createdLocal });
  shop.editOrder(changed?.orderId ?? 0);
  shop.deleteOrder(left?.orderId ?? 0);
  clock.pass({ minutes: 10 });
  expect(await sweep()).toMatchObject({ status: 'ok', orders_missing: 1 });
  const now = { [dayOf(came)]: '18:20', [dayOf(changed)]: '18:20', [dayOf(left)]: '18:20' };
  expect(await lastChanges()).toEqual({ ...loaded, ...now });

  // One that was missing comes back, and the missing one is deleted by now.
  const missing = 'UPDATE tested.orders SET missing_since = now() WHERE order_id = $1';
  await client.query(missing, [changed?.orderId]);
  clock.pass({ minutes: 10 });
  expect(await sweep()).toMatchObject({ status: 'ok' });
  expect(await lastChanges()).toEqual({
    ...loaded,
    ...now,
    [dayOf(changed)]: '18:30',
    [dayOf(left)]: '18:30',
  });
  // Of one that moves, the day that it leaves changes as well.
  for (const [place, at] of [
    [came, '18:40'],
    [changed, '18:50'],
  ] as const) {
    if (place === undefined || changed === undefined) throw new Error('both orders are there');
    shop.moveOrder(changed.orderId, place.createdLocal.with({ hour: 12, minute: 1 }));
    clock.pass({ minutes: 10 });
    await sweep();
    expect(await lastChanges()).toMatchObject({ [dayOf(came)]: at, [dayOf(changed)]: at });
  }
});
