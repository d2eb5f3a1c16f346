import { expect, test } from 'vitest';

import { SHOP, withShop } from '../sweep/audited-shop.ts';

test('all orders are read through once a day, and anew where that was done in the future', async () => {
  await withShop(SHOP, async ({ client, clock, simulator, sweep }) => {
    const syncAt = async (later: Temporal.DurationLike) => {
      clock.pass(later);
      simulator.shop.insertOrder();
      expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok' });
      const { rows } = await client.query<{ at: Date }>('SELECT surveyed_at AS at FROM tested.shop_figures');
      return rows[0]?.at.toISOString();
    };
    await sweep({ kind: 'backfill' });
    const first = await syncAt({ minutes: 6 });
    expect(await syncAt({ hours: 23 })).toBe(first);
    const second = await syncAt({ hours: 1 });
    expect(second).not.toBe(first);
    await client.query(`UPDATE tested.shop_figures SET surveyed_at = surveyed_at + interval '30 days'`);
    const third = await syncAt({ minutes: 6 });
    expect(third?.slice(0, 10)).toBe(second?.slice(0, 10));
  });
});
