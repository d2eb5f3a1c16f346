import { expect, test } from 'vitest';

import { readDays } from '../../src/cli/options.ts';

const range = (from?: string, to?: string) => {
  const days = readDays({ ...(from && { from }), ...(to && { to }) });
  return [days.from, days.to].map((day) => day?.toString());
};

test('a range of days has one day or more, and either end may be open', () => {
  expect(range('2026-03-01', '2026-03-01')).toEqual(['2026-03-01', '2026-03-01']);
  expect(range('2026-02-28', '2026-03-01')).toEqual(['2026-02-28', '2026-03-01']);
  expect([range(), range('2026-03-01'), range(undefined, '2026-03-01')]).toEqual([
    [undefined, undefined],
    ['2026-03-01', undefined],
    [undefined, '2026-03-01'],
  ]);
});

test('a range that ends before it begins, and a day that does not exist, are refused with what was typed', () => {
  expect(() => range('2026-03-02', '2026-03-01')).toThrow('--from 2026-03-02 is later than --to 2026-03-01');
  expect(() => range('2026-02-30')).toThrow('--from 2026-02-30 is a day that does not exist');
  expect(() => range(undefined, 'yesterday')).toThrow('--to yesterday must be a day');
});
