/** Orders with a date and no time, which may be of any time of their day. */
import { expect, test } from 'vitest';

import { sweepOnce } from '../../support/sweep.ts';
import { withShop } from '../../support/shop.ts';

test.each([
  // Of such a shop the day may not be proven, with or without such an order.
  ['desc', expect.stringMatching(/^(ok|partial)$/)],
  ['asc', expect.stringMatching(/^(ok|partial)$/)],
] as const)(
  'an order without a time belongs to its whole day, which is read in parts: %s',
  async (listOrder, status) => {
    for (const at of [1, 40, 99, 160]) {
      const dialect = { reach: 100, listOrder } as const;
      await withShop({ orders: 12, days: 8, seed: 1, dialect }, async ({ db, means, simulator }) => {
        const first = Temporal.PlainDateTime.from('2026-03-06T20:39');
        const crowd = Array.from({ length: 201 }, (_, minutes) =>
          simulator.shop.insertOrder({ createdLocal: first.add({ minutes }) }),
        );
        const { orderId = 0 } = crowd.at(-1 - at) ?? {};
        simulator.shop.setRaw(orderId, { time: '' });
        const swept = await sweepOnce(simulator, db, { kind: 'backfill' }, {}, means);
        expect(swept).toMatchObject({ status, orders_new: 213 });
      });
    }
  },
);
