import { expect, test } from 'vitest';

import { estimateText, namedText, replayText, sweepText } from '../../../src/cli/output/describe-sweep.ts';
import { currentThrottle, throttleJson } from '../../../src/sync/run/throttle-state.ts';
import { HEALTHY } from '../../support/healthy.ts';
import type { ReplayResult } from '../../../src/sync/replay/replay-shop.ts';
import type { SweepResult } from '../../../src/sync/sweep/sweep-shop.ts';

const RESULT: SweepResult = {
  shop: 'north',
  status: 'ok',
  error: null,
  orders_seen: 1_200,
  orders_new: 30,
  orders_changed: 20,
  orders_missing: 2,
  days_verified: 8,
  requests: 100,
  list_requests: 40,
  content_requests: 50,
  user_requests: 7,
  retries: 4,
  rejections: 0,
  problems: [],
  days_due: 8,
  is_beginning_due: false,
  is_cut: false,
  new_rejections: 0,
  orders_without_lines: 0,
  orders_with_doubtful_lines: 0,
  orders_with_failed_lines: 0,
  orders_deleted: 1,
  orders_unconfirmed: 0,
  confirmed_at: null,
  from: '2026-01-01',
  to: '2026-03-10',
  windows_proven: 8,
  windows_unproven: 0,
  warnings: [],
  seconds: 65,
  estimate: null,
  throttle: throttleJson(currentThrottle(HEALTHY), undefined),
};
const lines = (changed: Partial<SweepResult>) => sweepText({ ...RESULT, ...changed });
const partial = (changed: Partial<SweepResult>) => {
  const all = lines({ status: 'partial', ...changed });
  return all.slice(all.indexOf('Partial:') + 1);
};

test('the result of a sweep has four lines', () => {
  expect(lines({})).toEqual([
    'Shop north: 8 of 8 due days verified (history 2026-01-01 to 2026-03-10) in 1:05.',
    'Orders: 1,200 seen, 30 new, 20 changed, 2 newly missing, 1 confirmed as deleted.',
    'Requests: 100 (40 lists, 50 contents, 7 users, 3 groups), 4 retries.',
    expect.stringMatching(/^Pace: .+\.$/),
  ]);
});

test.each(['orders_seen', 'orders_new', 'orders_changed', 'orders_missing', 'orders_deleted', 'days_due'])(
  'nothing was due, unless something is to be reported: %s',
  (count) => {
    const counts = { orders_seen: 0, orders_new: 0, orders_changed: 0, orders_missing: 0, orders_deleted: 0 };
    const none = { ...counts, days_due: 0, days_verified: 0 };
    expect(lines(none)).toEqual(['Shop north: nothing was due.']);
    expect(lines({ ...none, [count]: 1 })).toHaveLength(4);
  },
);

test('orders without lines are reported, unless each is named as a problem of this sweep', () => {
  const later = '; they are retried at growing intervals.';
  expect(lines({ orders_without_lines: 3, orders_with_failed_lines: 3 })).toHaveLength(4);
  expect(lines({ orders_without_lines: 3, orders_with_failed_lines: 2 })[4]).toBe(
    `Without lines: 3 orders${later}`,
  );
  expect(lines({ orders_without_lines: 1, orders_with_doubtful_lines: 1 })[4]).toBe(
    `Without lines: 1 order, 1 of them with lines that contradict their count or sum${later}`,
  );
  expect(lines({ warnings: ['the clock is wrong', 'so is the zone'] }).slice(4)).toEqual([
    'Warning: the clock is wrong.',
    'Warning: so is the zone.',
  ]);
});

test('orders that disappeared are reported until that is confirmed', () => {
  const gone = { days_verified: 6, confirmed_at: '2026-03-10T12:05:00Z' };
  expect(lines({ ...gone, orders_unconfirmed: 2 })[4]).toBe(
    "2 orders disappeared from the shop's list; the next sync confirms whether they were deleted. Until then their days count as not verified.",
  );
  expect(lines({ ...gone, orders_unconfirmed: 1 })[4]).toMatch(/^1 order .* Until then its day counts as/);
});

