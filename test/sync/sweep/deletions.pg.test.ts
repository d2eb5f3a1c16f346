import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { UnavailableError } from '../../../src/model/errors.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { inWarehouse, type Means, sweepOnce, testClock } from '../../support/sweep.ts';
import { coreVersions, differences } from '../../support/truth.ts';
import { FORCED, held, idAt, marks, PRESENT, withCopy } from '../support/copy.ts';
import { hiding } from '../support/hiding.ts';

/** Every row version of the tables that a deletion must leave alone. */
async function untouched(client: Client): Promise<readonly string[]> {
  const versions = (await coreVersions(client)).split('\n');
  return versions.filter((line) => /^core\.order_(lines|history) [1-9]/.test(line));
}

test('a deleted order is missing after one walk and deleted after the next; its data stays', async () => {
  await withCopy(60, async ({ simulator, client, clock, sweep }) => {
    const before = await untouched(client);
    expect(before).toHaveLength(2);
    const [gone, day] = [
      idAt(simulator, 20),
      simulator.shop.orders()[20]?.createdLocal.toPlainDate().toString(),
    ];
    simulator.shop.deleteOrder(gone);
    const ofDay = simulator.shop
      .orders()
      .filter((order) => order.createdLocal.toPlainDate().toString() === day);

    expect(await sweep()).toMatchObject({ status: 'ok', orders_missing: 1, orders_changed: 0 });
    expect(await held(client, gone)).toEqual({ missing_since: '10 18:01', deleted_at: null, day });
    const { rows: days } = await client.query('SELECT day::text, orders_seen FROM tested.days');
    expect(days).toContainEqual({ day, orders_seen: ofDay.length });

    clock.pass({ minutes: 1 });
    expect(await sweep()).toMatchObject({ status: 'ok', orders_missing: 0 });
    expect(await held(client, gone)).toEqual({ missing_since: '10 18:01', deleted_at: '10 18:02', day });
    expect(await marks(client)).toEqual({ missing: 1, deleted: 1 });
    expect(await untouched(client)).toEqual(before);
    expect(await differences(client, simulator.shop)).toEqual([]);

    simulator.requests.reset();
    clock.pass({ minutes: 1 });
    expect(await sweep()).toMatchObject({ status: 'ok' });
    expect(simulator.requests.count('order'), 'a deleted order is not asked for again').toBe(0);
  });
});

test('a missing order whose content cannot be requested is deleted by a second walk five minutes later', async () => {
  await withCopy(30, async ({ simulator, client, clock, sweep }) => {
    const gone = idAt(simulator, 10);
    simulator.shop.deleteOrder(gone);
    await sweep();
    clock.pass({ minutes: 4 });
    simulator.faults.failNext(2, 'http-500', { route: 'order' });
    expect(await sweep()).toMatchObject({ status: 'ok' });
    expect(simulator.faults.pending()).toBe(0);
    expect(await held(client, gone)).toMatchObject({ missing_since: '10 18:01', deleted_at: null });
    clock.pass({ minutes: 1 });
    simulator.requests.reset();
    await sweep();
    expect(await held(client, gone)).toMatchObject({ missing_since: '10 18:01', deleted_at: '10 18:06' });
    expect(simulator.requests.count('order')).toBe(0);
  });
});

test.each([
  ['missing', 1],
  ['deleted', 2],
])('a %s order that is listed again is live, with its new content', async (_state, walks) => {
  await withCopy(30, async ({ simulator, client, clock, sweep }) => {
    const [same, other] = [idAt(simulator, 5), idAt(simulator, 6)];
    const gone = hiding(new Set([same, other]), 'list and content');
    for (let walk = 1; walk <= walks; walk++) {
      expect(await sweep({ through: gone })).toMatchObject({ status: 'ok' });
      clock.pass({ minutes: 1 });
    }
    expect(await marks(client)).toEqual({ missing: 2, deleted: walks === 2 ? 2 : 0 });
    simulator.shop.editOrder(other, { status: 'C' });

    expect(await sweep()).toMatchObject({ status: 'ok', orders_new: 0, orders_changed: 1 });
    expect(await marks(client)).toEqual({ missing: 0, deleted: 0 });
    // The walks that lacked it, and verified its day, say nothing of its status then.
    const { rows } = await client.query(
      `SELECT to_char(not_before, 'DD HH24:MI') AS after FROM tested.order_history WHERE order_id = $1 AND seq = 2`,
      [other],
    );
    expect(rows).toEqual([{ after: '10 18:00' }]);
    expect(await differences(client, simulator.shop)).toEqual([]);
  });
});

