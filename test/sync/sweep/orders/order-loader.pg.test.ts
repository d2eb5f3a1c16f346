import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { UnavailableError } from '../../../../src/model/errors.ts';
import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import { isBefore } from '../../../../src/model/window.ts';
import { makeShopInProcess } from '../../../support/in-process-shop.ts';
import { GUEST_OID } from '../../../../src/simulator/shop/sim-users.ts';
import { inOwnWarehouse, inWarehouse, sweepOnce, withoutGroups } from '../../../support/sweep.ts';
import { until, within } from '../../../support/until.ts';
import { differences } from '../../../support/truth.ts';
import { IS_LONG } from '../../../support/long.ts';

const PRESENT = Temporal.Instant.from('2026-03-10T20:00:00Z');
/** More in one window than may be asked for ahead, and far more than may wait to be written. */
const ORDERS = 1_400;
/** Of contents; many more are asked for by then than are written. */
const ENDS_AT = 400;

/** Batches of ten, one being written and one being fetched. */
const UNWRITTEN = 20;

test('a process that goes on where another was killed requests few contents more than it has written', async () => {
  await using simulator = makeShopInProcess({ orders: 150, days: 1, now: PRESENT, pageCap: 50 });
  const { requests, shop } = simulator;
  await inWarehouse(async ({ client, db }) => {
    const stop = new AbortController();
    const unlisten = requests.onRequest(({ route }) => {
      if (route === 'order' && requests.count('order') === 30) stop.abort(new Error('stopped'));
    });
    const means = { now: () => PRESENT, through: withoutGroups };
    const ended = sweepOnce(simulator, db, { kind: 'backfill' }, {}, { ...means, signal: stop.signal });
    await expect(ended).rejects.toThrow('stopped');
    unlisten();
    const { rows } = await client.query('SELECT count(*)::int AS stored FROM tested.orders');
    // More than are fetched ahead, less than a page.
    expect(rows[0].stored).toBeGreaterThan(UNWRITTEN);
    expect(rows[0].stored).toBeLessThan(45);
    const before = requests.count('order');
    await client.query('BEGIN; LOCK TABLE core.orders IN EXCLUSIVE MODE');
    const swept = sweepOnce(simulator, db, { kind: 'backfill' }, {}, means);
    await until('the first orders are being written', async () => {
      const { rows } = await client.query(
        "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'core.orders'::regclass",
      );
      return rows.length > 0;
    });
    // Whatever else is fetched without waiting for the database comes meanwhile.
    for (let seen = -1; seen !== requests.count('order'); await sleep(200)) seen = requests.count('order');
    const unwritten = requests.count('order') - before;
    await client.query('COMMIT');
    expect(await swept).toMatchObject({ status: 'ok' });
    expect(unwritten).toBe(UNWRITTEN);
    expect(await differences(client, shop)).toEqual([]);
  });
});

test('what a new shop served before its first list could be read to the end is kept, and not asked for again', async () => {
  await using simulator = makeShopInProcess({ orders: 60, days: 1, now: PRESENT, pageCap: 20 });
  const { shop } = simulator;
  await inWarehouse(async ({ client, db }) => {
    const served: string[] = [];
    const sweep = (through = withoutGroups) =>
      sweepOnce(simulator, db, { kind: 'backfill' }, {}, { now: () => PRESENT, through });
    const ended = sweep((api) => ({
      ...withoutGroups(api),
      async listOrders(query, ...others) {
        if (query.start === 0) return api.listOrders(query, ...others);
        await until('some contents have come', () => served.length >= 5);
        throw new UnavailableError('the shop is away');
      },
      async orderContent(orderId, signal) {
        const content = await api.orderContent(orderId, signal);
        served.push(orderId);
        return content;
      },
    }));
    await expect(ended).rejects.toThrow('the shop is away');
    const { rows } = await client.query<{ id: string }>('SELECT order_id::text AS id FROM tested.orders');
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(served.slice(0, 5)));
    const asked: string[] = [];
    const result = await sweep((api) => ({
      ...withoutGroups(api),
      orderContent(orderId, signal) {
        asked.push(orderId);
        return api.orderContent(orderId, signal);
      },
    }));
    expect(result).toMatchObject({ status: 'ok' });
    expect(asked).toHaveLength(60 - rows.length);
    expect(await differences(client, shop)).toEqual([]);
  });
});

