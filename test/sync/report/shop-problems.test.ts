import { expect, test } from 'vitest';

import { findProblems } from '../../../src/sync/report/shop-problems.ts';
import { throttle, run, shopJson } from '../../worker/status-json.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const problemsOf = (given: Parameters<typeof shopJson>[0]) => findProblems(shopJson(given), NOW);

test('a shop of which all is well has none', () => {
  expect(problemsOf({})).toEqual([]);
});

const partial = run({ status: 'partial', error: '3 days could not be proven' });

test.each([
  [
    'a partial run',
    { runs: [partial] },
    'warning',
    /^The last sync was partial: 3 days could not be proven\. The rest/,
  ],
  [
    'a failure, while the next run goes on',
    { runs: [run({ status: 'running' }), run({ status: 'failed', error: 'gone' })] },
    'error',
    /^The last sync failed: gone\. .* order-sync check --shop north/,
  ],
  [
    'nobody looking',
    { looked_at: '2026-03-10T09:00:00Z' },
    'error',
    /^No sweep has begun for 3 h\. .*worker running/,
  ],
  [
    'an outage',
    { throttle: throttle({ circuit: 'open', concurrency: 1 }) },
    'error',
    /^The shop did not answer .*circuit open.*address right/,
  ],
  [
    'a pause',
    { throttle: throttle({ paused_until: '2026-03-10T12:30:00Z' }) },
    'warning',
    /alone until 2026-03-10 12:30:00 UTC/,
  ],
  ['a slow shop', { throttle: throttle({ concurrency: 1 }) }, 'warning', /only 1 of 4 requests/],
  [
    'a wrong clock',
    { clock_warning: 'the newest order is ahead' },
    'warning',
    /^the newest order is ahead\. $/,
  ],
  ['orders without lines', { orders_without_lines: 1 }, 'warning', /^1 order without up-to-date lines/],
  ['rejections', { open_rejections: 2 }, 'warning', /^2 values .*order-sync rejections --shop north/],
  ['orders that are missing', { orders_missing: 2 }, 'task', /^2 orders no longer listed/],
  ['a replay', { is_replay_due: true }, 'task', /order-sync replay --shop north/],
  [
    'codes',
    { unclassified_statuses: [{ kind: 'order' as const, code: 'X1', orders: 3 }] },
    'task',
    /“X1” \(3 orders\).*core\.order_statuses/,
  ],
  ['fields', { order_fields_waiting: 1 }, 'task', /^1 extra order field hidden .*core\.order_form_fields/],
])('%s is told, with what to do about it', (_, given, weight, text) => {
  const found = problemsOf(given);
  expect(found.map((problem) => problem.weight)).toEqual([weight]);
  expect(
    found
      .map(({ what, advice }) => `${what} ${advice}`)
      .join()
      .replaceAll('`', ''),
  ).toMatch(text);
});

test('only the latest run counts', () => {
  expect(problemsOf({ runs: [run(), partial] })).toEqual([]);
});
