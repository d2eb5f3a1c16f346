import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { coreVersions, differences } from '../../support/truth.ts';
import { FORCED, held, idAt, marks, withCopy } from '../support/copy.ts';
import { hiding } from '../support/hiding.ts';

/** Every row version of the tables that a deletion must leave alone. */
async function untouched(client: Client): Promise<readonly string[]> {
  const versions = (await coreVersions(client)).split('\n');
  return versions.filter((line) => /^core\.order_(lines|history) [1-9]/.test(line));
}

test('a deleted order is missing after one walk and deleted after the next; its data stays', () =>
  withCopy(60, async ({ simulator, client, clock, sweep }) => {
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

    clock.pass({ minutes: 5 });
    expect(await sweep()).toMatchObject({ status: 'ok', orders_missing: 0 });
    expect(await held(client, gone)).toEqual({ missing_since: '10 18:01', deleted_at: '10 18:06', day });
    expect(await marks(client)).toEqual({ missing: 1, deleted: 1 });
    expect(await untouched(client)).toEqual(before);
    expect(await differences(client, simulator.shop)).toEqual([]);

    simulator.requests.reset();
    clock.pass({ minutes: 1 });
    expect(await sweep()).toMatchObject({ status: 'ok' });
    expect(simulator.requests.count('order'), 'a deleted order is not asked for again').toBe(0);
  }));

test.each([
  ['missing', 1],
  ['deleted', 2],
])('a %s order that is listed again is live, with its new content', (_state, walks) =>
  withCopy(30, async ({ simulator, client, clock, sweep }) => {
    const [same, other] = [idAt(simulator, 5), idAt(simulator, 6)];
    const gone = hiding(new Set([same, other]), 'list and content');
    for (let walk = 1; walk <= walks; walk++) {
      expect(await sweep({ through: gone })).toMatchObject({ status: 'ok' });
      clock.pass({ minutes: 5 });
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
  }),
);

test('a sync that only finds a missing order again is recorded as a run', () =>
  withCopy(30, async ({ simulator, client, clock, sweep }) => {
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
  }));

test.each([
  ['a later', 0, 4],
  ['an earlier', 4, 0],
])('an order that moved to %s day is found there and not marked', (_which, from, to) =>
  withCopy(50, async ({ simulator, client, sweep }) => {
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
  }),
);

test('an order that moved to a day outside the sweep holds up its old day until its new one is read', () =>
  withCopy(40, async ({ simulator, client, clock, sweep }) => {
    const { shop } = simulator;
    const [order] = shop.orders();
    const day = order?.createdLocal.toPlainDate();
    shop.moveOrder(order?.orderId ?? 0, Temporal.PlainDateTime.from('2026-03-09T12:00'));
    const only = { ...FORCED, from: day, to: day };
    expect(await sweep({ request: only })).toMatchObject({ status: 'partial', orders_missing: 0 });
    expect(await held(client, order?.orderId ?? 0)).toMatchObject({
      missing_since: null,
      day: day?.toString(),
    });
    clock.pass({ minutes: 1 });
    expect(await sweep()).toMatchObject({ status: 'ok' });
    expect(await held(client, order?.orderId ?? 0)).toMatchObject({ missing_since: null, day: '2026-03-09' });
    expect(await differences(client, shop)).toEqual([]);
  }));