test('a sync that does no more than to find a missing order again is among the runs', async () => {
  await withCopy(30, async ({ simulator, client, clock, sweep }) => {
    const latest = new Set([simulator.shop.orders().at(-1)?.orderId ?? 0]);
    const request = { kind: 'sync' } as const;
    await sweep({ request, through: hiding(latest, 'list and content') });
    expect(await marks(client)).toEqual({ missing: 1, deleted: 0 });
    const runs = async () => (await client.query('SELECT 1 FROM tested.runs')).rowCount ?? 0;
    const before = await runs();
    clock.pass({ minutes: 10 });
    expect(await sweep({ request })).toMatchObject({ status: 'ok', orders_changed: 0 });
    expect(await marks(client)).toEqual({ missing: 0, deleted: 0 });
    expect(await runs()).toBe(before + 1);
    clock.pass({ minutes: 10 });
    await sweep({ request });
    expect(await runs(), 'one that finds nothing').toBe(before + 1);
  });
});

test.each([
  ['a later', 0, 4],
  ['an earlier', 4, 0],
])('an order that moved to %s day is found there and not marked', async (_which, from, to) => {
  await withCopy(50, async ({ simulator, client, sweep }) => {
    const days = [
      ...Map.groupBy(simulator.shop.orders(), (order) => order.createdLocal.toPlainDate().toString()),
    ];
    const [moved, target] = [days[from]?.[1][0], days[to]?.[0] ?? ''];
    if (moved === undefined) throw new Error('the shop is too small');
    simulator.shop.moveOrder(moved.orderId, Temporal.PlainDateTime.from(`${target}T11:30`));
    const result = await sweep();
    expect(result).toMatchObject({ status: 'ok', orders_new: 0, orders_missing: 0 });
    expect(result.days_verified).toBe(result.days_due);
    expect(await held(client, moved.orderId)).toEqual({ missing_since: null, deleted_at: null, day: target });
    expect(await differences(client, simulator.shop)).toEqual([]);
  });
});

test('a shop that goes away while an order is looked for does not make it missing', async () => {
  await withCopy(30, async ({ simulator, client, sweep }) => {
    simulator.shop.setDialect({ unknownOrder: 'html' });
    simulator.shop.deleteOrder(idAt(simulator, 10));
    const through: Means['through'] = (api) => ({
      ...api,
      async listOrders(query, ...rest) {
        const { masterOid, email, phone, fio } = query;
        if (masterOid ?? email ?? phone ?? fio) throw new UnavailableError('the shop is away');
        return api.listOrders(query, ...rest);
      },
    });
    await sweep({ through }).catch(() => undefined);
    expect(await marks(client)).toEqual({ missing: 0, deleted: 0 });
    expect(await sweep()).toMatchObject({ status: 'ok', orders_missing: 1 });
  });
});

test('an order that moved says nothing against an answer that is given for others', async () => {
  await withCopy(50, async ({ simulator, client, sweep }) => {
    const { shop } = simulator;
    const day = Temporal.PlainDate.from('2026-03-08');
    const [moved, gone] = shop.orders().filter(({ createdLocal }) => createdLocal.toPlainDate().equals(day));
    if (moved === undefined || gone === undefined) throw new Error('the day is too small');
    shop.setDialect({ unknownOrder: 'html' });
    shop.moveOrder(moved.orderId, Temporal.PlainDateTime.from('2026-03-10T12:00'));
    shop.deleteOrder(gone.orderId);
    const result = await sweep({ request: { ...FORCED, from: day, to: day } });
    expect(result).toMatchObject({ status: 'ok', problems: [], orders_missing: 1 });
    expect(await held(client, gone.orderId)).toMatchObject({ missing_since: expect.any(String) });
    expect(await held(client, moved.orderId)).toMatchObject({ day: '2026-03-10', missing_since: null });
  });
});

test('a dozen orders that moved at once are all found', async () => {
  await withCopy(100, async ({ simulator, client, sweep }) => {
    const { shop } = simulator;
    const day = Temporal.PlainDate.from('2026-03-08');
    const moved = shop.orders().filter(({ createdLocal }) => createdLocal.toPlainDate().equals(day));
    expect(moved.length).toBeGreaterThanOrEqual(12);
    for (const { orderId } of moved.slice(0, 12))
      shop.moveOrder(orderId, Temporal.PlainDateTime.from('2026-03-10T12:00'));
    const result = await sweep({ request: { ...FORCED, from: day, to: day } });
    expect(result).toMatchObject({ status: 'ok', problems: [], orders_missing: 0 });
    expect(await differences(client, shop)).toEqual([]);
  });
});

