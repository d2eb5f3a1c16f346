import { expect, test } from 'vitest';

import { unknownProfile } from '../../../../src/shop-api/paging/request-page.ts';
import { FakeShop, type FakeTraits, secondsOf } from '../../../shop-api/paging/fake-shop.ts';
import { readAll } from '../../../shop-api/paging/read-all.ts';

const DAYS = { from: '2026-01-01', to: '2026-03-01' };
/** Five orders a day for sixty days. */
const ORDERS = Array.from({ length: 300 }, (_, index) => {
  return { id: index + 1, created: secondsOf(DAYS.from) + index * 17_280 };
});

/** Before each of the first requests, an order of the last day comes in. */
const moving = (shop: FakeShop) => {
  const created = secondsOf('2026-03-01T12:00') + shop.requests;
  if (shop.requests < 12) shop.insert({ id: 1000 + shop.requests, created });
};

test.each<[string, FakeTraits]>([
  ['that does not fit', {}],
  ['of which the shop fails at an order', { failsAt: { ids: [298] } }],
  ['that moves while it is read', { before: moving }],
])('a window %s is narrowed until it can be read, even after the time budget', async (_what, traits) => {
  const shop = new FakeShop(ORDERS, { cap: 5, mostRequests: 300, ...traits });
  let left = 1;
  const { readings } = await readAll(shop, { ...DAYS, profile: unknownProfile(5), mayAsk: () => left-- > 0 });
  expect(readings).toHaveLength(1);
});
