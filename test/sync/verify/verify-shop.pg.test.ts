import { expect, test } from 'vitest';

import type { Simulator } from '../../../src/simulator/server.ts';
import { answerJson } from '../../support/in-process-shop.ts';
import { openShop, PRESENT } from '../../support/shop.ts';
import { coreVersions } from '../../support/truth.ts';

const VERIFIED = { is_sweep_due: false, confirmed_at: null };
const DUE = { is_sweep_due: true, confirmed_at: null };

/** Count and sum of each month and currency, as the simulator knows them. */
function trueMonths({ shop }: Simulator) {
  const months = Map.groupBy(
    shop.orders(),
    ({ createdLocal, currency }) => `${createdLocal.toPlainDate().toString().slice(0, 7)} ${currency}`,
  );
  return [...months]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([key, orders]) => ({
      month: key.slice(0, 7),
      currency: key.slice(8),
      orders: orders.length,
      sum: (orders.reduce((sum, { sumCents }) => sum + sumCents, 0) / 100).toFixed(2),
    }));
}

test('a copy that equals the shop shows no difference in any month, and is not written', async () => {
  const made = { orders: 70, days: 60, seed: 21 };
  const { client, clock, rows, simulator, sweep, verify } = await openShop(made);
  await sweep({ kind: 'backfill' }, { pageLimit: 20 });
  const versions = await coreVersions(client);
  clock.pass({ minutes: 1 });
  simulator.requests.reset();
  const result = await verify({ makeDue: true }, { pageLimit: 20 });
  expect(result).toMatchObject({ status: 'ok', problems: [], differences: [] });
  const months = trueMonths(simulator);
  expect(months.length).toBeGreaterThanOrEqual(3);
  expect(result.months).toEqual(
    months.map(({ month, currency, orders, sum }) => ({
      month,
      currency,
      shop: { orders, sum },
      warehouse: { orders, sum },
      is_equal: true,
    })),
  );
  expect(simulator.requests.counts()).toEqual({ orders: simulator.requests.count('orders') });
  expect(await coreVersions(client)).toBe(versions);
  expect(await rows('SELECT day FROM tested.days WHERE verified_at IS NULL')).toEqual([]);
  expect(
    await rows('SELECT kind, status, orders_seen FROM tested.runs ORDER BY run_id DESC LIMIT 1'),
  ).toEqual([{ kind: 'verify', status: 'ok', orders_seen: 70 }]);
});

test('unseen changes are reported by order and by month, and a sweep fixes them', async () => {
  const made = { orders: 90, days: 60, seed: 22 };
  const { client, clock, differences, rows, shop, simulator, sweep, verify } = await openShop(made);
  await sweep();
  const day = (index: number) => shop.orders()[index]?.createdLocal.toPlainDate().toString();
  const [deleted, edited, moved] = [shop.orders()[10], shop.orders()[80], shop.orders()[60]];
  if (!deleted || !edited || !moved) throw new Error('the shop is too small');
  const inserted = shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from('2026-02-14T09:00') });
  const days = { deleted: day(10), edited: edited.createdLocal.toPlainDate().toString() };
  shop.deleteOrder(deleted.orderId);
  shop.editOrder(edited.orderId, { deliveryPriceCents: edited.deliveryPriceCents + 12_345 });
  shop.moveOrder(moved.orderId, Temporal.PlainDateTime.from('2026-01-20T08:00'));

  clock.pass({ seconds: 20 });
  const before = await verify({ makeDue: false });
  expect(before.status).toBe('ok');
  expect(before.differences.toSorted((a, b) => Number(a.order_id) - Number(b.order_id))).toEqual(
    [
      { order_id: String(deleted.orderId), day: days.deleted, kind: 'not in the shop', ...VERIFIED },
      { order_id: String(edited.orderId), day: days.edited, kind: 'differs', ...VERIFIED },
      { order_id: String(moved.orderId), day: '2026-01-20', kind: 'differs', ...VERIFIED },
      { order_id: String(inserted.orderId), day: '2026-02-14', kind: 'not in the warehouse', ...VERIFIED },
    ].toSorted((a, b) => Number(a.order_id) - Number(b.order_id)),
  );
  const listed = before.months.filter(({ shop }) => shop.orders > 0);
  expect(
    listed.map(({ month, currency, shop: { orders, sum } }) => ({ month, currency, orders, sum })),
  ).toEqual(trueMonths(simulator));
  expect(before.months.map((month) => month.is_equal)).toContain(false);
  const unequal = before.months.filter((month) => !month.is_equal);
  const surplus = unequal.reduce((sum, { shop, warehouse }) => sum + shop.orders - warehouse.orders, 0);
  expect(surplus, 'one came and one went').toBe(0);
  expect(await rows('SELECT 1 FROM tested.days WHERE verified_at IS NULL')).toEqual([]);

  clock.pass({ seconds: 1 });
  await verify({ makeDue: true });
  const { rows: due } = await client.query<{ day: string }>(
    'SELECT day::text FROM tested.days WHERE verified_at IS NULL ORDER BY day',
  );
  const wanted = [days.deleted, days.edited, '2026-01-20', '2026-02-14'];
  expect(due.map((row) => row.day)).toEqual(
    [...new Set(wanted)].toSorted((a = '', b = '') => a.localeCompare(b)),
  );

  clock.pass({ seconds: 1 });
  const mended = await sweep({ kind: 'sync' });
  // And the day that an order left.
  expect(mended.days_due).toBe(due.length + 1);
  expect(await differences()).toEqual([]);
  clock.pass({ seconds: 1 });
  const after = await verify({ makeDue: false });
  const gone = { kind: 'not in the shop', day: days.deleted, is_sweep_due: true };
  expect(after, 'the views show it until that is confirmed').toMatchObject({
    status: 'ok',
    differences: [gone],
  });
  expect(after.months.filter((month) => !month.is_equal)).toHaveLength(1);
  clock.pass({ minutes: 5 });
  await sweep({ kind: 'sync' });
  const last = await verify({ makeDue: false });
  expect(last).toMatchObject({ status: 'ok', differences: [] });
  expect(last.months.every((month) => month.is_equal)).toBe(true);
});

