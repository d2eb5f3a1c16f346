import { expect, test } from 'vitest';

import { type Simulator, startSimulator } from '../../../src/simulator/server.ts';
import {
  inWarehouse,
  OF_TEST_SHOP,
  sweepOnce,
  testClock,
  verifyOnce,
  withoutGroups,
} from '../../support/sweep.ts';
import { coreVersions, differences } from '../../support/truth.ts';
import { answerJson, startRewritingShop } from '../support/rewriting-shop.ts';
import { PRESENT, withShop } from '../../support/shop.ts';

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

test('a copy that equals the shop shows no difference in any month, and is not written', () =>
  withShop({ orders: 70, days: 60, seed: 21 }, async ({ client, clock, db, means, simulator }) => {
    await sweepOnce(simulator, db, { kind: 'backfill' }, { pageLimit: 20 }, means);
    const versions = await coreVersions(client);
    clock.pass({ minutes: 1 });
    simulator.requests.reset();
    const result = await verifyOnce(simulator, db, { makeDue: true }, { pageLimit: 20 }, means);
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
    const { rows: due } = await client.query('SELECT day FROM tested.days WHERE verified_at IS NULL');
    expect(due).toEqual([]);
    const { rows: runs } = await client.query(
      'SELECT kind, status, orders_seen FROM tested.runs ORDER BY run_id DESC LIMIT 1',
    );
    expect(runs).toEqual([{ kind: 'verify', status: 'ok', orders_seen: 70 }]);
  }));

test('unseen changes are reported by order and by month, and a sweep fixes them', () =>
  withShop({ orders: 90, days: 60, seed: 22 }, async ({ client, clock, db, means, simulator }) => {
    const { shop } = simulator;
    await sweepOnce(simulator, db, { kind: 'backfill' }, {}, means);
    const day = (index: number) => shop.orders()[index]?.createdLocal.toPlainDate().toString();
    const [deleted, edited, moved] = [shop.orders()[10], shop.orders()[80], shop.orders()[60]];
    if (!deleted || !edited || !moved) throw new Error('the shop is too small');
    const inserted = shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from('2026-02-14T09:00') });
    const days = { deleted: day(10), edited: edited.createdLocal.toPlainDate().toString() };
    shop.deleteOrder(deleted.orderId);
    shop.editOrder(edited.orderId, { deliveryPriceCents: edited.deliveryPriceCents + 12_345 });
    shop.moveOrder(moved.orderId, Temporal.PlainDateTime.from('2026-01-20T08:00'));

    clock.pass({ seconds: 20 });
    const before = await verifyOnce(simulator, db, { makeDue: false }, {}, means);
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
    const { rows: untouched } = await client.query('SELECT 1 FROM tested.days WHERE verified_at IS NULL');
    expect(untouched).toEqual([]);

    clock.pass({ seconds: 1 });
    await verifyOnce(simulator, db, { makeDue: true }, {}, means);
    const { rows: due } = await client.query<{ day: string }>(
      'SELECT day::text FROM tested.days WHERE verified_at IS NULL ORDER BY day',
    );
    const wanted = [days.deleted, days.edited, '2026-01-20', '2026-02-14'];
    expect(due.map((row) => row.day)).toEqual(
      [...new Set(wanted)].toSorted((a = '', b = '') => a.localeCompare(b)),
    );

    clock.pass({ seconds: 1 });
    const mended = await sweepOnce(simulator, db, { kind: 'sync' }, {}, means);
    // And the day that an order left.
    expect(mended.days_due).toBe(due.length + 1);
    expect(await differences(client, shop)).toEqual([]);
    clock.pass({ seconds: 1 });
    const after = await verifyOnce(simulator, db, { makeDue: false }, {}, means);
    const gone = { kind: 'not in the shop', day: days.deleted, is_sweep_due: true };
    expect(after, 'the views show it until that is confirmed').toMatchObject({
      status: 'ok',
      differences: [gone],
    });
    expect(after.months.filter((month) => !month.is_equal)).toHaveLength(1);
    clock.pass({ minutes: 5 });
    await sweepOnce(simulator, db, { kind: 'sync' }, {}, means);
    const last = await verifyOnce(simulator, db, { makeDue: false }, {}, means);
    expect(last).toMatchObject({ status: 'ok', differences: [] });
    expect(last.months.every((month) => month.is_equal)).toBe(true);
  }));

