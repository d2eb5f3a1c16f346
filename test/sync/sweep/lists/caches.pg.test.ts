/** A cache before the shop that repeats what it kept, whatever the client wants. */
import { expect, test } from 'vitest';

import { AnswerCache, type CacheSettings } from '../../../support/answer-cache.ts';
import { FORCED, openShop } from '../../../support/shop.ts';
import { withoutGroups } from '../../../support/sweep.ts';

const MINUTE_MS = 60_000;
const LISTS = ['orders'] as const;
const ALL = ['orders', 'order', 'users', 'groups'] as const;

/** A shop behind a cache that keeps nothing yet; each sweep reads all days again. */
async function openCached() {
  const between = new AnswerCache();
  const options = { orders: 45, days: 4, pageCap: 20, between: between.handle() };
  const { clock, ...ground } = await openShop(options);
  const sweep = (pageLimit = 500, through = withoutGroups) => {
    clock.pass({ hours: 1 });
    return ground.sweep(FORCED, { pageLimit }, { through });
  };
  return { ...ground, between, sweep };
}

const CACHES: readonly Pick<CacheSettings, 'routes' | 'shows'>[] = [
  { routes: LISTS, shows: 'age' },
  { routes: ALL, shows: 'age' },
];

test.each(CACHES)(
  '$routes cached for half an hour are not trusted, and a sync without the cache repairs everything',
  async (cache) => {
    const { between, differences, rows, shop, ...ground } = await openCached();
    const sweep = () => ground.sweep(500, (api) => api);
    expect(await sweep()).toMatchObject({ status: 'ok', orders_new: 45 });
    between.set(cache);
    // What the cache repeats at once is of now.
    for (let swept = 0; swept < 2; swept++) expect(await sweep()).toMatchObject({ status: 'ok' });
    between.age(30 * MINUTE_MS);
    const [first, , third] = shop.orders().toReversed();
    shop.deleteOrder(first?.orderId ?? 0);
    shop.editOrder(third?.orderId ?? 0);
    const result = await sweep();
    expect(result.status).toBe('partial');
    expect(result.problems.join('\n')).toMatch(
      /a cache before the shop answered with data that is 3\d minutes old \(Age: 18\d\d\)/,
    );
    between.set(undefined);
    await sweep();
    expect(await sweep()).toMatchObject({ status: 'ok' });
    expect(await differences()).toEqual([]);
    expect(await rows('SELECT FROM tested.days WHERE last_error IS NOT NULL')).toEqual([]);
  },
);

test('a cached content does not show whether an unlisted order still exists', async () => {
  const { between, differences, shop, sweep } = await openCached();
  between.set({ routes: ['order'], shows: 'age' });
  await sweep();
  between.age(30 * MINUTE_MS);
  shop.deleteOrder(shop.orders()[9]?.orderId ?? 0);
  expect(await sweep()).toMatchObject({
    status: 'partial',
    orders_missing: 0,
    problems: [expect.stringContaining('1 order was not listed, but the shop gave no clear answer')],
  });
  between.set(undefined);
  expect(await sweep()).toMatchObject({ status: 'ok', orders_missing: 1 });
  expect(await differences()).toEqual([]);
});

test('an outdated list undoes no stored change and restores no deleted order', async () => {
  const { between, differences, shop, sweep } = await openCached();
  between.set({ routes: LISTS, shows: 'age' });
  for (let swept = 0; swept < 2; swept++) await sweep(500);
  between.age(30 * MINUTE_MS);
  shop.editOrder(shop.orders()[30]?.orderId ?? 0);
  shop.deleteOrder(shop.orders()[40]?.orderId ?? 0);
  // Other requests, which the cache does not know.
  for (let swept = 0; swept < 2; swept++) expect(await sweep(400)).toMatchObject({ status: 'ok' });
  expect(await differences()).toEqual([]);
  expect(await sweep(500)).toMatchObject({
    status: 'partial',
    orders_new: 0,
    orders_changed: 0,
    problems: expect.arrayContaining([expect.stringContaining('a cache before the shop answered')]),
  });
  expect(await differences()).toEqual([]);
});

test.each(['age', 'nothing'] as const)(
  'a shop that is always a few seconds old, and shows %s, loads as any other',
  async (shows) => {
    const { between, differences, sweep } = await openCached();
    between.set({ routes: ALL, shows });
    for (let swept = 0; swept < 3; swept++) {
      expect(await sweep(500, (api) => api)).toMatchObject({ status: 'ok' });
      between.age(5_000);
    }
    expect(await differences()).toEqual([]);
  },
);
