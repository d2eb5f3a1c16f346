import { expect, test } from 'vitest';

import { createProbeQueries } from '../../src/shop-api/probe-queries.ts';

test('one of the probes spares the first order of the list, and one has dates that are past in every zone', () => {
  const now = Temporal.PlainDateTime.from('2026-03-15T10:30:00');
  const [first, second, dated, ...others] = createProbeQueries(now);
  expect([first, second, others]).toEqual([{ limit: 1 }, { start: 1, limit: 1 }, []]);
  const { dateFrom, dateTo, ...rest } = dated ?? {};
  expect(rest).toEqual({ limit: 1 });
  expect([String(dateFrom), String(dateTo)]).toEqual(['2026-03-08T10:30:00', '2026-03-14T10:30:00']);
});
