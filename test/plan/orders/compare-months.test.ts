import { expect, test } from 'vitest';

import {
  compareMonths,
  fromCents,
  MonthBook,
  NO_MONTH,
  sumCurrencies,
  toCents,
} from '../../../src/plan/orders/compare-months.ts';

type Entry = readonly [month: string, currency: string, orders: number, cents: bigint];

function book(...entries: readonly Entry[]): MonthBook {
  const months = new MonthBook();
  for (const [month, currency, orders, cents] of entries) months.add({ month, currency }, orders, cents);
  return months;
}

test('months are compared per currency, in order, those without a date last', () => {
  const shop = book([NO_MONTH, 'EUR', 1, 5n], ['2026-02', 'USD', 1, 100n], ['2026-02', 'EUR', 2, 300n]);
  const warehouse = book(['2025-12', 'EUR', 1, 1n], ['2026-02', 'EUR', 2, 300n], [NO_MONTH, 'EUR', 1, 5n]);
  expect(compareMonths(shop, warehouse)).toEqual([
    {
      month: '2025-12',
      currency: 'EUR',
      shop: { orders: 0, cents: 0n },
      warehouse: { orders: 1, cents: 1n },
      isEqual: false,
    },
    {
      month: '2026-02',
      currency: 'EUR',
      shop: { orders: 2, cents: 300n },
      warehouse: { orders: 2, cents: 300n },
      isEqual: true,
    },
    {
      month: '2026-02',
      currency: 'USD',
      shop: { orders: 1, cents: 100n },
      warehouse: { orders: 0, cents: 0n },
      isEqual: false,
    },
    {
      month: NO_MONTH,
      currency: 'EUR',
      shop: { orders: 1, cents: 5n },
      warehouse: { orders: 1, cents: 5n },
      isEqual: true,
    },
  ]);
});

test.each<[string, Entry, Entry]>([
  ['the same sum in another currency', ['2026-02', 'EUR', 1, 100n], ['2026-02', 'USD', 1, 100n]],
  ['no currency', ['2026-02', '', 1, 100n], ['2026-02', 'EUR', 1, 100n]],
  ['another sum', ['2026-02', 'EUR', 1, 100n], ['2026-02', 'EUR', 1, 101n]],
  ['another count', ['2026-02', 'EUR', 1, 100n], ['2026-02', 'EUR', 2, 100n]],
])('%s is a difference', (_what, ours, theirs) => {
  expect(compareMonths(book(ours), book(theirs)).some(({ isEqual }) => isEqual)).toBe(false);
});

test('orders are added up in whatever portions they come', () => {
  const once = book(['2026-02', 'EUR', 3, 600n]);
  const often = book(['2026-02', 'EUR', 1, 100n], ['2026-02', 'EUR', 2, 500n]);
  expect(compareMonths(once, often)).toMatchObject([{ isEqual: true }]);
});

test.each([
  ['1234.50', 123_450n],
  ['-1234.50', -123_450n],
  ['0.10', 10n],
  ['-0.05', -5n],
  ['0.00', 0n],
  ['99999999999999.99', 9_999_999_999_999_999n],
])('%s is read and written without loss', (text, cents) => {
  expect(toCents(text)).toBe(cents);
  expect(fromCents(cents)).toBe(text);
});

test('a sum without an order is zero', () => {
  expect(toCents('0')).toBe(0n);
});

test('all months of a currency are added up on both sides, and differ if one of them does', () => {
  const both = [
    ['2025-12', 'USD', 1, 5n],
    ['2026-01', 'EUR', 2, 200n],
    [NO_MONTH, 'EUR', 1, -50n],
  ] as const;
  const shop = book(...both, ['2026-01', 'USD', 1, 100n]);
  const warehouse = book(...both, ['2026-02', 'USD', 1, 100n]);
  expect(sumCurrencies(compareMonths(shop, warehouse))).toEqual([
    {
      currency: 'EUR',
      shop: { orders: 3, cents: 150n },
      warehouse: { orders: 3, cents: 150n },
      isEqual: true,
    },
    {
      currency: 'USD',
      shop: { orders: 2, cents: 105n },
      warehouse: { orders: 2, cents: 105n },
      isEqual: false,
    },
  ]);
  expect(sumCurrencies([])).toEqual([]);
});
