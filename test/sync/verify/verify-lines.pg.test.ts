import { expect, test } from 'vitest';

import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { inWarehouse, sweepOnce, testClock, verifyOnce, withoutGroups } from '../../support/sweep.ts';
import { PRESENT } from '../support/copy.ts';
import { hiding } from '../support/hiding.ts';

test('contents that cannot be read are counted, on whatever page their orders are listed', async () => {
  await using simulator = makeShopInProcess({ orders: 60, days: 20, seed: 21, now: PRESENT });
  await inWarehouse(async ({ db }) => {
    const clock = testClock(PRESENT);
    await sweepOnce(simulator, db, { kind: 'backfill' }, {}, { now: clock.now, through: withoutGroups });
    const orders = simulator.shop.orders().map(({ orderId }) => orderId);
    const refused = hiding(new Set([orders[3] ?? 0, orders[30] ?? 0, orders[57] ?? 0]), 'content');
    const means = { now: clock.now, through: (api: ShopApi) => refused(withoutGroups(api)) };
    const request = { makeDue: false, lines: true };
    const result = await verifyOnce(simulator, db, request, { pageLimit: 20 }, means);
    expect(result).toMatchObject({
      status: 'partial',
      problems: ['the lines of 3 orders could not be read'],
      differences: [],
    });
  });
});
