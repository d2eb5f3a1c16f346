/** A shop that was registered with the wrong zone is made right by an explicit word, and by nothing else. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import type { Simulator } from '../../../src/simulator/server.ts';
import { replayShop } from '../../../src/sync/replay/replay-shop.ts';
import { changeZone } from '../../../src/sync/shops/change-zone.ts';
import type { Db } from '../../../src/warehouse/db/database.ts';
import { moveToZone } from '../../../src/warehouse/directory/shop-life.ts';
import { readShopState } from '../../../src/warehouse/ops/stored-shop-state.ts';
import { openOwnShop, untilTestEnds } from '../../support/shop.ts';
import { storedRun, storedShop } from '../../support/stored-run.ts';
import { openWarehouse, sweepOnce, withoutGroups } from '../../support/sweep.ts';
import { untilLocked, WAITING_FOR_LOCK } from '../../support/until.ts';

// A few days after the clocks went back in Berlin, and not in Moscow.
const now = Temporal.Instant.from('2025-10-29T12:00:00Z');
const WRONG = 'Europe/Moscow';
const RIGHT = 'Europe/Berlin';

/** @param minutes after the first one */
const sweep = (simulator: Simulator, db: Db, timezone: string, minutes = 0) =>
  sweepOnce(
    simulator,
    db,
    { kind: 'backfill', force: true },
    { timezone },
    { now: () => now.add({ minutes }), through: withoutGroups },
  );

/** All that depends on the zone. */
async function instants(client: Client) {
  const query = async (text: string) => (await client.query(text)).rows;
  return {
    orders: await query(
      'SELECT order_id, created_on, created_local, created_at, updated_local, updated_at FROM tested.orders ORDER BY 1',
    ),
    history: await query('SELECT order_id, seq, source_updated_at FROM tested.order_history ORDER BY 1, 2'),
    users: await query('SELECT user_oid, created_local, created_at FROM tested.users ORDER BY 1'),
    days: await query(`SELECT day, orders_seen, verified_at IS NOT NULL FROM tested.days ORDER BY 1`),
    sales: await query('SELECT * FROM tested.bi_daily_sales ORDER BY order_date, currency'),
    customers: await query('SELECT * FROM tested.bi_customers ORDER BY customer_key, currency'),
  };
}

test('after a change of the zone every instant is as if the zone had been right, and no day has moved', async () => {
  const options = { orders: 40, days: 8, seed: 9, now } as const;
  const { simulator, ...wrong } = await openOwnShop(options);
  const right = untilTestEnds(await openWarehouse());
  for (const minutes of [0, 1]) {
    await sweep(simulator, wrong.db, WRONG, minutes);
    await sweep(simulator, right.db, RIGHT, minutes);
    for (const { orderId } of simulator.shop.orders().slice(0, 20)) simulator.shop.editOrder(orderId);
  }
  await sweep(simulator, wrong.db, WRONG, 2);
  await sweep(simulator, right.db, RIGHT, 2);
  const [before, expected] = [await instants(wrong.client), await instants(right.client)];
  expect(before.orders).not.toEqual(expected.orders);
  expect(before.history.length).toBeGreaterThan(40);
  expect(before.days.map(({ day }) => day)).toEqual(expected.days.map(({ day }) => day));

  await expect(sweep(simulator, wrong.db, RIGHT, 4)).rejects.toThrow(
    /registered with time zone Europe\/Moscow.*run order-sync shops set-timezone test Europe\/Berlin/,
  );
  expect(await instants(wrong.client)).toEqual(before);

  simulator.requests.reset();
  const { context } = await inRightZone(wrong.db);
  await changeZone(context, await storedShop(wrong.db), () => undefined);
  expect(await instants(wrong.client)).toEqual(expected);
  expect(simulator.requests.count('orders')).toBe(0);
  expect(await sweep(simulator, wrong.db, RIGHT, 5)).toMatchObject({
    status: 'ok',
    orders_new: 0,
    orders_changed: 0,
  });
  await expect(sweep(simulator, wrong.db, WRONG)).rejects.toThrow('registered with time zone Europe/Berlin');
});

