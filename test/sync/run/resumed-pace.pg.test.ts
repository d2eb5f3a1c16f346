import { expect, test } from 'vitest';

import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';
import { PRESENT, withShop } from '../../support/shop.ts';

test('a run begins at the pace that the last one found', () =>
  withShop({ orders: 12, days: 3 }, async ({ client, db, simulator }) => {
    const begun: unknown[] = [];
    const through = (api: ShopApi): ShopApi => ({
      ...withoutGroups(api),
      resume(found) {
        begun.push(found);
        api.resume(found);
      },
    });
    const means = { now: testClock(PRESENT).now, through };
    await sweepOnce(simulator, db, { kind: 'backfill' }, {}, means);
    await client.query(
      `UPDATE tested.shop_state SET memory = jsonb_set(memory, '{throttle}',
         memory -> 'throttle' || '{"found_rps": 70, "concurrency": 3, "limited_by": "slowness"}')`,
    );
    await sweepOnce(simulator, db, { kind: 'sync' }, {}, means);
    expect(begun).toEqual([
      { rps: undefined, concurrency: undefined },
      { rps: 70, concurrency: 3 },
    ]);
  }));
