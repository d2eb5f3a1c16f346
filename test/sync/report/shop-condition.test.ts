import { describe, expect, test } from 'vitest';

import { describeCondition } from '../../../src/sync/report/shop-condition.ts';
import type { ShopStatusJson } from '../../../src/sync/report/shop-report.ts';
import { run, shopJson, throttle } from '../../worker/status-json.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const later = throttle({ paused_until: '2026-03-10T12:30:00.5Z' });
const failed = run({ status: 'failed' });
const estimate = { orders: 1000, requests: 1304, seconds: 131, bytes: 4_300_000 };

/** In its first load, or before. */
const loading = { days_due: 1, days_unverified: 1, is_loaded: false };

const states: readonly (readonly [string, Partial<ShopStatusJson>, string])[] = [
  ['that has nothing due is complete', {}, 'complete'],
  [
    'whose last orders are gone from the list says how many days that concerns',
    { days_due: 0, days_unverified: 2, orders_missing: 3 },
    'complete, but 2 days to be confirmed',
  ],
  [
    'whose days are older than their targets is complete, and says its age',
    { days_due: 2 },
    'complete, 3 min old',
  ],
  [
    'with a day that was never read is catching up',
    { days_due: 3, days_unverified: 1 },
    'catching up, 1 day to read',
  ],
  [
    'whose days were verified by a clock that ran ahead is not complete',
    { days_due: 35, newest_verified_at: null },
    'catching up, 35 days to verify',
  ],
  ['with many says how many', { days_due: 1234, days_unverified: 1234 }, 'catching up, 1,234 days to read'],
  ['that was only registered is new', { days_due: null, runs: [] }, 'not swept yet'],
  [
    'of which no day can be verified is failing',
    { days_due: 3, days_failed: 1, days_verified: 0, is_loaded: false },
    'failing, no day could be verified',
  ],
  [
    'that lists no orders, and never did, is new',
    { days_due: 1, days_failed: 1, days_verified: 0, is_loaded: false, listed_orders: 0 },
    'no orders yet',
  ],
  [
    'that lists no orders any more is failing',
    { ...loading, days_due: 3, days_failed: 1, days_verified: 0, listed_orders: 0, orders: 7 },
    'failing, no day could be verified',
  ],
  [
    'in its first load says what was read of it',
    { ...loading, days_verified: 23 },
    'first load, 23 days read',
  ],
  [
    'in its first load says what is left of it',
    { ...loading, days_verified: 23, orders: 660, estimate },
    'first load, 660 of about 1,660 orders, about 2 min left',
  ],
  [
    'whose first day is being read is in its first load',
    { days_due: null, days_verified: 0, runs: [run({ kind: 'backfill', status: 'running' })] },
    'first load, no day read yet; backfill running',
  ],
  ['whose first sweep failed is failing', { days_due: null, runs: [failed] }, 'failing'],
  ['whose last sweep failed is failing while nothing is due yet', { runs: [failed, run()] }, 'failing'],
  ['that fails says what is due', { days_due: 3, runs: [failed] }, 'failing, 3 days due'],
  [
    'that failed before anything was read says so',
    { ...loading, days_verified: 0, orders: 0, runs: [failed] },
    'failing, nothing read yet',
  ],
  [
    'that failed in its first load says what was read',
    { ...loading, days_verified: 40, runs: [failed] },
    'failing, 40 days read',
  ],
  [
    'whose days are all verified is in its first load until all else is read',
    { days_due: 0, days_verified: 40, is_loaded: false, runs: [run({ status: 'running' })] },
    'first load, 40 days read; sync running',
  ],
  [
    'that is retried after a failure is still failing',
    { days_due: 3, runs: [run({ status: 'running' }), failed] },
    'failing, 3 days due; sync running',
  ],
  [
    'that is being compared says so',
    { runs: [run({ kind: 'verify', status: 'running' }), run()] },
    'complete; verify running',
  ],
  [
    'whose sweep is partial is catching up',
    { days_due: 2, days_unverified: 2, runs: [run({ status: 'partial' }), failed] },
    'catching up, 2 days to read',
  ],
  [
    'with a failed verification is still complete',
    { runs: [run({ kind: 'verify', status: 'failed' }), run()] },
    'complete',
  ],
  [
    'that somebody paused says since when',
    { days_due: 3, runs: [failed], paused_at: '2026-03-09T10:00:00Z' },
    'paused since 2026-03-09 10:00:00 UTC',
  ],
  [
    'that requested a pause is paused, to the second',
    { days_due: 3, runs: [failed], throttle: later },
    'paused until 2026-03-10 12:30:01 UTC',
  ],
  ['whose pause is over is not paused', { throttle: throttle({ paused_until: NOW.toString() }) }, 'complete'],
  [
    'of which a range of old days alone was read is not complete',
    { days_due: 2_000, days_verified: 1, first_day: '2020-01-01', last_day: '2020-01-01' },
    'catching up, 2,000 days to verify',
  ],
  ['of which nothing was noted is told by its days', { throttle: null }, 'complete'],
];

describe('a shop', () => {
  test.each(states)('%s', (_, given, text) => {
    const facts = {
      days_verified: 60,
      orders: 0,
      newest_verified_at: '2026-03-10T11:56:30Z',
      runs: [run()],
      ...given,
    };
    expect(describeCondition(shopJson({ throttle: throttle(), ...facts }), NOW).text).toBe(text);
  });
});
