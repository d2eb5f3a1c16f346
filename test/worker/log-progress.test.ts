import { afterEach, expect, test, vi } from 'vitest';

import type { Progress } from '../../src/sync/run/context.ts';
import { logProgress } from '../../src/worker/log-progress.ts';

afterEach(() => void vi.useRealTimers());

test('a long sweep logs once a minute what it has stored, though no day of it is complete', () => {
  vi.useFakeTimers();
  const lines: object[] = [];
  const logger = {
    debug: () => undefined,
    warn: () => undefined,
    info: (data: object) => void lines.push(data),
  };
  let progress: Progress = {
    phase: 'orders',
    daysTotal: undefined,
    daysDone: 0,
    ordersTotal: undefined,
    ordersRead: 430,
    orders: 0,
    ordersStored: 300,
    users: 0,
    requests: 568,
  };
  const log = logProgress(logger, 'north');
  vi.advanceTimersByTime(60_000);
  expect(lines, 'nothing is known yet').toEqual([]);
  log.watch(() => progress);
  vi.advanceTimersByTime(60_000);
  progress = { ...progress, ordersStored: 1800 };
  vi.advanceTimersByTime(60_000);
  log[Symbol.dispose]();
  vi.advanceTimersByTime(600_000);
  const days = { days_verified: 0, days_due: undefined };
  const common = { shop: 'north', phase: 'orders', ...days, orders_seen: 0, requests: 568 };
  expect(lines).toEqual([
    { ...common, orders_stored: 300 },
    { ...common, orders_stored: 1800 },
  ]);
});