test('only the requested range is compared, and an order dated before the first day is found', () =>
  withShop({ orders: 60, days: 30, seed: 23 }, async ({ clock, db, means, simulator }) => {
    const { shop } = simulator;
    await sweepOnce(simulator, db, { kind: 'backfill' }, {}, means);
    shop.editOrder(shop.orders()[5]?.orderId ?? 0, { comment: 'outside' });
    const last = shop.orders().at(-1);
    const inside = shop.editOrder(last?.orderId ?? 0, { comment: 'inside' });
    clock.pass({ minutes: 1 });
    const from = inside.createdLocal.toPlainDate();
    const part = await verifyOnce(simulator, db, { from, to: from, makeDue: false }, {}, means);
    expect(part.differences).toEqual([
      { order_id: String(inside.orderId), day: from.toString(), kind: 'differs', ...DUE },
    ]);
    expect(part.months).toHaveLength(1);

    const early = shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from('2024-12-31T23:59:59') });
    clock.pass({ minutes: 1 });
    const all = await verifyOnce(simulator, db, { makeDue: false }, {}, means);
    expect(all.differences).toContainEqual({
      order_id: String(early.orderId),
      day: '2024-12-31',
      kind: 'not in the warehouse',
      ...VERIFIED,
    });
    expect(all.months[0]).toMatchObject({ month: '2024-12', shop: { orders: 1 }, warehouse: { orders: 0 } });
  }));

test('a part of the shop that cannot be read completely is reported, and counts as no difference', () =>
  withShop({ orders: 40, days: 5, seed: 24 }, async ({ clock, db, means, simulator }) => {
    const historyFrom = Temporal.PlainDate.from('2026-03-04');
    await sweepOnce(simulator, db, { kind: 'backfill' }, { historyFrom }, means);
    clock.pass({ minutes: 1 });
    simulator.faults.failNext(1000, 'empty-array', { route: 'orders' });
    const result = await verifyOnce(simulator, db, { makeDue: true }, { historyFrom }, means);
    expect(result).toMatchObject({ status: 'partial', differences: [], months: [] });
    expect(result.problems.join()).toContain('lists no orders at all');
  }));

test('a moved order is one difference, even if its days are read separately', () =>
  withShop({ orders: 60, days: 10, seed: 25 }, async ({ clock, db, means, simulator }) => {
    const { shop } = simulator;
    await sweepOnce(simulator, db, { kind: 'backfill' }, { pageLimit: 10 }, means);
    const moved = shop.orders()[5]?.orderId ?? 0;
    shop.moveOrder(moved, Temporal.PlainDateTime.from('2026-03-09T12:00'));
    clock.pass({ minutes: 1 });
    const result = await verifyOnce(simulator, db, { makeDue: true }, { pageLimit: 10 }, means);
    expect(result.list_requests).toBeGreaterThan(5);
    expect(result.differences).toEqual([
      { order_id: String(moved), day: '2026-03-09', kind: 'differs', ...DUE },
    ]);
  }));

test('days verified by a clock that ran ahead are still compared and swept', () =>
  withShop({ orders: 40, days: 5, seed: 26 }, async ({ client, db, simulator }) => {
    const meansAt = (now: Temporal.Instant) => ({ now: () => now, through: withoutGroups });
    const ahead = meansAt(PRESENT.add({ hours: 24 * 365 }));
    const to = Temporal.PlainDate.from('2026-03-10');
    await sweepOnce(simulator, db, { kind: 'backfill', to }, {}, ahead);
    const edited = simulator.shop.editOrder(simulator.shop.orders()[0]?.orderId ?? 0);
    const right = meansAt(PRESENT);
    const { differences: found } = await verifyOnce(simulator, db, { makeDue: false }, {}, right);
    expect(found.map(({ order_id }) => order_id)).toEqual([String(edited.orderId)]);
    expect(await sweepOnce(simulator, db, { kind: 'sync' }, {}, right)).toMatchObject({
      status: 'ok',
      days_due: 6,
    });
    expect(await differences(client, simulator.shop)).toEqual([]);
  }));