test('an order that moved to a day outside the sweep is found by what is known of its buyer, even if it was missing', async () => {
  await using simulator = makeShopInProcess({ orders: 40, days: 5, seed: 8, now: PRESENT });
  const { shop } = simulator;
  const [registered] = shop.orders().filter((order) => order.buyerOid !== 6);
  const [byEmail, byPhone, byName] = shop.orders().filter((order) => order.buyerOid === 6);
  if (!registered || !byEmail || !byPhone || !byName) throw new Error('the shop has too few guests');
  shop.editOrder(byEmail.orderId, { email: 'guest@shop.example', phone: '' });
  shop.editOrder(byPhone.orderId, { email: '', phone: '+49 30 5550199' });
  shop.editOrder(byName.orderId, { email: '', phone: '', fio: 'Renate Guest' });
  await inWarehouse(async ({ client, db }) => {
    const clock = testClock(PRESENT);
    await sweepOnce(simulator, db, FORCED, {}, clock);
    for (const order of [registered, byEmail, byPhone, byName]) {
      const day = order.createdLocal.toPlainDate();
      const sweep = (through?: Means['through']) => {
        clock.pass({ minutes: 1 });
        return sweepOnce(simulator, db, { ...FORCED, from: day, to: day }, {}, { now: clock.now, through });
      };
      if (order === byEmail) {
        await sweep(hiding(new Set([order.orderId]), 'list and content'));
        expect(await held(client, order.orderId)).toMatchObject({ missing_since: expect.any(String) });
      }
      shop.moveOrder(order.orderId, Temporal.PlainDateTime.from('2026-03-09T12:00'));
      const result = await sweep();
      expect(result).toMatchObject({ status: 'ok', orders_missing: 0, days_verified: 1 });
      expect(await held(client, order.orderId)).toEqual({
        missing_since: null,
        deleted_at: null,
        day: '2026-03-09',
      });
    }
    expect(await differences(client, shop)).toEqual([]);
  });
});

test('an order that moved is found on a later page of its buyer', async () => {
  await using simulator = makeShopInProcess({ orders: 40, days: 5, seed: 8, now: PRESENT });
  const { shop } = simulator;
  const guests = shop
    .orders()
    .filter((order) => order.buyerOid === 6)
    .slice(-8);
  for (const { orderId } of guests) shop.editOrder(orderId, { email: 'guest@shop.example', phone: '' });
  const moved = guests[4];
  if (moved === undefined) throw new Error('the shop has too few guests');
  await inWarehouse(async ({ client, db }) => {
    const clock = testClock(PRESENT);
    const settings = { pageLimit: 2 };
    await sweepOnce(simulator, db, FORCED, settings, clock);
    const day = moved.createdLocal.toPlainDate();
    shop.moveOrder(moved.orderId, Temporal.PlainDateTime.from('2026-03-06T00:05'));
    clock.pass({ minutes: 1 });
    const result = await sweepOnce(simulator, db, { ...FORCED, from: day, to: day }, settings, clock);
    expect(result).toMatchObject({ status: 'ok', orders_missing: 0 });
    expect(await held(client, moved.orderId)).toMatchObject({ missing_since: null, day: '2026-03-06' });
  });
});

test('an order that moved to before the first day, and was deleted there, is removed', async () => {
  await withCopy(30, async ({ simulator, client, clock, sweep }) => {
    const [orderId, day] = [idAt(simulator, 15), simulator.shop.orders()[15]?.createdLocal.toPlainDate()];
    const [first] = simulator.shop.orders();
    if (day === undefined || first === undefined) throw new Error('the shop is too small');
    simulator.shop.moveOrder(orderId, first.createdLocal.subtract({ days: 3 }));
    // Only its old day is looked at: it is found by its buyer.
    await sweep({ request: { ...FORCED, from: day, to: day } });
    expect(await differences(client, simulator.shop)).toEqual([]);
    simulator.shop.deleteOrder(orderId);
    for (let round = 0; round < 2; round++) {
      clock.pass({ minutes: 6 });
      await sweep();
    }
    expect(await held(client, orderId)).toMatchObject({ deleted_at: expect.any(String) });
    expect(await differences(client, simulator.shop)).toEqual([]);
  });
});
