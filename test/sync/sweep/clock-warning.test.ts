import { expect, test } from 'vitest';

import type { OrdersQuery } from '../../../src/shop-api/endpoints/list-orders.ts';
import { listedClockSkew } from '../../../src/sync/sweep/clock-warning.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');

test.each([
  ['Asia/Vladivostok', '2026-03-10T22:00:00'],
  ['America/New_York', '2026-03-10T08:00:00'],
])('orders placed from now on are asked for by the clock of %s', async (timezone, from) => {
  const asked: OrdersQuery[] = [];
  const listOrders = async (query: OrdersQuery) => {
    asked.push(query);
    return { rows: [], malformed: [], received: 0, keys: [], isKeyed: false, total: 0 };
  };
  const { signal } = new AbortController();
  expect(await listedClockSkew({ listOrders }, { timezone, pageLimit: 500 }, NOW, signal)).toBeUndefined();
  expect(asked.map(({ dateFrom }) => dateFrom?.toString())).toEqual([from]);
});
