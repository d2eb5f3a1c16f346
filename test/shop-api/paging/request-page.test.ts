/** A list request that fails for good: whether the shop is down, or fails at that request alone, or at its limit. */
import { expect, test } from 'vitest';

import { TransientError, UnavailableError } from '../../../src/model/errors.ts';
import type { OrdersPage, OrdersQuery } from '../../../src/shop-api/endpoints/list-orders.ts';
import { PageFault, requestPage } from '../../../src/shop-api/paging/request-page.ts';
import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { rejection } from '../api-of.ts';
import { local, pagingDeps } from './read-one.ts';

const ASKED: OrdersQuery = {
  start: 40,
  limit: 500,
  dateFrom: local('2026-03-05T00:00'),
  dateTo: local('2026-03-06T00:00'),
};
const FAILURE = new TransientError('the shop answered HTTP 500');
const EMPTY: OrdersPage = { rows: [], malformed: [], received: 0, keys: [], isKeyed: false, total: 0 };

/** Asks for a page, of a shop that fails at it, and answers requests for nothing up to a limit. */
function asking(served: number, error: Error = FAILURE, isPageServed = false) {
  const sent: string[] = [];
  const abort = new AbortController();
  const listOrders: ShopApi['listOrders'] = async ({ limit = 0, dateFrom }, _signal, retry) => {
    const isNothing = dateFrom?.year === 1971;
    sent.push(`${isNothing ? 'nothing' : 'page'} ${limit}${retry?.maxAttempts === 2 ? ' twice' : ''}`);
    if (limit <= served && (isNothing || isPageServed)) return EMPTY;
    if (served === -1) abort.abort();
    throw error;
  };
  const deps = { ...pagingDeps({ listOrders }), signal: abort.signal };
  return { deps, sent, abort, ask: () => rejection(requestPage(deps, ASKED)) };
}

test('where a request for nothing is answered, the fault lies in this one, and later ones are tried twice', async () => {
  const { ask, sent } = asking(500);
  for (let asked = 0; asked < 2; asked++) expect(await ask()).toBeInstanceOf(PageFault);
  expect(sent).toEqual(['page 500', 'nothing 500 twice', 'page 500 twice', 'nothing 500 twice']);
});

test.each([100, 20])('a shop that serves no more than %i rows is asked for so many', async (served) => {
  const { deps, sent } = asking(served, FAILURE, true);
  expect(await requestPage(deps, ASKED)).toBe(EMPTY);
  expect(deps.book.profile.limit).toBe(served);
  expect(sent.at(-1)).toBe(`page ${served} twice`);
});

const rows = (count: number): OrdersPage => ({ ...EMPTY, received: count });

test.each<[string, readonly number[], readonly number[], number]>([
  ['nothing at any limit', [0, 0, 0, 0], [500, 100, 20, 500], 500],
  ['rows at a lower limit', [0, 7, 0, 7], [500, 100, 500, 100], 100],
  ['rows at the lowest', [0, 0, 7, 0, 7], [500, 100, 20, 500, 20], 20],
  ['nothing by mistake', [0, 7, 9, 9], [500, 100, 500, 500], 500],
])('a widest list that holds %s: fewer rows are asked for once', async (_what, received, limits, limit) => {
  const sent: (number | undefined)[] = [];
  const left = [...received];
  const deps = pagingDeps({
    listOrders: async (query) => {
      sent.push(query.limit);
      return rows(left.shift() ?? expect.fail('no more is asked for'));
    },
  });
  const first = await requestPage(deps, {});
  expect(first.received).toBe(Math.max(...received.slice(0, -1)));
  await requestPage(deps, { limit: deps.book.profile.limit });
  expect({ sent, limit: deps.book.profile.limit }).toEqual({ sent: [undefined, ...limits.slice(1)], limit });
  // Less than all may well be nothing.
  left.push(0);
  await requestPage({ ...deps, book: { profile: deps.book.profile } }, ASKED);
});

test('where nothing is answered, the shop is down', async () => {
  const { ask, sent } = asking(0);
  expect(await ask()).toBe(FAILURE);
  expect(sent).toEqual(['page 500', 'nothing 500 twice', 'nothing 100 twice', 'nothing 20 twice']);
});

test.each<[string, Error]>([
  ['a pause that is requested', new TransientError('wait', { retryAfterMs: 1000 })],
  ['an outage', new UnavailableError('away')],
  ['any other error', new RangeError('no')],
])('%s is no fault of the page, and nothing else is asked for', async (_what, error) => {
  const { ask, sent } = asking(0, error);
  expect(await ask()).toBe(error);
  expect(sent).toEqual(['page 500']);
});

test('where a request for nothing fails otherwise, nothing else is asked for', async () => {
  for (const other of [new UnavailableError('away'), new RangeError('no')]) {
    const sent: (number | undefined)[] = [];
    const listOrders: ShopApi['listOrders'] = async ({ limit }) => {
      sent.push(limit);
      throw sent.length === 1 ? FAILURE : other;
    };
    expect(await rejection(requestPage(pagingDeps({ listOrders }), ASKED))).toBe(other);
    expect(sent).toEqual([500, 500]);
  }
});

test('a reading that is stopped asks for nothing more', async () => {
  const { ask, sent } = asking(-1);
  expect(await ask()).toBe(FAILURE);
  expect(sent).toEqual(['page 500']);
});
