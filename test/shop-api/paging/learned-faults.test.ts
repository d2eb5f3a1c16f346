/** What a walk learns of a shop that fails at some requests, and what it does then. */
import { expect, test } from 'vitest';

import { TerminalError, TransientError } from '../../../src/model/errors.ts';
import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { readAroundFaults } from '../../../src/shop-api/paging/around-faults.ts';
import { unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import { FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { asked, knownAt, pagingDeps } from './read-one.ts';

const DAY = asked('2026-03-05T00:00', '2026-03-06T00:00');
/** One every ten minutes, over three days. */
const ORDERS = Array.from({ length: 432 }, (_, index) => ({
  id: index + 1,
  created: secondsOf('2026-03-04T00:00') + index * 600,
}));

async function read(listOrders: ShopApi['listOrders'], of = DAY, known = knownAt()) {
  const deps = pagingDeps({ listOrders }, unknownProfile(500));
  const reading = await readAroundFaults({ ...deps, known }, of);
  return { reading, book: deps.book };
}

test('where pages of many rows fail, smaller ones are asked for, and the window stays as it is', async () => {
  const shop = new FakeShop(ORDERS);
  let [requests, limits] = [0, new Set<number>()];
  const { reading, book } = await read(async (query) => {
    requests++;
    const page = await shop.listOrders(query);
    if (page.received <= 40) return page;
    limits = limits.add(query.limit ?? 0);
    throw new TransientError('the shop answered HTTP 500');
  });
  expect(reading).toMatchObject({ kind: 'whole' });
  expect([...limits][0]).toBe(500);
  expect(book.profile.limit).toBeLessThanOrEqual(40);
  expect(book.faults).toMatchObject({ isOfSize: false, spans: [] });
  expect(requests).toBeLessThanOrEqual(88);
});

test('a limit that the shop takes is found at the first request for it, and asked for from then on', async () => {
  const shop = new FakeShop(ORDERS, { failsAt: { limit: 100 } });
  const { book, reading } = await read(shop.listOrders);
  expect([reading.kind, book.profile.limit, book.faults?.soundLimit]).toEqual(['whole', 100, 100]);
  // The first one, one row, the limits of 500, 250 and 100 at a single minute, and the pages of the day.
  const [failed, probe, ...others] = shop.queries.map(({ limit }) => limit);
  expect([failed, probe]).toEqual([500, 1]);
  const first = others.indexOf(100);
  expect(new Set(others.slice(0, first)).size).toBe(first);
  expect(new Set(others.slice(first))).toEqual(new Set([100]));
});

test('of a shop without an order, the limit is tried by the request that it answered', async () => {
  const empty = new FakeShop([], { failsAt: { limit: 20 } });
  const { book } = await read(empty.listOrders);
  expect(book.profile.limit).toBe(20);
});

test.each([
  ['a refusal', new TerminalError('HTTP 401')],
  ['a pause', new TransientError('HTTP 429', { retryAfterMs: 1_000 })],
])('%s while a limit is tried is no limit', async (_what, error) => {
  const shop = new FakeShop(ORDERS);
  const attempts: unknown[] = [];
  const reading = read(async (query, _signal, options) => {
    if (query.limit === 1) return shop.listOrders(query);
    attempts.push(options?.maxAttempts);
    throw attempts.length === 1 ? new TransientError('HTTP 500') : error;
  });
  await expect(reading).rejects.toBe(error);
  expect(attempts).toEqual([undefined, 2]);
});

test('a minute that fails with all that is asked around it is not proven, and no gap', async () => {
  const minute = asked('2026-03-05T10:00', '2026-03-05T10:01');
  const { reading } = await read(new FakeShop(ORDERS, { failsAt: { days: 0.01 } }).listOrders, minute);
  const reason =
    'the shop fails whenever it is asked for the orders of 2026-03-05T10:00 to 2026-03-05T10:01 (the shop answered HTTP 500)';
  expect(reading).toEqual({ kind: 'unproven', window: minute.window, reason });
});

test('of answers that are old, a gap is as small as it is, and all else the window', async () => {
  const old = (traits: FakeTraits): ShopApi['listOrders'] => {
    const shop = new FakeShop(ORDERS, traits);
    return async (query) => ({ ...(await shop.listOrders(query)), outdated: 'from a cache' });
  };
  const reason = 'from a cache';
  expect((await read(old({}))).reading).toEqual({
    kind: 'unproven',
    window: DAY.window,
    reason,
    isGap: false,
  });
  const minute = asked('2026-03-05T10:00', '2026-03-05T10:01');
  const failing = await read(old({ failsAt: { days: 0.01 } }), minute);
  expect(failing.reading).toMatchObject({ window: minute.window, reason, isGap: false });
  const { reading } = await read(old({ failsAt: { ids: [288] } }));
  expect(reading).toMatchObject({ kind: 'unproven', reason, isGap: true });
  expect(reading).not.toMatchObject({ window: DAY.window });
});

test('where the shop fails at the length that a response must have, smaller windows are not tried in vain', async () => {
  // The next orders are further away than the shop serves.
  const times = ['2025-12-01T10:00', '2026-03-05T10:00', '2026-06-01T10:00'];
  const sparse = times.map((time, index) => ({ id: index + 1, created: secondsOf(time) }));
  const shop = new FakeShop(sparse, { failsAt: { days: 31 } });
  const { book, reading } = await read(shop.listOrders, DAY, knownAt(...times));
  expect(book.faults).toMatchObject({ isOfSize: true, isOfLength: true });
  expect(reading).toMatchObject({ kind: 'unproven', window: DAY.window });
});