test('an order that moves to earlier days while they are read is stored as it was listed last', async () => {
  await using simulator = makeShopInProcess({ orders: 60, days: 10, seed: 4, now: PRESENT });
  const { shop } = simulator;
  // Apart, so that each is read by itself.
  const days = ['2026-03-08', '2026-03-06', '2026-03-04'].map((day) => Temporal.PlainDate.from(day));
  const [moving = 0, ...others] = days.map(
    (day) => shop.insertOrder({ createdLocal: day.toPlainDateTime('10:00') }).orderId,
  );
  await inWarehouse(async ({ client, db }) => {
    const sweep = (through = withoutGroups) =>
      sweepOnce(simulator, db, { kind: 'backfill' }, {}, { now: () => PRESENT, through });
    await sweep();
    await client.query('UPDATE tested.days SET verified_at = NULL WHERE day = ANY ($1)', [days.map(String)]);
    for (const orderId of [moving, ...others]) shop.editOrder(orderId);
    // It moves when its content is asked for, which comes only when the list of its next day is being loaded.
    const isAsked = days.map(() => Promise.withResolvers<void>());
    const isListed = others.map(() => Promise.withResolvers<void>());
    let [moves, asked] = [0, 0];
    const result = await sweep((api) => ({
      ...withoutGroups(api),
      async listOrders(query, signal) {
        const next = days[moves + 1];
        if (next && query.dateTo && isBefore(query.dateTo, next.add({ days: 2 }).toPlainDateTime())) {
          await isAsked[moves++]?.promise;
          shop.moveOrder(moving, next.toPlainDateTime('12:00'));
        }
        return api.listOrders(query, signal);
      },
      async orderContent(orderId, signal) {
        if (orderId === String(moving)) {
          isAsked[asked]?.resolve();
          await isListed[asked++]?.promise;
        }
        const content = await api.orderContent(orderId, signal);
        isListed[others.indexOf(Number(orderId))]?.resolve();
        return content;
      },
    }));
    // The days that it left are read again.
    expect(result).toMatchObject({ status: 'partial' });
    expect(asked).toBe(days.length);
    expect(await differences(client, shop)).toEqual([]);
    expect(await sweep()).toMatchObject({ status: 'ok' });
  });
});

test('a new shop is listed to its oldest order, though the first of more than a thousand were fetched ahead', async () => {
  await using simulator = makeShopInProcess({ orders: 1_500, days: 60, now: PRESENT, pageCap: 120 });
  const oldest = String(simulator.shop.orders()[0]?.orderId);
  await inWarehouse(async ({ db }) => {
    const stop = new AbortController();
    const through = (api: ShopApi): ShopApi => ({
      ...withoutGroups(api),
      async listOrders(...asked) {
        const page = await api.listOrders(...asked);
        // To load them all would take longer, and show no more.
        if (page.rows.some(({ orderId }) => orderId === oldest)) stop.abort(new Error('all are listed'));
        return page;
      },
    });
    const means = { now: () => PRESENT, signal: stop.signal, through };
    const swept = sweepOnce(simulator, db, { kind: 'backfill' }, {}, means);
    await expect(within('the oldest order is listed', swept)).rejects.toThrow('all are listed');
  });
});

const ENDS = ['the database is gone', 'the process is told to stop'] as const;

test.each(IS_LONG ? ENDS : [])(
  'if %s in the middle of a large window, the sweep ends, and the next one continues',
  async (what) => {
    await using simulator = makeShopInProcess({ orders: 0, days: 30, now: PRESENT });
    const noon = Temporal.PlainDateTime.from('2026-03-01T12:00');
    for (let index = 0; index < ORDERS; index += 1) {
      simulator.shop.insertOrder({ buyerOid: GUEST_OID, createdLocal: noon.add({ seconds: index * 20 }) });
    }
    await inOwnWarehouse(async ({ client, db }) => {
      const stop = new AbortController();
      const unlisten = simulator.requests.onRequest(async ({ route }) => {
        if (route !== 'order' || simulator.requests.count('order') !== ENDS_AT) return;
        if (what === 'the process is told to stop') stop.abort(new Error('stopped'));
        else await client.query('ALTER TABLE core.orders RENAME TO orders_gone');
      });
      const sweep = (signal?: AbortSignal) =>
        sweepOnce(
          simulator,
          db,
          { kind: 'backfill' },
          {},
          { now: () => PRESENT, signal, through: withoutGroups },
        );
      await expect(sweep(stop.signal)).rejects.toThrow(/^stopped$|query/);
      unlisten();
      if (what === 'the database is gone')
        await client.query('ALTER TABLE core.orders_gone RENAME TO orders');
      expect(await sweep()).toMatchObject({ status: 'ok' });
      expect(await differences(client, simulator.shop)).toEqual([]);
    });
  },
);
