import { expect, test } from 'vitest';

import { sweepOnce, verifyOnce } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import { withShop } from '../../support/shop.ts';

test('if a shop lists only its last days without dates, a deleted order is still reported', async () => {
  const dialect = { undatedDays: 30 } as const;
  await withShop({ orders: 60, days: 60, seed: 21, dialect }, async ({ db, means, simulator }) => {
    await sweepOnce(simulator, db, { kind: 'backfill' }, {}, means);
    const gone =
      simulator.shop
        .orders()
        .map(({ orderId }) => orderId)
        .at(30) ?? 0;
    simulator.shop.deleteOrder(gone);
    const { differences: found } = await verifyOnce(simulator, db, { makeDue: false }, {}, means);
    expect(found).toMatchObject([{ order_id: String(gone), kind: 'not in the shop' }]);
  });
});

test('if a shop lists only its last days without dates, an order without a date is not reported', async () => {
  const dialect = { undatedDays: 30 } as const;
  await withShop({ orders: 60, days: 60, seed: 21, dialect }, async ({ client, db, means, simulator }) => {
    await sweepOnce(simulator, db, { kind: 'backfill' }, {}, means);
    // No list with dates shows whether it is gone.
    const [first] = simulator.shop.orders();
    simulator.shop.deleteOrder(first?.orderId ?? 0);
    await client.query(
      'UPDATE tested.orders SET created_on = NULL, created_at = NULL, created_local = NULL WHERE order_id = $1',
      [first?.orderId],
    );
    const { differences: found } = await verifyOnce(simulator, db, { makeDue: false }, {}, means);
    expect(found).toEqual([]);
  });
});

test('if a shop ends its list at a position, nothing beyond it is reported, and no month is compared', async () => {
  const dialect = { reach: 40, total: 'served', listOrder: 'desc' } as const;
  await withShop({ orders: 60, days: 60, seed: 21, dialect }, async ({ client, db, means, simulator }) => {
    await sweepOnce(simulator, db, { kind: 'backfill' }, {}, means);
    expect(await differences(client, simulator.shop)).toEqual([]);
    expect(await verifyOnce(simulator, db, undefined, {}, means)).toMatchObject({
      status: 'partial',
      problems: ['the order list could not be read to the end: the shop shows a part of it only'],
      differences: [],
      months: [],
    });
  });
});
