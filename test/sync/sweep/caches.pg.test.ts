/** A cache before the shop that repeats what it kept, whatever the client wants. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { AnswerCache, type CacheSettings } from '../../support/answer-cache.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import {
  inWarehouse,
  type Means,
  OF_TEST_SHOP,
  sweepOnce,
  testClock,
  withoutGroups,
} from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import { IS_LONG } from '../../support/long.ts';
import { PRESENT } from '../../support/shop.ts';

const FORCED = { kind: 'backfill', force: true } as const;
const SHOP = { orders: 45, days: 4, now: PRESENT, pageCap: 20 };
const MINUTE_MS = 60_000;
const LISTS = ['orders'] as const;
const ALL = ['orders', 'order', 'users', 'groups'] as const;

async function readDays(client: Client): Promise<readonly { at: Date | null; reason: string | null }[]> {
  const { rows } = await client.query<{ at: Date | null; reason: string | null }>(
    `SELECT verified_at AS at, last_error AS reason FROM ops.days WHERE ${OF_TEST_SHOP} ORDER BY day DESC`,
  );
  return rows;
}

type Ground = {
  readonly client: Client;
  readonly between: AnswerCache;
  readonly simulator: Simulator;
  /** Reads all days again. */
  readonly sweep: (pageLimit?: number, through?: Means['through']) => ReturnType<typeof sweepOnce>;
};

/** A shop behind a cache that keeps nothing yet. */
const withCache = (work: (ground: Ground) => Promise<void>) =>
  inWarehouse(async ({ client, db }) => {
    const between = new AnswerCache();
    await using simulator = makeShopInProcess({ ...SHOP, between: between.handle() });
    const clock = testClock(PRESENT);
    const sweep: Ground['sweep'] = (pageLimit = 500, through = withoutGroups) => {
      clock.pass({ hours: 1 });
      return sweepOnce(simulator, db, FORCED, { pageLimit }, { now: clock.now, through });
    };
    await work({ client, between, simulator, sweep });
  });

const CACHES: readonly Pick<CacheSettings, 'routes' | 'shows'>[] = [
  { routes: LISTS, shows: 'age' },
  { routes: ALL, shows: 'age' },
];

test.each(IS_LONG ? CACHES : CACHES.slice(0, 2))(
  '$routes cached for half an hour are not trusted, and a sync without the cache repairs everything',
  (cache) =>
    withCache(async ({ between, client, simulator: { shop }, ...ground }) => {
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
      expect(await differences(client, shop)).toEqual([]);
      expect((await readDays(client)).filter(({ reason }) => reason !== null)).toEqual([]);
    }),
);

test('a cached content does not show whether an unlisted order still exists', () =>
  withCache(async ({ between, client, simulator, sweep }) => {
    between.set({ routes: ['order'], shows: 'age' });
    await sweep();
    between.age(30 * MINUTE_MS);
    simulator.shop.deleteOrder(simulator.shop.orders()[9]?.orderId ?? 0);
    expect(await sweep()).toMatchObject({
      status: 'partial',
      orders_missing: 0,
      problems: [expect.stringContaining('1 order was not listed, but the shop gave no clear answer')],
    });
    between.set(undefined);
    expect(await sweep()).toMatchObject({ status: 'ok', orders_missing: 1 });
    expect(await differences(client, simulator.shop)).toEqual([]);
  }));

test('an outdated list undoes no stored change and restores no deleted order', () =>
  withCache(async ({ between, client, simulator: { shop }, sweep }) => {
    between.set({ routes: LISTS, shows: 'age' });
    for (let swept = 0; swept < 2; swept++) await sweep(500);
    between.age(30 * MINUTE_MS);
    shop.editOrder(shop.orders()[30]?.orderId ?? 0);
    shop.deleteOrder(shop.orders()[40]?.orderId ?? 0);
    // Other requests, which the cache does not know.
    for (let swept = 0; swept < 2; swept++) expect(await sweep(400)).toMatchObject({ status: 'ok' });
    expect(await differences(client, shop)).toEqual([]);
    expect(await sweep(500)).toMatchObject({
      status: 'partial',
      orders_new: 0,
      orders_changed: 0,
      problems: expect.arrayContaining([expect.stringContaining('a cache before the shop answered')]),
    });
    expect(await differences(client, shop)).toEqual([]);
  }));

test.each(['age', 'nothing'] as const)(
  'a shop that is always a few seconds old, and shows %s, loads as any other',
  (shows) =>
    withCache(async ({ between, client, simulator, sweep }) => {
      between.set({ routes: ALL, shows });
      for (let swept = 0; swept < 3; swept++) {
        expect(await sweep(500, (api) => api)).toMatchObject({ status: 'ok' });
        between.age(5_000);
      }
      expect(await differences(client, simulator.shop)).toEqual([]);
    }),
);