test('only the requested range is compared, and an order dated before the first day is found', async () => {
  const { clock, shop, sweep, verify } = await openShop({ orders: 60, days: 30, seed: 23 });
  await sweep();
  shop.editOrder(shop.orders()[5]?.orderId ?? 0, { comment: 'outside' });
  const last = shop.orders().at(-1);
  const inside = shop.editOrder(last?.orderId ?? 0, { comment: 'inside' });
  clock.pass({ minutes: 1 });
  const from = inside.createdLocal.toPlainDate();
  const part = await verify({ from, to: from, makeDue: false });
  expect(part.differences).toEqual([
    { order_id: String(inside.orderId), day: from.toString(), kind: 'differs', ...DUE },
  ]);
  expect(part.months).toHaveLength(1);

  const early = shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from('2024-12-31T23:59:59') });
  clock.pass({ minutes: 1 });
  const all = await verify({ makeDue: false });
  expect(all.differences).toContainEqual({
    order_id: String(early.orderId),
    day: '2024-12-31',
    kind: 'not in the warehouse',
    ...VERIFIED,
  });
  expect(all.months[0]).toMatchObject({ month: '2024-12', shop: { orders: 1 }, warehouse: { orders: 0 } });
});

test('a part of the shop that cannot be read completely is reported, and counts as no difference', async () => {
  const { clock, simulator, sweep, verify } = await openShop({ orders: 40, days: 5, seed: 24 });
  const historyFrom = Temporal.PlainDate.from('2026-03-04');
  await sweep({ kind: 'backfill' }, { historyFrom });
  clock.pass({ minutes: 1 });
  simulator.faults.failNext(1000, 'empty-array', { route: 'orders' });
  const result = await verify({ makeDue: true }, { historyFrom });
  expect(result).toMatchObject({ status: 'partial', differences: [], months: [] });
  expect(result.problems.join()).toContain('lists no orders at all');
});

test('a moved order is one difference, even if its days are read separately', async () => {
  const { clock, shop, sweep, verify } = await openShop({ orders: 60, days: 10, seed: 25 });
  await sweep({ kind: 'backfill' }, { pageLimit: 10 });
  const moved = shop.orders()[5]?.orderId ?? 0;
  shop.moveOrder(moved, Temporal.PlainDateTime.from('2026-03-09T12:00'));
  clock.pass({ minutes: 1 });
  const result = await verify({ makeDue: true }, { pageLimit: 10 });
  expect(result.list_requests).toBeGreaterThan(5);
  expect(result.differences).toEqual([
    { order_id: String(moved), day: '2026-03-09', kind: 'differs', ...DUE },
  ]);
});

