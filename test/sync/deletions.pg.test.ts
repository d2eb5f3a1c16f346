import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { inWarehouse, type Means, sweepOnce, testClock } from '../support/sweep.ts';
import { coreVersions, differences } from '../support/truth.ts';
import { hiding } from './hiding.ts';

const PRESENT = Temporal.Instant.from('2026-03-10T18:00:00Z');
const FORCED = { kind: 'backfill', force: true } as const;

type Held = {
  readonly missing_since: string | null;
  readonly deleted_at: string | null;
  readonly day: string;
};

async function held(client: Client, orderId: number): Promise<Held | undefined> {
  const { rows } = await client.query<Held>(
    `SELECT to_char(missing_since, 'DD HH24:MI') AS missing_since, to_char(deleted_at, 'DD HH24:MI') AS deleted_at,
       created_on::text AS day
     FROM core.orders WHERE order_id = $1`,
    [orderId],
  );
  return rows[0];
}

async function marks(client: Client): Promise<{ readonly missing: number; readonly deleted: number }> {
  const { rows } = await client.query<{ missing: number; deleted: number }>(
    'SELECT count(missing_since)::int AS missing, count(deleted_at)::int AS deleted FROM core.orders',
  );
  return rows[0] ?? { missing: -1, deleted: -1 };
}

/** Every row version of the tables that a deletion must leave alone. */
async function untouched(client: Client): Promise<readonly string[]> {
  const versions = (await coreVersions(client)).split('\n');
  return versions.filter((line) => /^core\.order_(lines|history) [1-9]/.test(line));
}

async function dayErrors(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ last_error: string }>(
    'SELECT last_error FROM ops.days WHERE last_error IS NOT NULL ORDER BY day',
  );
  return rows.map((row) => row.last_error);
}

/** A shop of so many orders, and a warehouse that holds them all. */
async function withCopy(
  orders: number,
  work: (copy: {
    readonly simulator: Simulator;
    readonly client: Client;
    readonly clock: ReturnType<typeof testClock>;
    readonly sweep: (through?: Means['through']) => ReturnType<typeof sweepOnce>;
  }) => Promise<void>,
): Promise<void> {
  await using simulator = await startSimulator({ orders, days: 5, seed: orders, now: PRESENT });
  await inWarehouse(async ({ client, db }) => {
    const clock = testClock(PRESENT);
    const sweep = (through?: Means['through']) =>
      sweepOnce(simulator, db, FORCED, {}, { now: clock.now, through });
    expect(await sweep()).toMatchObject({ status: 'ok', counts: { orders_new: orders } });
    clock.pass({ minutes: 1 });
    await work({ simulator, client, clock, sweep });
  });
}

const idAt = (simulator: Simulator, index: number) => simulator.shop.orders()[index]?.orderId ?? 0;

