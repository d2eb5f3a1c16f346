import { afterEach, expect, test, vi } from 'vitest';

import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import type { Progress } from '../../../src/sync/run/context.ts';
import { type Means, sweepOnce, withoutGroups } from '../../support/sweep.ts';
import { PRESENT, withShop } from '../../support/shop.ts';

afterEach(() => void vi.restoreAllMocks());

const march = (day: number) => Temporal.PlainDate.from({ year: 2026, month: 3, day });

test('without an estimate, remaining days take as long as those done, and in the end nothing is left', () =>
  withShop({ orders: 12, days: 3, seed: 5 }, async ({ db, simulator }) => {
    const sweep = (from: number, to: number, means: Means = {}) => {
      const request = { kind: 'backfill', from: march(from), to: march(to) } as const;
      return sweepOnce(simulator, db, request, {}, { now: () => PRESENT, ...means });
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
  }));

test('the progress counts each listed order once, whether it is new or already stored', () =>
  withShop({ orders: 12, days: 3, seed: 5 }, async ({ clock, db, simulator }) => {
    const load = async (force: boolean) => {
      let read: (() => Progress) | undefined;
      const request = { kind: 'backfill', force, onEstimate: () => undefined } as const;
      const watch = (given: () => Progress) => void (read = given);
      await sweepOnce(simulator, db, request, {}, { now: clock.now, through: withoutGroups, watch });
      return read?.();
    };
    expect(await load(false)).toMatchObject({ orders_total: 12, orders_read: 12, orders_stored: 12 });
    clock.pass({ minutes: 1 });
    expect(await load(true)).toMatchObject({ orders_total: 12, orders_read: 12, orders_stored: 0 });
  }));