test('a partial sweep says what is left, and when it will be done', () => {
  expect(partial({ days_due: 8 })).toEqual([]);
  expect(partial({ days_due: 9 })).toEqual(['  - 1 day is still due; the next run continues with them.']);
  expect(partial({ days_due: 1_010, is_beginning_due: true })).toEqual([
    '  - 1,002 days are still due, and so is everything before; the next run continues with them.',
  ]);
  expect(partial({ days_verified: 0 })).toEqual(['  - 8 days are still due; the next run tries them again.']);
  expect(partial({ new_rejections: 2 })).toEqual([
    '  - 2 new rejections; order-sync rejections --shop north lists them. The rest of the records is loaded.',
  ]);
  const problems = ['one', 'two', 'three', 'four', 'five', 'six'];
  expect(partial({ problems })).toEqual(['  - one.', '  - two.', '  - three.', '  - four.', '  - five.']);
  expect(lines({ status: 'ok', days_due: 9, new_rejections: 2, problems })).toHaveLength(4);
});

test('named orders are reported separately', () => {
  const named = (changed: Partial<SweepResult>) => namedText({ ...RESULT, ...changed });
  const counts = { orders_seen: 1, orders_new: 0, orders_changed: 1 };
  expect(named(counts)).toEqual(['Shop north: 1 order read again with its lines, 1 changed.']);
  const several = { ...counts, orders_seen: 3, orders_new: 1 };
  const warnings = ['order 7: the shop has no such order'];
  expect(named({ ...several, warnings })).toEqual([
    'Shop north: 3 orders read again with their lines, 2 changed.',
    'Not read: order 7: the shop has no such order.',
  ]);
  expect(named({ ...counts, status: 'partial', problems: ['order 7 has no lines'] }).slice(1)).toEqual([
    'Partial:',
    '  - order 7 has no lines.',
  ]);
});

test('an estimate names what is to be loaded, and what only to be compared', () => {
  const estimate = { orders: 1_000, listed: 1_000, requests: 1_030, seconds: 90, bytes: 5_000_000 };
  expect(estimateText('north', estimate, 50)).toMatch(
    /^Shop north: 1,000 orders to load by the shop's own count: .*, at up to 50 requests a second\. Ctrl-C is safe/,
  );
  expect(estimateText('north', { ...estimate, listed: 1_200 }, 50)).toContain(
    "by the shop's own count, 200 to compare: ",
  );
});

const REPLAYED: ReplayResult = {
  shop: 'north',
  status: 'ok',
  error: null,
  problems: [],
  normalizer_version: 7,
  resumed_from: null,
  records: 3_000,
  orders_added: 1,
  orders_changed: 2,
  lines_changed: 3,
  users_changed: 4,
  groups_changed: 5,
  rejections_new: 6,
  rejections_resolved: 7,
  rejections_open: 0,
  seconds: 10,
};

test('the result of a replay has three lines', () => {
  expect(replayText(REPLAYED)).toEqual([
    'Shop north: 3,000 records normalized again by normalizer 7 in 0:10 (300 records/s), without any request.',
    'Orders: 1 loaded for the first time, 2 corrected; lines: 3 corrected; users: 4; groups: 5.',
    'Rejections: 7 resolved, 6 new, 0 open.',
  ]);
  const open = { ...REPLAYED, rejections_open: 2 };
  expect(replayText(open)[2]).toMatch(/ 2 open; `order-sync rejections --shop north` lists them\.$/);
});

test('a resumed replay says where it resumed', () => {
  const resumed = (after: string | null) =>
    replayText({ ...REPLAYED, resumed_from: { stage: 'orders', after, records_done: 1_500 } })[0];
  expect(resumed('1017')).toBe(
    'Shop north: resumed after order 1017, where an earlier replay had stopped with 1,500 records done.',
  );
  expect(resumed(null)).toContain('resumed after order none, ');
});
