/** A list request that fails for good: whether the shop is down, or fails at that request alone. */
import { expect, test } from 'vitest';

import { TransientError, UnavailableError } from '../../../src/model/errors.ts';
import type { OrdersPage, OrdersQuery } from '../../../src/shop-api/endpoints/list-orders.ts';
import { PageFault, requestPage, unlessFault } from '../../../src/shop-api/paging/request-page.ts';
import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { rejection } from '../api-of.ts';
import { local, pagingDeps } from './read-one.ts';

const DATES = { from: local('2026-03-05T00:00'), to: local('2026-03-06T00:00') };
const ASKED: OrdersQuery = { start: 40, limit: 20, dateFrom: DATES.from, dateTo: DATES.to };
const FAILURE = new TransientError('the shop answered HTTP 500');
const EMPTY: OrdersPage = { rows: [], malformed: [], received: 0, keys: [], isKeyed: false, total: 0 };

/** Asks for a page, of a shop that answers the small requests as told, by their order. */
function asking(answer: (probe: number) => OrdersPage, error: Error = FAILURE) {
  const sent: (string | number | undefined)[] = [];
  const attempts: (number | undefined)[] = [];
  const abort = new AbortController();
  const listOrders: ShopApi['listOrders'] = async ({ start, limit, dateFrom }, _signal, retry) => {
    // For nothing, which shows whether the limit is too high.
    if (dateFrom?.year === 1971) return EMPTY;
    attempts.push(retry?.maxAttempts);
    const probe = limit === 1 ? (start === 1 ? 1 : dateFrom === undefined ? 0 : 2) : undefined;
    sent.push(probe ?? 'page');
    if (probe === undefined) throw error;
    return answer(probe);
  };
  const deps = { ...pagingDeps({ listOrders }), signal: abort.signal };
  return { deps, sent, attempts, abort, ask: () => rejection(requestPage(deps, ASKED)) };
}

const answersAt =
  (...probes: readonly number[]) =>
  (probe: number) => {
    if (probes.includes(probe)) return EMPTY;
    throw FAILURE;
  };

test('where another request is answered, the fault lies in this one', async () => {
  const { ask, attempts } = asking(answersAt(1));
  const error = await ask();
  expect(error).toBeInstanceOf(PageFault);
  expect(await unlessFault(Promise.reject(error))).toBe(error);
  // The page as often as usual, each of the small ones twice.
  expect(attempts).toEqual([undefined, 2, 2]);
});

test('what was answered last is asked for first, and once something failed, each page twice at most', async () => {
  const { ask, deps, sent, attempts } = asking(answersAt(1));
  await ask();
  expect(deps.book.answered).toBe(1);
  await ask();
  expect(sent).toEqual(['page', 0, 1, 'page', 1]);
  expect(attempts.slice(3)).toEqual([2, 2]);
});

test('after the last of the small requests comes the first', async () => {
  const { ask, deps, sent } = asking(answersAt(0));
  deps.book.answered = 2;
  await ask();
  expect(sent).toEqual(['page', 2, 0]);
});

test('where nothing is answered, the shop is down', async () => {
  const { ask, sent } = asking(answersAt());
  expect(await ask()).toBe(FAILURE);
  expect(sent).toEqual(['page', 0, 1, 2]);
});

test.each<[string, Error]>([
  ['a pause that is requested', new TransientError('wait', { retryAfterMs: 1000 })],
  ['an outage', new UnavailableError('away')],
  ['any other error', new RangeError('no')],
])('%s is no fault of the page, and nothing else is asked for', async (_what, error) => {
  const page = asking(answersAt(0), error);
  expect(await page.ask()).toBe(error);
  expect(page.sent).toEqual(['page']);
  const probe = asking(() => {
    throw error;
  });
  expect(await probe.ask()).toBe(error);
  expect(probe.sent).toEqual(['page', 0]);
});

test('a reading that is stopped asks for nothing more', async () => {
  const page = asking(answersAt(0));
  page.abort.abort();
  expect(await page.ask()).toBe(FAILURE);
  expect(page.sent).toEqual(['page']);
  const probe = asking(() => {
    probe.abort.abort();
    throw FAILURE;
  });
  await probe.ask();
  expect(probe.sent).toEqual(['page', 0]);
});
