/** When a sweep decides anew which order fields `bi` shows. */
import { expect, test } from 'vitest';

import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { inWarehouse, sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';

const PRESENT = Temporal.Instant.from('2026-03-02T12:00:00Z');

test('fields are counted by a first sweep, and then where orders or the setting changed, once an hour', async () => {
  await using simulator = makeShopInProcess({ orders: 60, days: 5, now: PRESENT });
  await inWarehouse(async ({ client, db }) => {
    const clock = testClock(PRESENT);
    const sweep = (fieldsMinPeers = 5) =>
      sweepOnce(
        simulator,
        db,
        { kind: 'backfill', force: true },
        { fieldsMinPeers },
        {
          now: clock.now,
          through: withoutGroups,
        },
      );
    const minutesAgo = async () => {
      const { rows } = await client.query<{ at: Date }>(
        'SELECT fields_counted_at AS at FROM tested.shop_state',
      );
      return (clock.now().epochMilliseconds - (rows[0]?.at.getTime() ?? 0)) / 60_000;
    };
    const addOrder = () => simulator.shop.insertOrder({ status: 'A' });

    await sweep();
    expect(await minutesAgo()).toBe(0);
    const { rows } = await client.query('SELECT FROM bi.order_fields WHERE value IS NOT NULL');
    expect(rows.length).toBeGreaterThan(0);

    clock.pass({ minutes: 59 });
    addOrder();
    await sweep();
    expect(await minutesAgo()).toBe(59);

    clock.pass({ minutes: 1 });
    await sweep();
    expect(await minutesAgo()).toBe(60);

    clock.pass({ minutes: 1 });
    addOrder();
    await sweep();
    expect(await minutesAgo()).toBe(0);

    clock.pass({ minutes: 1 });
    await sweep(6);
    expect(await minutesAgo()).toBe(0);
  });
});