test('an order that is gone is missing after one walk and deleted after the next; nothing else of it goes', async () => {
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

    expect(await sweep()).toMatchObject({ status: 'ok', counts: { orders_missing: 1, orders_changed: 0 } });
    expect(await held(client, gone)).toEqual({ missing_since: '10 18:01', deleted_at: null, day });
    const { rows: changed } = await client.query(
      'SELECT day::text, orders_seen FROM ops.days WHERE changed_at > $1',
      [PRESENT.toString()],
    );
    expect(changed).toContainEqual({ day, orders_seen: ofDay.length });

    clock.pass({ minutes: 1 });
    expect(await sweep()).toMatchObject({ status: 'ok', counts: { orders_missing: 0 } });
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

test('a missing order whose content cannot be asked for is deleted by a second walk five minutes later', async () => {
  await withCopy(30, async ({ simulator, client, clock, sweep }) => {
    const gone = idAt(simulator, 10);
    simulator.shop.deleteOrder(gone);
    await sweep();
    clock.pass({ minutes: 4 });
    simulator.faults.failNext(5, 'http-500', { route: 'order' });
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
])('a %s order that is listed again is live, as it is now', async (_state, walks) => {
  await withCopy(30, async ({ simulator, client, clock, sweep }) => {
    const [same, other] = [idAt(simulator, 5), idAt(simulator, 6)];
    const gone = hiding(new Set([same, other]), 'list and content');
    for (let walk = 1; walk <= walks; walk++) {
      expect(await sweep(gone)).toMatchObject({ status: 'ok' });
      clock.pass({ minutes: 1 });
    }
    expect(await marks(client)).toEqual({ missing: 2, deleted: walks === 2 ? 2 : 0 });
    simulator.shop.editOrder(other, { status: 'C' });

    expect(await sweep()).toMatchObject({ status: 'ok', counts: { orders_new: 0, orders_changed: 1 } });
    expect(await marks(client)).toEqual({ missing: 0, deleted: 0 });
    expect(await differences(client, simulator.shop)).toEqual([]);
  });
});

test.each([
  ['a later', 0, 4],
  ['an earlier', 4, 0],
])('an order that was moved to %s day is found there and not marked', async (_which, from, to) => {
  await withCopy(50, async ({ simulator, client, sweep }) => {
    const days = [
      ...Map.groupBy(simulator.shop.orders(), (order) => order.createdLocal.toPlainDate().toString()),
    ];
    const [moved, target] = [days[from]?.[1][0], days[to]?.[0] ?? ''];
    if (moved === undefined) throw new Error('the shop is too small');
    simulator.shop.moveOrder(moved.orderId, Temporal.PlainDateTime.from(`${target}T11:30`));
    const result = await sweep();
    expect(result).toMatchObject({ status: 'ok', counts: { orders_new: 0, orders_missing: 0 } });
    expect(result.counts.days_verified).toBe(result.daysDue);
    expect(await held(client, moved.orderId)).toEqual({ missing_since: null, deleted_at: null, day: target });
    expect(await differences(client, simulator.shop)).toEqual([]);
  });
});

test('an order that was moved to a day which is not swept is looked for by its buyer, and found', async () => {
  await using simulator = await startSimulator({ orders: 40, days: 5, seed: 8, now: PRESENT });
  await inWarehouse(async ({ client, db }) => {
    const clock = testClock(PRESENT);
    await sweepOnce(simulator, db, FORCED, {}, clock);
    const orders = simulator.shop.orders();
    const registered = orders.find((order) => order.buyerOid !== 6);
    const guest = orders.find((order) => order.buyerOid === 6 && order.email !== '');
    for (const order of [registered, guest]) {
      if (order === undefined) throw new Error('the shop has not both kinds of buyers');
      clock.pass({ minutes: 1 });
      const day = order.createdLocal.toPlainDate();
      simulator.shop.moveOrder(order.orderId, Temporal.PlainDateTime.from('2026-03-09T12:00'));
      const result = await sweepOnce(simulator, db, { ...FORCED, from: day, to: day }, {}, clock);
      expect(result).toMatchObject({ status: 'ok', counts: { orders_missing: 0, days_verified: 1 } });
      expect(await held(client, order.orderId)).toEqual({
        missing_since: null,
        deleted_at: null,
        day: '2026-03-09',
      });
    }
    expect(await differences(client, simulator.shop)).toEqual([]);
  });
});

test('an order that the list omits while its content is served is doubted for a day, whenever its day was last verified', async () => {
  await withCopy(40, async ({ simulator, client, clock, sweep }) => {
    // The day was last verified long ago when the order is first left out.
    clock.pass({ hours: 200 });
    const omitted = idAt(simulator, 12);
    const day = simulator.shop.orders()[12]?.createdLocal.toPlainDate().toString();
    const omitting = hiding(new Set([omitted]), 'list');
    const verdict = async () => {
      const { rows } = await client.query<{ verified: string; attempts: number; last_error: string | null }>(
        `SELECT to_char(verified_at, 'DD HH24:MI') AS verified, attempts, last_error FROM ops.days WHERE day = $1`,
        [day],
      );
      return rows[0];
    };
    for (const attempts of [1, 2]) {
      const result = await sweep(omitting);
      expect(result).toMatchObject({ status: 'partial', counts: { orders_missing: 0 } });
      expect(result.shortfalls.join()).toContain('1 orders were left out of the list');
      expect(await held(client, omitted)).toMatchObject({ missing_since: null });
      expect(await verdict()).toMatchObject({ verified: null, attempts });
      expect((await verdict())?.last_error).toContain('left out of the list');
      clock.pass({ hours: 12 });
    }
    expect(await sweep(omitting)).toMatchObject({ status: 'ok', counts: { orders_missing: 1 } });
    expect(await held(client, omitted)).toMatchObject({ missing_since: '20 02:01' });
    expect(await verdict()).toEqual({ verified: '20 02:01', attempts: 0, last_error: null });
  });
});

test('a day of doubt begins anew when the order was listed in between', async () => {
  await withCopy(40, async ({ simulator, client, clock, sweep }) => {
    const omitting = hiding(new Set([idAt(simulator, 12)]), 'list');
    expect(await sweep(omitting)).toMatchObject({ status: 'partial' });
    clock.pass({ hours: 12 });
    expect(await sweep()).toMatchObject({ status: 'ok' });
    clock.pass({ hours: 13 });
    expect(await sweep(omitting)).toMatchObject({ status: 'partial' });
    expect(await marks(client)).toEqual({ missing: 0, deleted: 0 });
  });
});

test('30 of 100 orders gone at once look like a fault: none is marked, the days stay due and say why', async () => {
  await withCopy(100, async ({ simulator, client, clock, sweep }) => {
    const before = await coreVersions(client);
    const counted = async () =>
      (await client.query('SELECT day, orders_seen FROM ops.days ORDER BY day')).rows;
    const ledger = await counted();
    const deleted = simulator.shop.orders().filter((_order, index) => index % 3 === 0 && index < 90);
    for (const { orderId } of deleted) simulator.shop.deleteOrder(orderId);
    expect(deleted).toHaveLength(30);
    for (let walk = 1; walk <= 2; walk++) {
      const result = await sweep();
      expect(result).toMatchObject({ status: 'partial', counts: { orders_missing: 0, days_verified: 0 } });
      expect(await coreVersions(client)).toBe(before);
      expect(await counted()).toEqual(ledger);
      const { rows: verified } = await client.query('SELECT 1 FROM ops.days WHERE verified_at IS NOT NULL');
      expect(verified).toEqual([]);
      const errors = await dayErrors(client);
      expect(errors).toHaveLength(ledger.length);
      expect(errors[0]).toContain('30 of 100 orders vanished');
      clock.pass({ hours: 1 });
    }
  });
});

test.each([
  ['20 of 40: few enough, whatever their share', 40, 20, true],
  ['21 of 40', 40, 21, false],
  ['30 of 150: just a fifth', 150, 30, true],
  ['31 of 150', 150, 31, false],
])('the guard: %s', async (_claim, orders, gone, areMarked) => {
  await withCopy(orders, async ({ simulator, client, sweep }) => {
    for (const { orderId } of simulator.shop.orders().slice(3, 3 + gone)) simulator.shop.deleteOrder(orderId);
    const missing = areMarked ? gone : 0;
    expect(await sweep()).toMatchObject({
      status: areMarked ? 'ok' : 'partial',
      counts: { orders_missing: missing },
    });
    expect(await marks(client)).toEqual({ missing, deleted: 0 });
  });
});
