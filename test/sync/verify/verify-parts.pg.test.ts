/** Comparisons of lines, and of shops that show a part of their orders only. */
import { expect, test } from 'vitest';

import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { openShop } from '../../support/shop.ts';
import { withoutGroups } from '../../support/sweep.ts';
import { hiding } from '../support/hiding.ts';

test('contents that cannot be read are counted, on whatever page their orders are listed', async () => {
  const { shop, sweep, verify } = await openShop({ orders: 60, days: 20, seed: 21 });
  await sweep();
  const orders = shop.orders().map(({ orderId }) => orderId);
  const refused = hiding(new Set([orders[3] ?? 0, orders[30] ?? 0, orders[57] ?? 0]), 'content');
  const through = (api: ShopApi) => refused(withoutGroups(api));
  const result = await verify({ makeDue: false, lines: true }, { pageLimit: 20 }, { through });
  expect(result).toMatchObject({
    status: 'partial',
    problems: ['the lines of 3 orders could not be read'],
    differences: [],
    content_requests: 57,
  });
});

test('lines edited in the warehouse are read again, even if their order is unchanged', async () => {
  const { client, clock, differences, sweep, verify } = await openShop({ orders: 30, days: 10, seed: 21 });
  await sweep();
  await client.query(`
    UPDATE tested.order_lines SET quantity = quantity + 1
    WHERE order_id = (SELECT min(order_id) FROM tested.order_lines)`);
  const request = { makeDue: true, lines: true };
  const { differences: found } = await verify(request);
  expect(found.map(({ kind }) => kind)).toEqual(['lines differ']);
  clock.pass({ minutes: 1 });
  await sweep({ kind: 'sync' });
  expect(await differences()).toEqual([]);
  expect((await verify(request)).differences).toEqual([]);
});

test('if a shop lists only its last days without dates, a deleted order is still reported', async () => {
  const dialect = { undatedDays: 30 } as const;

  const { shop, sweep, verify } = await openShop({ orders: 60, days: 60, seed: 21, dialect });
  await sweep();
  const gone =
    shop
      .orders()
      .map(({ orderId }) => orderId)
      .at(30) ?? 0;
  shop.deleteOrder(gone);
  const { differences: found } = await verify({ makeDue: false });
  expect(found).toMatchObject([{ order_id: String(gone), kind: 'not in the shop' }]);
});

test('if a shop lists only its last days without dates, an order without a date is not reported', async () => {
  const dialect = { undatedDays: 30 } as const;

  const { client, shop, sweep, verify } = await openShop({ orders: 60, days: 60, seed: 21, dialect });
  await sweep();
  // No list with dates shows whether it is gone.
  const [first] = shop.orders();
  shop.deleteOrder(first?.orderId ?? 0);
  await client.query(
    'UPDATE tested.orders SET created_on = NULL, created_at = NULL, created_local = NULL WHERE order_id = $1',
    [first?.orderId],
  );
  const { differences: found } = await verify({ makeDue: false });
  expect(found).toEqual([]);
});

test('if a shop ends its list at a position, nothing beyond it is reported, and no month is compared', async () => {
  const dialect = { reach: 40, total: 'served', listOrder: 'desc' } as const;

  const { differences, sweep, verify } = await openShop({ orders: 60, days: 60, seed: 21, dialect });
  await sweep();
  expect(await differences()).toEqual([]);
  expect(await verify()).toMatchObject({
    status: 'partial',
    problems: ['the order list could not be read to the end: the shop shows a part of it only'],
    differences: [],
    months: [],
  });
});
