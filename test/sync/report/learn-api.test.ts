/** What a few requests show of a shop's API, and what a load of the rest takes. */
import { afterEach, expect, test, vi } from 'vitest';

import { TransientError } from '../../../src/model/errors.ts';
import type { OrdersQuery } from '../../../src/shop-api/endpoints/list-orders.ts';
import { unknownProfile } from '../../../src/shop-api/paging/request-page.ts';
import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import {
  type ApiFindings,
  estimateRest,
  learnApi,
  newestListed,
} from '../../../src/sync/report/learn-api.ts';
import { paceText } from '../../../src/sync/report/shown-figures.ts';
import { FakeShop, type FakeTraits, secondsOf } from '../../shop-api/paging/fake-shop.ts';
import { HEALTHY } from '../../support/healthy.ts';
import { throttle } from '../../worker/status-json.ts';

const { signal } = new AbortController();
afterEach(() => void vi.restoreAllMocks());
const ZONE = { timezone: 'Europe/Berlin' };
const TODAY = Temporal.PlainDate.from('2026-03-10');
const TIMES = ['2024-02-29T10:00', '2026-03-09T09:00', '2026-03-09T11:00', '2026-03-10T08:00'];

/** Learns of a shop with an order at each of these times, page by page of so many. */
async function learn(limit: number, traits: FakeTraits = {}, times = TIMES, hasGroups = true) {
  const shop = new FakeShop(
    times.map((time, index) => ({ id: index + 1, created: secondsOf(time) })),
    traits,
  );
  const counts = { orders: 0, groups: 0 };
  // Each request takes a tenth of a second.
  vi.spyOn(performance, 'now').mockImplementation(() => 5_000 + (counts.orders + counts.groups) * 100);
  const api: Pick<ShopApi, 'listOrders' | 'groups'> & { counts: object } = {
    counts,
    listOrders: async (query) => {
      counts.orders++;
      return shop.listOrders(query);
    },
    groups: async () => {
      counts.groups++;
      if (!hasGroups) throw new TransientError('HTTP 500', { scope: 'record' });
      return [{ groupOid: '2', raw: {} }];
    },
  };
  const findings = await learnApi(api as ShopApi, ZONE, unknownProfile(limit), TODAY, signal);
  expect(findings.latencyMs).toBe(100);
  const { historyFrom, total, profile, listOrder, groups } = findings;
  const { totalMeaning, pageRows } = profile;
  return { first: historyFrom.toString(), total, totalMeaning, pageRows, listOrder, groups };
}

test('a shop is described by its first order, number of orders, page size, sort order and groups', async () => {
  expect(await learn(500)).toEqual({
    first: '2024-02-29',
    total: 4,
    totalMeaning: 'matches',
    pageRows: 0,
    listOrder: 'newest first',
    groups: 1,
  });
  expect(await learn(2, { listOrder: 'asc', total: 'absent' }, TIMES, false)).toMatchObject({
    total: undefined,
    totalMeaning: 'unknown',
    pageRows: 2,
    listOrder: 'oldest first',
    groups: null,
  });
  expect(await learn(500, { total: 'all' })).toMatchObject({ total: 4, totalMeaning: 'other' });
});

test('the sort order of a list shows where times differ, and the first day of a shop without orders is today', async () => {
  const same = TIMES.map(() => '2026-03-09T09:00');
  expect(await learn(500, {}, same)).toMatchObject({ listOrder: 'unknown' });
  const mixed = [2, 0, 3, 1].map((index) => TIMES[index] ?? '');
  expect(await learn(500, { listOrder: 'id-desc' }, mixed)).toMatchObject({ listOrder: 'neither' });
  expect(await learn(500, {}, [])).toMatchObject({ first: '2026-03-10', listOrder: 'unknown' });
});

test('the newest order is searched among orders that may be current in any zone, and then among all', async () => {
  const shop = new FakeShop(TIMES.map((time, index) => ({ id: index + 1, created: secondsOf(time) })));
  const ask = async (now: string) => {
    const asked: string[] = [];
    const listOrders = async (query: OrdersQuery) => {
      asked.push(`${query.limit}: ${query.dateFrom?.toString()} to ${query.dateTo?.toString()}`);
      return shop.listOrders(query);
    };
    const newest = await newestListed({ listOrders }, 50, Temporal.Instant.from(now), signal);
    return [newest?.toString(), ...asked];
  };
  expect(await ask('2026-03-10T01:00:00Z')).toEqual([
    '2026-03-10T08:00:00',
    '50: 2026-03-08T11:00:00 to 2026-03-10T15:00:00',
  ]);
  expect(await ask('2026-03-20T01:00:00Z')).toEqual([
    '2026-03-10T08:00:00',
    '50: 2026-03-18T11:00:00 to 2026-03-20T15:00:00',
    '50: undefined to undefined',
  ]);
});

const FINDINGS: ApiFindings = {
  latencyMs: 100,
  profile: unknownProfile(500),
  historyFrom: Temporal.PlainDate.from('2024-01-01'),
  total: 1_000,
  listOrder: 'newest first',
  groups: 3,
};
const HEALTH = { ...HEALTHY, concurrency: 10, maxConcurrency: 10 };
const rest = (excluded: number, given: Partial<ApiFindings> = {}, measured?: number) =>
  estimateRest({ ...FINDINGS, ...given }, HEALTH, excluded, measured);

test('stored orders need no loading, and a shop that does not count has no estimate', () => {
  expect(rest(0)?.orders).toBe(1_000);
  expect(rest(400)?.orders).toBe(600);
  expect(rest(1_200)).toMatchObject({ orders: 0, requests: 0, bytes: 0 });
  expect(rest(0, { total: undefined })).toBeUndefined();
});

test('the estimate is longer if the shop answers slowly or an earlier load was slow', () => {
  // 1,304 requests, ten of them at once.
  expect(rest(0)).toMatchObject({ requests: 1_304, seconds: 27 });
  expect(rest(0, { latencyMs: 1_000 })?.seconds).toBe(131);
  expect(rest(0, {}, 4)?.seconds).toBe(326);
});

test.each([
  [{}, 'up to 4 at once and 10 a second, the most that the settings allow'],
  [{ limited_by: 'rate', found_rps: 29.7 }, 'the shop takes about 30 requests a second, and refuses more'],
  [{ limited_by: 'rate', found_rps: 2.04 }, 'the shop takes about 2.0 requests a second, and refuses more'],
  [{ limited_by: 'slowness', concurrency: 2 }, '2 at once, of at most 4, since the shop becomes slower'],
  [{ limited_by: 'failures', concurrency: 1 }, '1 at once, of at most 4, since some requests failed'],
] as const)('%j: the text says how fast requests are sent, and why no faster', (given, text) => {
  expect(paceText(throttle(given))).toContain(text);
});
