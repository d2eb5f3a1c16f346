import { expect, test } from 'vitest';

import { withScheme } from '../../src/cli/commands/setup/try-address.ts';
import { orderId, readAs, readDays, readOption } from '../../src/cli/options.ts';
import { zone } from '../../src/config/setting-types.ts';

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
  expect(() => range('2026-02-30')).toThrow('--from 2026-02-30 must be a day that exists');
  expect(() => range(undefined, 'yesterday')).toThrow('--to yesterday must be a day');
});

test('days are of the years 1970 to 2200, orders have numbers, and zones are known', () => {
  expect(range('1970-01-01', '2200-12-31')).toEqual(['1970-01-01', '2200-12-31']);
  for (const day of ['1969-12-31', '2201-01-01'])
    expect(() => range(day)).toThrow(`--from ${day} must be a day in the years 1970 to 2200`);
  expect(readAs(orderId, '100017')).toBe('100017');
  for (const given of ['A1', '-5', '0'])
    expect(() => readAs(orderId, given, 'order')).toThrow(`order ${given} must be a number, such as 100017`);
  expect([readAs(zone, 'europe/berlin'), readOption(zone, undefined, '--timezone')]).toEqual([
    'Europe/Berlin',
    undefined,
  ]);
  expect(() => readAs(zone, 'Berlin', '--timezone')).toThrow(
    /^--timezone Berlin must be .* mean Europe\/Berlin/,
  );
});

test('an address without a scheme gets https; other input is not changed', () => {
  expect(withScheme(' shop.example ')).toBe('https://shop.example');
  expect(withScheme('shop.example:8443/path')).toBe('https://shop.example:8443/path');
  expect(withScheme('http://127.0.0.1:80')).toBe('http://127.0.0.1:80');
  expect(withScheme('')).toBe('');
});
