import { expect, test } from 'vitest';

import { toSeries } from '../../../src/sync/report/daily-series.ts';

const firstDay = Temporal.PlainDate.from('2026-01-01');
const DAYS = 30;
const calendar = { firstDay, states: Array.from({ length: DAYS }, () => 'verified' as const) };
const on = (day: number, currency: string | null, orders = 1, revenue = 10) => ({
  day: firstDay.add({ days: day }).toString(),
  currency,
  orders,
  revenue,
});
const currencies = (...figures: Parameters<typeof toSeries>[1]) =>
  toSeries(calendar, figures).sales.map(({ currency }) => currency);
const daily = (currency: string, days: number) => Array.from({ length: days }, (_, day) => on(day, currency));

test('orders of a day are of all currencies, sales of each, the most used one first', () => {
  const { orders, sales } = toSeries(calendar, [
    on(0, 'EUR', 1, 10),
    on(0, 'RUB', 2, 500),
    on(2, 'RUB', 3, 700),
    // Beyond both ends.
    on(-1, 'USD', 5),
    on(DAYS, 'USD', 5),
  ]);
  expect(orders.slice(0, 4)).toEqual([3, 0, 3, 0]);
  expect(orders).toHaveLength(DAYS);
  expect(sales.map(({ currency, revenue }) => [currency, revenue.slice(0, 4)])).toEqual([
    ['RUB', [500, 0, 700, 0]],
    ['EUR', [10, 0, 0, 0]],
  ]);
});

test('a currency that is no code or sign is shown only if it is short and usual: it may name a person', () => {
  expect(currencies(on(0, 'usd'), on(0, null), on(0, '₽'), on(0, 'Whitfield'), on(0, 'Ann'))).toEqual([
    'usd',
    null,
    '₽',
  ]);
  expect(currencies(...daily('руб.', 20))).toEqual(['руб.']);
  expect(currencies(...daily('руб.', 19))).toEqual([]);
  expect(currencies(...daily('рублей', 30))).toEqual([]);
  const { orders } = toSeries(calendar, [on(0, 'Whitfield', 4)]);
  expect(orders[0], 'its orders count').toBe(4);
});

test('without a calendar there is no series', () => {
  expect(toSeries(undefined, [on(0, 'EUR')])).toEqual({ orders: [], sales: [] });
});
