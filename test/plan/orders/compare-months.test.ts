import { expect, test } from 'vitest';

import { decimalText, decimalUnits } from '../../../src/model/decimal.ts';
import {
  compareMonths,
  MonthBook,
  NO_MONTH,
  sumCurrencies,
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
      shop: { orders: 0, sum: '0.00' },
      warehouse: { orders: 1, sum: '0.01' },
      is_equal: false,
    },
    {
      month: '2026-02',
      currency: 'EUR',
      shop: { orders: 2, sum: '3.00' },
      warehouse: { orders: 2, sum: '3.00' },
      is_equal: true,
    },
    {
      month: '2026-02',
      currency: 'USD',
      shop: { orders: 1, sum: '1.00' },
      warehouse: { orders: 0, sum: '0.00' },
      is_equal: false,
    },
    {
      month: NO_MONTH,
      currency: 'EUR',
      shop: { orders: 1, sum: '0.05' },
      warehouse: { orders: 1, sum: '0.05' },
      is_equal: true,
    },
  ]);
});

test.each<[string, Entry, Entry]>([
  ['the same sum in another currency', ['2026-02', 'EUR', 1, 100n], ['2026-02', 'USD', 1, 100n]],
  ['no currency', ['2026-02', '', 1, 100n], ['2026-02', 'EUR', 1, 100n]],
  ['another sum', ['2026-02', 'EUR', 1, 100n], ['2026-02', 'EUR', 1, 101n]],
  ['another count', ['2026-02', 'EUR', 1, 100n], ['2026-02', 'EUR', 2, 100n]],
])('%s is a difference', (_what, ours, theirs) => {
  expect(compareMonths(book(ours), book(theirs)).some((month) => month.is_equal)).toBe(false);
});

test('orders are added up in whatever portions they come', () => {
  const once = book(['2026-02', 'EUR', 3, 600n]);
  const often = book(['2026-02', 'EUR', 1, 100n], ['2026-02', 'EUR', 2, 500n]);
  expect(compareMonths(once, often)).toMatchObject([{ is_equal: true }]);
});

test.each([
  ['1234.50', 123_450n],
  ['-1234.50', -123_450n],
  ['0.10', 10n],
  ['-0.05', -5n],
  ['0.00', 0n],
  ['99999999999999.99', 9_999_999_999_999_999n],
])('%s is read and written without loss', (text, cents) => {
  expect(decimalUnits(text)).toBe(cents);
  expect(decimalText(cents, 2)).toBe(text);
});

test('a sum without an order is zero', () => {
  expect(decimalUnits('0')).toBe(0n);
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
      shop: { orders: 3, sum: '1.50' },
      warehouse: { orders: 3, sum: '1.50' },
      is_equal: true,
    },
    {
      currency: 'USD',
      shop: { orders: 2, sum: '1.05' },
      warehouse: { orders: 2, sum: '1.05' },
      is_equal: false,
    },
  ]);
  expect(sumCurrencies([])).toEqual([]);
});
