import { expect, test } from 'vitest';

import { SHOP, withShop } from '../../support/shop.ts';

test('all orders are counted once a day, and again if the last count is dated in the future', () =>
  withShop(SHOP, async ({ client, clock, simulator, sweep }) => {
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
  }));

test('an order is counted by its open work, and a deleted one only as deleted', () =>
  withShop(SHOP, async ({ client, sweep }) => {
    await sweep({ kind: 'backfill' });
    const ids = (await client.query('SELECT order_id FROM tested.orders ORDER BY 1 LIMIT 6')).rows;
    const states = ['doubtful', 'doubtful', 'failed', 'doubtful', 'failed', 'ok'];
    for (const [index, { order_id: id }] of ids.entries()) {
      const isDeleted = index >= 3;
      await client.query(
        `UPDATE tested.orders SET lines_state = $2, missing_since = CASE WHEN $3 THEN now() END,
           deleted_at = CASE WHEN $3 THEN now() END WHERE order_id = $1`,
        [id, states[index], isDeleted],
      );
    }
    const { rows } = await client.query(
      'SELECT * FROM core.shop_summaries WHERE shop_id IN (SELECT shop_id FROM tested.orders)',
    );
    expect(rows[0]).toMatchObject({
      orders_missing: 0,
      orders_deleted: 3,
      orders_without_lines: 3,
      orders_with_doubtful_lines: 2,
    });
  }));
