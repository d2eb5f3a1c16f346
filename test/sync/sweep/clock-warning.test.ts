import { expect, test } from 'vitest';

import type { OrdersQuery } from '../../../src/shop-api/endpoints/list-orders.ts';
import { listedClockSkew } from '../../../src/sync/sweep/clock-warning.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const REST = { malformed: [], received: 0, keys: [], isKeyed: false, total: 0 };

test.each([
  ['Asia/Vladivostok', '2026-03-10T22:00:00'],
  ['America/New_York', '2026-03-10T08:00:00'],
])('the request for current orders uses the clock of %s', async (timezone, from) => {
  const asked: OrdersQuery[] = [];
  const listOrders = async (query: OrdersQuery) => {
    asked.push(query);
    return { rows: [], ...REST };
  };
  const { signal } = new AbortController();
  expect(await listedClockSkew({ listOrders }, { timezone, pageLimit: 500 }, NOW, signal)).toBeUndefined();
  expect(asked.map(({ dateFrom }) => dateFrom?.toString())).toEqual([from]);
});

test('an order dated by hand hides no wrong time zone, even if the shop lists it beyond the end that was asked for', async () => {
  const times = ['2099-01-01 10:00', '2026-03-10 22:00'];
  const rows = times.map((created, index) => ({ orderId: `${index + 1}`, raw: { created } }));
  const listOrders = async () => ({ rows, ...REST });
  const { signal } = new AbortController();
  const shop = { timezone: 'Europe/Berlin', pageLimit: 500 };
  expect(await listedClockSkew({ listOrders }, shop, NOW, signal)).toEqual({
    aheadMinutes: 9 * 60,
    fittingOffset: '+10:00',
  });
});
