/** One page of a shop that takes a single date for none. */
import { expect, test } from 'vitest';

import { askPage } from '../../../src/shop-api/paging/ask-page.ts';
import { FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { local, pagingDeps } from './read-one.ts';

const shopOf = (times: readonly string[], traits: FakeTraits = {}) =>
  new FakeShop(
    times.map((time, index) => ({ id: index + 1, created: secondsOf(time) })),
    traits,
  );
const FROM = local('2026-03-01T00:00');

test('a shop that takes a single date for none is asked with both, and so from then on', async () => {
  const times = ['2026-01-05T10:00', '2026-01-06T10:00', '2026-03-05T10:00', '2026-03-06T10:00'];
  const shop = shopOf(times, { wantsBothDates: true });
  const deps = pagingDeps(shop);
  for (const dates of [
    { from: FROM, to: undefined },
    { from: undefined, to: local('2026-02-01T00:00') },
  ])
    expect(await askPage(deps, dates, 0)).toMatchObject({ received: 2 });
  const dated = shop.queries.map(({ dateFrom, dateTo }) => [dateFrom, dateTo].filter(Boolean).length);
  expect(dated, 'how many dates each request has').toEqual([1, 2, 2]);
});
