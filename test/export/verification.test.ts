import { expect, test } from 'vitest';

import { verificationOf } from '../../src/export/verification.ts';

const verified = (shop: string, month: string, as_of: string | null) => ({ shop, month, as_of });

test('each month has the verification time of its own days; one without rows in the ledger has that of the next row', () => {
  const months = [
    verified('north', '2026-01', '2026-04-01T00:00:00Z'),
    verified('south', '2026-01', '2026-04-02T00:00:00Z'),
    verified('south', '2026-03', '2026-04-03T00:00:00Z'),
    verified('south', '2026-04', null),
  ];
  const partitions = ['2026-01', '2026-02', '2026-03', '2026-04'].map((month) => ({ shop: 'south', month }));
  const found = verificationOf([...partitions, ...partitions], { months, unverified: [] });
  expect(found.map(({ shop, month, as_of }) => verified(shop, month, as_of))).toEqual([
    verified('south', '2026-01', '2026-04-02T00:00:00Z'),
    verified('south', '2026-02', '2026-04-03T00:00:00Z'),
    verified('south', '2026-03', '2026-04-03T00:00:00Z'),
    verified('south', '2026-04', null),
  ]);
});

test('each month lists its own unverified days; files without a shop or month list none', () => {
  const days = [
    { from: null, to: '2026-01-31' },
    { from: '2026-02-27', to: '2026-03-01' },
    { from: '2026-03-31', to: '2026-03-31' },
  ];
  const shop = {
    missing_orders: 0,
    confirmed_at: null,
    first_day: '2026-01-01',
    last_day: '2026-03-31',
    line_days: [{ from: '2026-02-10', to: '2026-02-11' }],
  };
  const unverified = [
    { ...shop, shop: 'south', days: [], line_days: [] },
    { ...shop, shop: 'north', days },
  ];
  const months = ['2026-01', '2026-02', '2026-03', '2026-04', null].map((month) => ({
    shop: 'north',
    month,
  }));
  const found = verificationOf([...months, { shop: null, month: '2026-01' }], { unverified, months: [] });
  const span = (from: string, to = from) => ({ from, to });
  const none = { shop: 'north', as_of: null, unverified_lines: [] };
  expect(found).toEqual([
    { ...none, month: '2026-01', unverified: [span('2026-01-01', '2026-01-31')] },
    {
      ...none,
      month: '2026-02',
      unverified: [span('2026-02-27', '2026-02-28')],
      unverified_lines: [span('2026-02-10', '2026-02-11')],
    },
    { ...none, month: '2026-03', unverified: [span('2026-03-01'), span('2026-03-31')] },
    { ...none, month: '2026-04', unverified: [] },
  ]);
});
