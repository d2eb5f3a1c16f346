import { expect, test } from 'vitest';

import { verificationOf } from '../../src/export/verification.ts';

const verified = (shop: string, month: string, as_of: string | null) => ({ shop, month, as_of });

test('each month was verified when its own days were; one that the ledger does not name, with the next that it does', () => {
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

test('of unverified days that reach beyond a month, it names those that lie in it', () => {
  const days = [{ from: '2026-01-30', to: '2026-03-02' }];
  const line_days = [{ from: null, to: '2026-01-03' }];
  const partitions = ['2026-01', '2026-02', '2026-03', '2026-04'].map((month) => ({ shop: 'south', month }));
  const found = verificationOf(partitions, {
    months: [],
    unverified: [
      {
        shop: 'south',
        first_day: null,
        last_day: '2026-04-30',
        days,
        line_days,
        missing_orders: 0,
        confirmed_at: null,
      },
    ],
  });
  expect(found.map(({ unverified }) => unverified)).toEqual([
    [{ from: '2026-01-30', to: '2026-01-31' }],
    [{ from: '2026-02-01', to: '2026-02-28' }],
    [{ from: '2026-03-01', to: '2026-03-02' }],
    [],
  ]);
  expect(found.flatMap((month) => month.unverified_lines)).toEqual([
    { from: '2026-01-01', to: '2026-01-03' },
  ]);
});