test('days verified by a clock that ran ahead are still compared and swept', async () => {
  const { differences, shop, sweep, verify } = await openShop({ orders: 40, days: 5, seed: 26 });
  const ahead = { now: () => PRESENT.add({ hours: 24 * 365 }) };
  await sweep({ kind: 'backfill', to: Temporal.PlainDate.from('2026-03-10') }, {}, ahead);
  const edited = shop.editOrder(shop.orders()[0]?.orderId ?? 0);
  const { differences: found } = await verify({ makeDue: false });
  expect(found.map(({ order_id }) => order_id)).toEqual([String(edited.orderId)]);
  expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok', days_due: 6 });
  expect(await differences()).toEqual([]);
});

test('edits in the warehouse are reported though the shop changed nothing, and are fixed', async () => {
  const made = { orders: 60, days: 5, seed: 27 };
  const { client, clock, differences, shop, sweep, verify } = await openShop(made);
  await sweep();
  const [first, second] = shop.orders().map(({ orderId }) => String(orderId));
  await client.query('UPDATE tested.orders SET order_sum = order_sum + 5 WHERE order_id = $1', [first]);
  await client.query('UPDATE tested.orders SET views = 0 WHERE order_id = $1', [second]);
  await client.query(`UPDATE tested.order_persons SET comment = 'by hand' WHERE order_id = $1`, [second]);
  clock.pass({ minutes: 1 });
  const { differences: found } = await verify({ makeDue: true });
  expect(new Map(found.map(({ order_id, kind }) => [order_id, kind]))).toEqual(
    new Map([first, second].map((orderId) => [orderId, 'differs'])),
  );
  clock.pass({ seconds: 1 });
  await sweep({ kind: 'sync' });
  expect(await differences()).toEqual([]);
  clock.pass({ seconds: 1 });
  const after = await verify({ makeDue: false });
  expect(after).toMatchObject({ status: 'ok', differences: [] });
  expect(after.months.every((month) => month.is_equal)).toBe(true);
});

test('an endless list is abandoned after some pages', async () => {
  const { clock, front, shop, sweep, verify } = await openShop({ orders: 40, days: 5, seed: 28 });
  const settings = { pageLimit: 20 };
  await sweep({ kind: 'backfill' }, settings);
  clock.pass({ minutes: 1 });
  const [order] = shop.orders();
  front.rewrite = (path, answer) => {
    const query = new URLSearchParams(path.split('?')[1]);
    if (!path.startsWith('orders?') || query.has('date_from')) return;
    const { orders, total } = JSON.parse(answer.body.toString()) as { orders: object[]; total: number };
    const row = orders[0] ?? { created: '10.03.2026', time: '10:00', order_id: order?.orderId };
    const start = Number(query.get('start') ?? 0);
    const endless = Array.from({ length: 20 }, (_, index) => ({
      ...row,
      order_id: 5_000_000 + start + index,
    }));
    answerJson(answer, { orders: endless, total });
  };
  const result = await verify({ makeDue: false }, settings);
  expect(result).toMatchObject({ status: 'partial', months: [] });
  expect(result.problems.join()).toMatch(/it does not end: \d+ orders received, 40 expected/);
  expect(result.list_requests).toBeLessThan(220);
});

test('a comparison respects the first day, marked orders, and rows of an older version', async () => {
  const { client, shop, sweep, verify } = await openShop({ orders: 60, days: 8, seed: 29 });
  const historyFrom = Temporal.PlainDate.from('2026-03-06');
  await sweep({ kind: 'backfill' }, { historyFrom });
  const found = async () => {
    const result = await verify({ makeDue: false }, { historyFrom });
    return result.differences.map(({ order_id, kind }) => ({ order_id, kind }));
  };
  expect(await found()).toEqual([]);
  const [edited, marked] = shop.orders().slice(-2);
  const set = (columns: string, orderId = edited?.orderId) =>
    client.query(`UPDATE tested.orders SET ${columns} WHERE order_id = $1`, [orderId]);
  await set('order_sum = order_sum + 5');
  const difference = { order_id: String(edited?.orderId), kind: 'differs' };
  expect(await found()).toEqual([difference]);
  await client.query('UPDATE tested.shop_state SET normalizer_version = 0');
  expect(await found(), 'such rows may differ for good reason').toEqual([]);
  await set(`missing_since = '2026-03-10'`, marked?.orderId);
  expect(await found(), 'the views show it').toEqual([]);
  await set(`deleted_at = '2026-03-10'`, marked?.orderId);
  expect(await found()).toEqual([{ order_id: String(marked?.orderId), kind: 'not in the warehouse' }]);
});
