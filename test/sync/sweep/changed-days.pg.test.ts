import { expect, test } from 'vitest';

import { withCopy } from '../support/copy.ts';

test('the ledger says when orders last came to a day, changed on it or left it', () =>
  withCopy(60, async ({ simulator, client, clock, sweep }) => {
    const { shop } = simulator;
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
  }));
