import { expect, test } from 'vitest';

import { parseFreshness } from '../../../src/plan/days/freshness.ts';
import { TerminalError } from '../../../src/errors.ts';
import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import type { SimulatedShop } from '../../../src/simulator/shop/simulated-shop.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { inWarehouse, OF_TEST_SHOP, sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';
import { isBefore } from '../../../src/window.ts';
import { differences } from '../../support/truth.ts';
import { until } from '../../support/until.ts';

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

test('an order that comes to a day which this sweep has read is stored before the sweep may be killed', async () => {
  await using simulator = makeShopInProcess({ orders: 400, days: 40, seed: 5, now: PRESENT });
  const { shop } = simulator;
  await inWarehouse(async ({ client, db }) => {
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
        const { dateTo } = query;
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
    const clock = testClock(PRESENT);
    const means = { now: clock.now };
    await expect(
      sweepOnce(simulator, db, { kind: 'backfill' }, settings, { ...means, through: dying }),
    ).rejects.toThrow('killed');
    expect(late).toBeDefined();
    expect(
      await sweepOnce(simulator, db, { kind: 'backfill' }, settings, { ...means, through: withoutGroups }),
    ).toMatchObject({ status: 'ok' });
    expect(await differences(client, shop)).toEqual([]);
  });
});
