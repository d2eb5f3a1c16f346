import { expect, test } from 'vitest';

import { parseFreshness } from '../../../src/plan/days/freshness.ts';
import { LeaseLostError, TerminalError } from '../../../src/model/errors.ts';
import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import type { SimulatedShop } from '../../../src/simulator/shop/simulated-shop.ts';
import { IS_LONG } from '../../support/long.ts';
import { OF_TEST_SHOP, sweepOnce, withoutGroups } from '../../support/sweep.ts';
import { isBefore } from '../../../src/model/window.ts';
import { differences } from '../../support/truth.ts';
import { until } from '../../support/until.ts';
import { withShop } from '../../support/shop.ts';

const TODAY = Temporal.PlainDateTime.from('2026-03-10T00:00');
const PRESENT = Temporal.Instant.from('2026-03-10T12:00:00Z');
/** No day is due again. */
const freshness = parseFreshness('*:99999d');

/** The newest order but one that the dates of a list reach: it lies above the window that the list is asked for. */
function reached(shop: SimulatedShop, dateTo: Temporal.PlainDateTime) {
  return shop
    .orders()
    .map(({ createdLocal }) => createdLocal)
    .filter((created) => Temporal.PlainDateTime.compare(created, dateTo) <= 0)
    .toSorted((one, other) => Temporal.PlainDateTime.compare(one, other))
    .at(-1);
}

test('an order that arrives on a day that this sweep has read is stored even if the sweep is killed', () =>
  withShop({ orders: 400, days: 40, seed: 5, now: PRESENT }, async ({ client, clock, db, simulator }) => {
    const { shop } = simulator;
    const settings = { freshness, pageLimit: 20 };
    const verifiedDays = async () => {
      const { rows } = await client.query(
        `SELECT day FROM ops.days WHERE ${OF_TEST_SHOP} AND verified_at IS NOT NULL`,
      );
      return rows.length;
    };
    const more = (days: number) => until('more days are verified', async () => (await verifiedDays()) > days);
    let [late, before]: [Temporal.PlainDateTime | undefined, number] = [undefined, 0];
    const dying = (api: ShopApi): ShopApi => ({
      ...withoutGroups(api),
      async listOrders(query, signal) {
        // The check of the filter is about a few minutes, and no window.
        const isWindow =
          query.dateFrom && query.dateTo && isBefore(query.dateFrom.add({ hours: 1 }), query.dateTo);
        const dateTo = isWindow === true ? query.dateTo : undefined;
        // The second window, and then the third.
        if (late === undefined && dateTo !== undefined && isBefore(dateTo, TODAY)) {
          await more(0);
          late = reached(shop, dateTo)?.subtract({ minutes: 1 });
          if (late !== undefined) shop.insertOrder({ createdLocal: late });
          before = await verifiedDays();
        } else if (
          late !== undefined &&
          dateTo !== undefined &&
          isBefore(dateTo, late.subtract({ days: 1 }))
        ) {
          await more(before);
          // As if it was killed.
          throw new TerminalError('killed');
        }
        return api.listOrders(query, signal);
      },
    });
    const means = { now: clock.now };
    await expect(
      sweepOnce(simulator, db, { kind: 'backfill' }, settings, { ...means, through: dying }),
    ).rejects.toThrow('killed');
    expect(late).toBeDefined();
    await sweepOnce(simulator, db, { kind: 'backfill' }, settings, { ...means, through: withoutGroups });
    expect(await differences(client, shop)).toEqual([]);
  }));

/** Requests for lists at which the first sweep stops until the other has taken over. */
const STOPS = IS_LONG ? [2, 4, 6, 8, 10, 12, 14, 16, 20] : [3, 7, 12];

test.each(STOPS)(
  'while one sweep takes over from another, stopped at list %i, no day is verified without an order that was there by then',
  (stop) =>
    withShop({ orders: 200, days: 20, seed: 5, now: PRESENT }, async ({ client, clock, db, simulator }) => {
      const { shop } = simulator;
      const settings = { freshness, pageLimit: 10 };
      const placed = new Map<string, Temporal.Instant>();
      /** Late orders all over the history, at whatever is read of it by now. */
      const placeSome = () => {
        for (const days of [1, 4, 8, 12, 16]) {
          const createdLocal = TODAY.subtract({ days }).add({ hours: 9, minutes: placed.size });
          placed.set(String(shop.insertOrder({ createdLocal }).orderId), clock.now());
        }
      };
      const asking = (onList: (lists: number) => Promise<void> | void) => (api: ShopApi) => {
        let lists = 0;
        return {
          ...withoutGroups(api),
          async listOrders(...asked: Parameters<ShopApi['listOrders']>) {
            clock.pass({ seconds: 1 });
            lists += 1;
            await onList(lists);
            return api.listOrders(...asked);
          },
        };
      };
      const sweep = async (onList: (lists: number) => Promise<void> | void) =>
        sweepOnce(simulator, db, { kind: 'backfill' }, settings, {
          now: clock.now,
          through: asking(onList),
        });
      const [stopped, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const first = sweep(async (lists) => {
        if (lists === stop - 1) placeSome();
        if (lists !== stop) return;
        stopped.resolve();
        await resumed.promise;
      }).catch((error: unknown) => error);
      await stopped.promise;
      placeSome();
      await client.query('UPDATE tested.leases SET expires_at = now()');
      await sweep((lists) => {
        if (lists % 3 === 2 && lists < 20) placeSome();
        // What it has read is older than what this one has written by now.
        if (lists === 9) resumed.resolve();
      });
      resumed.resolve();
      expect(await first).toBeInstanceOf(LeaseLostError);
      await sweep(() => undefined);
      const { rows } = await client.query<{ day: string; at: string }>(
        `SELECT day::text, to_json(verified_at) #>> '{}' AS at FROM tested.days WHERE verified_at IS NOT NULL`,
      );
      const verified = new Map(rows.map(({ day, at }) => [day, Temporal.Instant.from(at)]));
      expect(verified.size).toBeGreaterThan(20);
      const { rows: stored } = await client.query<{ id: string }>('SELECT order_id AS id FROM tested.orders');
      const held = new Set(stored.map(({ id }) => id));
      const lost = shop.orders().filter(({ orderId, createdLocal }) => {
        const at = verified.get(createdLocal.toPlainDate().toString());
        const since = placed.get(String(orderId)) ?? PRESENT;
        return at !== undefined && Temporal.Instant.compare(since, at) < 0 && !held.has(String(orderId));
      });
      expect(lost).toEqual([]);
    }),
);
