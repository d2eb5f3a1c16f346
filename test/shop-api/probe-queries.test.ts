import { expect, test, vi } from 'vitest';

import { createProbeQueries, createUncachedQuery } from '../../src/shop-api/endpoints/probe-queries.ts';

test('one of the probes spares the first order of the list, and one has dates that are past in every zone', () => {
  const now = Temporal.PlainDateTime.from('2026-03-15T10:30:00');
  const [first, second, dated, ...others] = createProbeQueries(now);
  expect([first, second, others]).toEqual([{ limit: 1 }, { start: 1, limit: 1 }, []]);
  const { dateFrom, dateTo, ...rest } = dated ?? {};
  expect(rest).toEqual({ limit: 1 });
  expect([String(dateFrom), String(dateTo)]).toEqual(['2026-03-08T10:30:00', '2026-03-14T10:30:00']);
});

test('what no cache can know is a second of a year before any shop', () => {
  const random = vi.spyOn(Math, 'random');
  const askedAt = [0, 0.5, 0.999_999_999].map((value) => {
    random.mockReturnValueOnce(value);
    const { dateFrom, dateTo, ...rest } = createUncachedQuery();
    expect(rest).toEqual({ limit: 1 });
    return `${dateFrom?.toString()} to ${dateTo?.toString()}`;
  });
  random.mockRestore();
  expect(askedAt).toEqual([
    '1971-01-01T00:00:00 to 1971-01-01T00:00:01',
    '1971-07-02T12:00:00 to 1971-07-02T12:00:01',
    '1971-12-31T23:59:59 to 1972-01-01T00:00:00',
  ]);
});
