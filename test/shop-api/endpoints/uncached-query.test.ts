import { expect, test, vi } from 'vitest';

import { createUncachedQuery } from '../../../src/shop-api/endpoints/list-orders.ts';

test('what no cache can know is a second of a year before any shop', () => {
  const random = vi.spyOn(Math, 'random');
  const requestedAt = [0, 0.5, 0.999_999_999].map((value) => {
    random.mockReturnValueOnce(value);
    const { dateFrom, dateTo, ...rest } = createUncachedQuery();
    expect(rest).toEqual({ limit: 1 });
    return `${dateFrom?.toString()} to ${dateTo?.toString()}`;
  });
  random.mockRestore();
  expect(requestedAt).toEqual([
    '1971-01-01T00:00:00 to 1971-01-01T00:00:01',
    '1971-07-02T12:00:00 to 1971-07-02T12:00:01',
    '1971-12-31T23:59:59 to 1972-01-01T00:00:00',
  ]);
});