test('edits in the warehouse are reported though the shop changed nothing, and are fixed', () =>
  withShop({ orders: 60, days: 5, seed: 27 }, async ({ client, clock, db, means, simulator }) => {
    await sweepOnce(simulator, db, { kind: 'backfill' }, {}, means);
    const [first, second] = simulator.shop.orders().map(({ orderId }) => String(orderId));
    await client.query('UPDATE tested.orders SET order_sum = order_sum + 5 WHERE order_id = $1', [first]);
    await client.query('UPDATE tested.orders SET views = 0 WHERE order_id = $1', [second]);
    await client.query(`UPDATE tested.order_persons SET comment = 'by hand' WHERE order_id = $1`, [second]);
    clock.pass({ minutes: 1 });
    const { differences: found } = await verifyOnce(simulator, db, { makeDue: true }, {}, means);
    expect(new Map(found.map(({ order_id, kind }) => [order_id, kind]))).toEqual(
      new Map([first, second].map((orderId) => [orderId, 'differs'])),
    );
    clock.pass({ seconds: 1 });
    await sweepOnce(simulator, db, { kind: 'sync' }, {}, means);
    expect(await differences(client, simulator.shop)).toEqual([]);
    clock.pass({ seconds: 1 });
    const after = await verifyOnce(simulator, db, { makeDue: false }, {}, means);
    expect(after).toMatchObject({ status: 'ok', differences: [] });
    expect(after.months.every((month) => month.is_equal)).toBe(true);
  }));

test('an endless list is abandoned after some pages', async () => {
  await using simulator = await startSimulator({ orders: 40, days: 5, seed: 28, now: PRESENT });
  await using shop = await startRewritingShop(simulator.url);
  await inWarehouse(async ({ db }) => {
    const clock = testClock(PRESENT);
    const means = { now: clock.now, through: () => withoutGroups(shop.api()) };
    const settings = { pageLimit: 20 };
    await sweepOnce(simulator, db, { kind: 'backfill' }, settings, means);
    clock.pass({ minutes: 1 });
    const [order] = simulator.shop.orders();
    shop.rewrite = (path, answer) => {
      const query = new URLSearchParams(path.split('?')[1]);
      if (!path.startsWith('orders?') || query.has('date_from')) return;
      const { orders, total } = JSON.parse(answer.body.toString()) as { orders: object[]; total: number };
      const row = orders[0] ?? { created: '10.03.2026', time: '10:00', order_id: order?.orderId };
      const start = Number(query.get('start') ?? 0);
      const rows = Array.from({ length: 20 }, (_, index) => ({
        ...row,
        order_id: 5_000_000 + start + index,
      }));
      answerJson(answer, { orders: rows, total });
    };
    const result = await verifyOnce(simulator, db, { makeDue: false }, settings, means);
    expect(result).toMatchObject({ status: 'partial', months: [] });
    expect(result.problems.join()).toMatch(/it does not end: \d+ orders received, 40 expected/);
    expect(result.list_requests).toBeLessThan(220);
  });
});

test('a comparison respects the first day, marked orders, and rows of an older version', () =>
  withShop({ orders: 60, days: 8, seed: 29 }, async ({ client, db, means, simulator }) => {
    const historyFrom = Temporal.PlainDate.from('2026-03-06');
    await sweepOnce(simulator, db, { kind: 'backfill' }, { historyFrom }, means);
    const found = async () => {
      const result = await verifyOnce(simulator, db, { makeDue: false }, { historyFrom }, means);
      return result.differences.map(({ order_id, kind }) => ({ order_id, kind }));
    };
    expect(await found()).toEqual([]);
    const [edited, marked] = simulator.shop.orders().slice(-2);
    const set = (columns: string, orderId = edited?.orderId) =>
      client.query(`UPDATE core.orders SET ${columns} WHERE ${OF_TEST_SHOP} AND order_id = $1`, [orderId]);
    await set('order_sum = order_sum + 5');
    const difference = { order_id: String(edited?.orderId), kind: 'differs' };
    expect(await found()).toEqual([difference]);
    await client.query(`UPDATE ops.shop_state SET normalizer_version = 0 WHERE ${OF_TEST_SHOP}`);
    expect(await found(), 'such rows may differ for good reason').toEqual([]);
    await set(`missing_since = '2026-03-10'`, marked?.orderId);
    expect(await found(), 'the views show it').toEqual([]);
    await set(`deleted_at = '2026-03-10'`, marked?.orderId);
    expect(await found()).toEqual([{ order_id: String(marked?.orderId), kind: 'not in the warehouse' }]);
  }));
