import { expect, test } from 'vitest';

import { TransientError } from '../../src/errors.ts';
import { Pace } from '../../src/http/pace.ts';
import { createProbe } from '../../src/http/probe.ts';
import type { HttpRequest } from '../../src/http/request.ts';
import { rejection } from '../shop-api/api-of.ts';

const REQUEST: HttpRequest<'orders', undefined> = {
  route: 'orders',
  method: 'GET',
  path: 'orders',
  judge: () => undefined,
  read: () => ({ value: undefined, shop: 'working' }),
};

test.each([
  [429, 'fewer in a second'],
  [503, 'fewer in a second'],
  [502, 'fewer at once'],
])('after a probe that failed with HTTP %i requests begin again %s', async (status, slower) => {
  const pace = new Pace({ maxConcurrency: 16, maxRps: 1_000 });
  const before = pace.concurrency;
  const probe = createProbe(
    () => [REQUEST],
    pace,
    () => Promise.reject(new TransientError('away', { status })),
  );
  await rejection(probe.send(undefined));
  expect(pace.concurrency < before).toBe(slower === 'fewer at once');
});
