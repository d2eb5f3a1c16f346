/** A first load begins with the latest days, and says how long the rest takes. */
import { afterEach, expect, test, vi } from 'vitest';

import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import type { Dialect } from '../../../../src/simulator/shop/dialect.ts';
import type { Progress } from '../../../../src/sync/run/context.ts';
import { IS_LONG } from '../../../support/long.ts';
import { openShop } from '../../../support/shop.ts';
import { type Means, withoutGroups } from '../../../support/sweep.ts';

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
  async (dialect) => {
    const { rows, simulator, sweep } = await openShop({ orders: ORDERS, days: 200, seed: 5, dialect });
    const stop = new AbortController();
    let contents = 0;
    simulator.requests.onRequest(({ route }) => {
      if (route === 'order' && ++contents > SHARE * ORDERS) stop.abort(new Error('stopped'));
    });
    const { signal } = stop;
    await expect(sweep({ kind: 'backfill' }, { pageLimit: 50 }, { signal })).rejects.toThrow('stopped');
    const [verified] = await rows(
      `SELECT count(*)::int AS days, max(day)::text AS newest, max(day) - min(day) + 1 AS span
       FROM tested.days WHERE verified_at IS NOT NULL`,
    );
    expect(verified).toMatchObject({ newest: '2026-03-10' });
    expect(verified.days).toBeGreaterThan(5);
    expect(verified.span).toBe(verified.days);
  },
);

afterEach(() => void vi.restoreAllMocks());

const march = (day: number) => Temporal.PlainDate.from({ year: 2026, month: 3, day });

test('without an estimate, remaining days take as long as those done, and in the end nothing is left', async () => {
  const ground = await openShop({ orders: 12, days: 3, seed: 5 });
  const sweep = (from: number, to: number, means: Means = {}) => {
    const request = { kind: 'backfill', from: march(from), to: march(to) } as const;
    return ground.sweep(request, {}, { through: (api) => api, ...means });
  };
  await sweep(9, 9);
  let aheadMs = 0;
  const monotonic = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + aheadMs);
  let read: (() => Progress) | undefined;
  const left: (number | undefined)[] = [];
  const through = (api: ShopApi): ShopApi => ({
    ...withoutGroups(api),
    async listOrders(query, ...given) {
      // The days are apart, so that one is done before the other is read.
      if (query.dateTo?.toPlainDate().equals(march(9)) === true && left.length === 0) {
        await vi.waitFor(() => expect(read?.().days_verified).toBe(1), 20_000);
        aheadMs += 30_000_000;
        left.push(read?.().seconds_left);
      }
      return api.listOrders(query, ...given);
    },
  });
  await sweep(8, 10, { through, watch: (given) => void (read = given) });
  expect(left).toHaveLength(1);
  expect(left[0]).toBeGreaterThanOrEqual(30_000);
  // The rest is what the first day took.
  expect(left[0]).toBeLessThan(30_060);
  expect(read?.().seconds_left).toBe(0);
});

test('the progress counts each listed order once, whether it is new or already stored', async () => {
  const { clock, sweep } = await openShop({ orders: 12, days: 3, seed: 5 });
  const load = async (force: boolean) => {
    let read: (() => Progress) | undefined;
    const request = { kind: 'backfill', force, onEstimate: () => undefined } as const;
    const watch = (given: () => Progress) => void (read = given);
    await sweep(request, {}, { watch });
    return read?.();
  };
  expect(await load(false)).toMatchObject({ orders_total: 12, orders_read: 12, orders_stored: 12 });
  clock.pass({ minutes: 1 });
  expect(await load(true)).toMatchObject({ orders_total: 12, orders_read: 12, orders_stored: 0 });
});