const inRightZone = async (db: Db, signal = new AbortController().signal) =>
  storedRun(db, { timezone: RIGHT, now: () => now, signal });

test('an interrupted change leaves a replay due, which completes it', async () => {
  const { db, rows, simulator } = await openOwnShop({ orders: 30, days: 3, seed: 9, now });
  await sweep(simulator, db, WRONG);
  const stop = new AbortController();
  const { context, shopId } = await inRightZone(db, stop.signal);
  const interrupted = changeZone(context, await storedShop(db), () => stop.abort(new Error('stop')));
  await expect(interrupted).rejects.toThrow('stop');
  expect(await readShopState(db, shopId)).toMatchObject({ normalizer_version: 0 });
  await replayShop((await inRightZone(db)).context, shopId);
  const right = `SELECT FROM tested.orders WHERE created_at = created_local AT TIME ZONE 'Europe/Berlin'`;
  expect(await rows(right)).toHaveLength(30);
  expect((await readShopState(db, shopId))?.normalizer_version).toBeGreaterThan(0);
});

/** Local times around a change of the clocks, and what they are. */
const AROUND = [
  // Comes twice: its first occurrence.
  ['2025-10-26T02:30:00', '2025-10-26T00:30:00Z'],
  ['2025-10-26T01:30:00', '2025-10-25T23:30:00Z'],
  ['2025-10-26T03:30:00', '2025-10-26T02:30:00Z'],
  // Left out: an hour later.
  ['2025-03-30T02:30:00', '2025-03-30T01:30:00Z'],
] as const;

test('the history reads times around a change of the clocks as the normalizers do', async () => {
  const made = { orders: AROUND.length, days: 3, seed: 9, now };
  const { db, rows, simulator } = await openOwnShop(made);
  await sweep(simulator, db, 'UTC');
  const ids = simulator.shop.orders().map(({ orderId }) => orderId);
  for (const [index, [local, instant]] of AROUND.entries()) {
    const read = Temporal.PlainDateTime.from(local).toZonedDateTime(RIGHT, {
      disambiguation: 'compatible',
    });
    expect(read.toInstant().toString()).toBe(instant);
    await rows(
      'UPDATE tested.order_history SET source_updated_at = $1 WHERE order_id = $2',
      `${local}Z`,
      ids[index],
    );
  }
  const { shopId } = await storedShop(db);
  await db.transaction((tx) => moveToZone(tx, shopId, 'UTC', RIGHT));
  const times = await rows(
    'SELECT source_updated_at AS at FROM tested.order_history ORDER BY array_position($1::bigint[], order_id)',
    ids,
  );
  expect(times.map(({ at }) => at)).toEqual(AROUND.map(([, instant]) => new Date(instant)));
});

test('a sweep that waited for the shop while its zone was changed writes nothing in the old one', async () => {
  const { client, db, simulator } = await openOwnShop({ orders: 20, days: 4, seed: 9, now });
  await sweep(simulator, db, WRONG, 0);
  simulator.shop.editOrder(simulator.shop.orders()[0]?.orderId ?? 0);
  const before = await instants(client);
  await client.query('BEGIN');
  await client.query('SELECT FROM ops.leases FOR UPDATE');
  const waiting = sweep(simulator, db, WRONG, 1).catch((error: unknown) => error);
  await untilLocked(1, () => client.query(WAITING_FOR_LOCK));
  await client.query('UPDATE tested.shops SET timezone = $1', [RIGHT]);
  await client.query('COMMIT');
  expect(await waiting).toMatchObject({ message: expect.stringContaining(`time zone ${RIGHT}`) });
  expect(await instants(client)).toEqual(before);
});
