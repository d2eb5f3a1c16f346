/** A first load begins with the latest days, whatever the list begins with. */
import { expect, test } from 'vitest';

import type { Dialect } from '../../../src/simulator/shop/dialect.ts';
import { IS_LONG } from '../../support/long.ts';
import { sweepOnce, withoutGroups } from '../../support/sweep.ts';
import { PRESENT, withShop } from '../../support/shop.ts';

const ORDERS = 2_000;
/** A first load that ends here has verified days. */
const SHARE = 0.35;

const SHOPS: readonly Partial<Dialect>[] = [
  { listOrder: 'asc', total: 'absent' },
  { listOrder: 'asc', total: 'matches' },
  { listOrder: 'asc', total: 'all' },
  { listOrder: 'desc', total: 'matches' },
  { listOrder: 'shuffled', total: 'absent' },
];

test.each(IS_LONG ? SHOPS : SHOPS.slice(0, 1))(
  'of a shop that lists %j, the latest days are verified before a third is loaded',
  (dialect) =>
    withShop({ orders: ORDERS, days: 200, seed: 5, dialect }, async ({ client, db, simulator }) => {
      const stop = new AbortController();
      let contents = 0;
      simulator.requests.onRequest(({ route }) => {
        if (route === 'order' && ++contents > SHARE * ORDERS) stop.abort(new Error('stopped'));
      });
      const means = { now: () => PRESENT, through: withoutGroups, signal: stop.signal };
      await expect(sweepOnce(simulator, db, { kind: 'backfill' }, { pageLimit: 50 }, means)).rejects.toThrow(
        'stopped',
      );
      const { rows } = await client.query(
        `SELECT count(*)::int AS days, max(day)::text AS newest, max(day) - min(day) + 1 AS span
       FROM tested.days WHERE verified_at IS NOT NULL`,
      );
      expect(rows[0]).toMatchObject({ newest: '2026-03-10' });
      expect(rows[0].days).toBeGreaterThan(5);
      expect(rows[0].span).toBe(rows[0].days);
    }),
);
