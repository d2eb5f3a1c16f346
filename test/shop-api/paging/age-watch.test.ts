import { expect, test } from 'vitest';

import { watchAge } from '../../../src/shop-api/paging/age-watch.ts';
import { FakeShop } from './fake-shop.ts';

test('what was old stays so, whatever comes after it', async () => {
  const shop = new FakeShop([]);
  const ages = [undefined, 'of a cache', undefined, 'of another'];
  const watched = watchAge({
    listOrders: async (query) => {
      const outdated = ages[shop.requests];
      return { ...(await shop.listOrders(query)), ...(outdated !== undefined && { outdated }) };
    },
  });
  const seen: (string | undefined)[] = [];
  for (const _ of ages) {
    await watched.listOrders({});
    seen.push(watched.outdated);
  }
  expect(seen).toEqual([undefined, 'of a cache', 'of a cache', 'of a cache']);
});
