import { expect, test } from 'vitest';

import { findProblems } from '../../../src/sync/report/shop-problems.ts';
import { throttle, run, shopJson } from '../../worker/status-json.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const problemsOf = (given: Parameters<typeof shopJson>[0]) => findProblems(shopJson(given), NOW);

test('a healthy shop has no problem', () => {
  expect(problemsOf({})).toEqual([]);
  expect(problemsOf({ compared: { at: '2026-03-09T10:00:00Z', orders_differing: 0 } })).toEqual([]);
});

const partial = run({ status: 'partial', error: '3 days could not be proven' });

test.each([
  [
    'a partial run',
    { runs: [partial] },
    'warning',
    /^The last sync was partial: 3 days could not be proven\. Run order-sync sync --shop north to try again; a worker does so by itself\.$/,
  ],
  [
    'a failure, while the next run goes on',
    { runs: [run({ status: 'running' }), run({ status: 'failed', error: 'gone' })] },
    'error',
    /^The last sync failed: gone\. A sync is trying again now\. order-sync check --shop north/,
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
    /requested a pause until 2026-03-10 12:30:00 UTC/,
  ],
  [
    'a shop that fails at times',
    { throttle: throttle({ limited_by: 'failures' }) },
    'warning',
    /rises again by itself/,
  ],
  [
    'lines that all orders contradict',
    { orders: 300, line_relations: [] },
    'warning',
    /^The lines of its orders match neither .*may be missing/,
  ],
  ['orders without lines', { orders_without_lines: 1 }, 'warning', /^1 order without up-to-date lines/],
  [
    'doubtful lines',
    { orders_without_lines: 3, orders_with_doubtful_lines: 2 },
    'warning',
    /^3 orders without .*In 2 of these, the lines contradict the count or sum/,
  ],
  ['rejections', { open_rejections: 2 }, 'warning', /^2 values .*order-sync rejections --shop north/],
  [
    'orders that are missing',
    { orders_missing: 2, confirmed_at: '2026-01-01T00:00:00Z' },
    'task',
    /^2 orders disappeared from the shop's list; the next sync confirms whether .* deleted\. Run order-sync sync --shop north for that/,
  ],
  [
    'a comparison that found differences',
    { compared: { at: '2026-03-09T10:00:00Z', orders_differing: 3 } },
    'warning',
    /^The verify of 2026-03-09 10:00:00 UTC found 3 orders of verified days to differ\. order-sync verify --repair --shop north /,
  ],
  ['a replay', { is_replay_due: true }, 'task', /order-sync replay --shop north/],
  [
    'codes',
    { unclassified_statuses: [{ kind: 'order' as const, code: 'X1', orders: 3 }] },
    'task',
    /“X1” \(3 orders\).*order-sync statuses set CODE --stage STAGE --shop north/,
  ],
  [
    'codes that are shown by their numbers',
    { unclassified_statuses: [{ kind: 'order' as const, code: '#3', orders: 3 }] },
    'task',
    /“#3” \(3 orders\).*order-sync statuses set CODE --stage STAGE --shop north/,
  ],
  [
    'payment codes',
    { unclassified_statuses: [{ kind: 'payment' as const, code: 'BANK', orders: 3 }] },
    'task',
    /^Payment codes .*“BANK” \(3 orders\).*order-sync statuses set CODE --payment --name NAME --shop north/,
  ],
  [
    'fields',
    { hidden_order_fields: ['gift'] },
    'task',
    /^Extra order fields that reports hide until you show them: gift\. .*order-sync fields show gift --shop north/,
  ],
])('%s is reported, with what to do about it', (_, given, weight, text) => {
  const found = problemsOf(given);
  expect(found.map((problem) => problem.weight)).toEqual([weight]);
  expect(
    found
      .map(({ what, advice }) => `${what} ${advice}`)
      .join()
      .replaceAll('`', ''),
  ).toMatch(text);
});

test('one cause is one problem', () => {
  const whatOf = (given: Parameters<typeof shopJson>[0]) => problemsOf(given).map(({ what }) => what);
  const failed = run({ status: 'failed', error: 'the shop answered HTTP 503' });
  expect(whatOf({ runs: [failed], throttle: throttle({ circuit: 'open' }) })).toEqual([
    'The last sync failed: the shop answered HTTP 503.',
  ]);
  const error = 'the shop lists no orders at all; that is not trusted';
  const day = { days_failed: 1, day_error: error, listed_orders: 0 };
  expect(whatOf({ runs: [run({ status: 'partial', error })], ...day })).toHaveLength(1);
  expect(whatOf({ runs: [run({ status: 'partial', error: 'another one' })], ...day })).toHaveLength(2);
});

test('of a shop that never listed an order, the problem says what that may mean', () => {
  const error = 'the shop lists no orders at all; its response for all times is not trusted';
  const facts = {
    runs: [run({ status: 'partial', error })],
    days_failed: 1,
    day_error: error,
    listed_orders: 0,
  };
  expect(problemsOf({ ...facts, orders: 0 })).toMatchObject([
    {
      what: 'The shop answers, and lists no orders.',
      advice: expect.stringContaining('permission to read them'),
    },
  ]);
  expect(problemsOf({ ...facts, orders: 1 })[0]?.what).toContain('The last sync was partial');
});

test('of a paused shop only how to resume it and open tasks are reported', () => {
  const paused = { paused_at: '2026-03-09T10:00:00Z', runs: [partial], hidden_order_fields: ['bonus'] };
  expect(problemsOf(paused)).toMatchObject([
    { weight: 'task', advice: '`order-sync shops resume north` brings it back.' },
    { weight: 'task', what: expect.stringContaining('bonus') },
  ]);
});

test('only the latest run counts', () => {
  expect(problemsOf({ runs: [run(), partial] })).toEqual([]);
});

const backfill = (given: Parameters<typeof run>[0]) => [run({ kind: 'backfill', ...given })];
const interrupted = { status: 'interrupted', error: 'asked to stop' } as const;
const texts = (given: Parameters<typeof shopJson>[0]) =>
  problemsOf({ days_due: null, ...given }).map(({ what, advice }) => `${what} ${advice}`);

test.each([
  [
    'an interrupted run that loaded nothing',
    interrupted,
    'The last backfill was interrupted. Run `order-sync backfill --shop north` to continue; a worker does so by itself.',
  ],
  [
    'an interrupted run that loaded something',
    { ...interrupted, orders_new: 1 },
    'The last backfill was interrupted. What it loaded is kept. Run `order-sync backfill --shop north` to continue; ' +
      'a worker does so by itself.',
  ],
  [
    'a run whose process died',
    { status: 'abandoned' as const },
    'The last backfill was abandoned: its process died. Run `order-sync backfill --shop north` to continue; ' +
      'a worker does so by itself.',
  ],
  [
    'a shop that was unreachable',
    { status: 'failed' as const, error: 'the shop is unreachable' },
    'The last backfill failed: the shop is unreachable. Run `order-sync backfill --shop north` to try again; ' +
      'a worker does so by itself. `order-sync check --shop north` tests the settings and the shop now.',
  ],
  [
    'an interrupted comparison, which no worker repeats',
    { ...interrupted, kind: 'verify' as const },
    'The last verify was interrupted. Run `order-sync verify --shop north` again to finish.',
  ],
])('%s is reported as it is', (_, given, text) => {
  expect(texts({ runs: backfill(given) })).toEqual([text]);
});

test('only a run that loaded something is said to have done so', () => {
  const [text] = texts({ runs: backfill({ status: 'partial', error: '1 day is open', days_verified: 3 }) });
  expect(text).toMatch(/^The last backfill was partial: 1 day is open\. The rest was loaded\. Run /);
});

test('an interrupted run is no problem once another sweep runs, or nothing is due', () => {
  const runs = backfill(interrupted);
  expect(texts({ runs: [run({ status: 'running' }), ...runs] })).toEqual([]);
  expect(texts({ runs, days_due: 0 })).toEqual([]);
  expect(texts({ runs: [run({ kind: 'verify', status: 'running' }), ...runs] })).toHaveLength(1);
  const comparison = backfill({ ...interrupted, kind: 'verify' });
  expect(texts({ runs: comparison, days_due: 0 }), 'no sweep goes on with it').toHaveLength(1);
});

test.each([
  { orders: 299, line_relations: [] },
  { orders: 300, line_relations: ['total'] },
  { orders: 300, line_relations: [], is_loaded: false },
])('lines are not reported as missing: %j', (given) => {
  expect(problemsOf(given)).toEqual([]);
});

test('an alert is reported once, by its cause or as the error of a run, whatever its wording', () => {
  const found = problemsOf({
    runs: [run({ status: 'failed', error: 'the login is refused' })],
    open_rejections: 2,
    alerts: [
      { cause: 'credentials', text: 'The shop refuses the login: the login is refused. Correct them.' },
      { cause: 'drift', text: 'The shop changed its API: login.' },
      { cause: 'stale', text: 'The shop has stale orders.' },
      { cause: 'rejections', text: 'The shop has 30 rejections.' },
      { cause: 'clock', text: 'The shop has a wrong clock: the newest order is 5 h ahead.' },
    ],
  });
  expect(found.map(({ what, cause }) => cause ?? what)).toEqual([
    'The last sync failed: the login is refused.',
    'stale',
    'rejections',
    'drift',
    'clock',
  ]);
  expect(found.slice(1), 'the gravest first').toMatchObject([
    { weight: 'error', what: 'The shop has stale orders.' },
    { weight: 'warning' },
    { weight: 'warning', what: 'The shop changed its API: login.' },
    { weight: 'warning' },
  ]);
});

test('what makes orders stale is an error, however its run ended', () => {
  const error = 'its rows kept shifting';
  const text = `The shop has stale orders: their target is 5 min: ${error}. Look at it.`;
  const alerts = [{ cause: 'stale' as const, text }];
  expect(problemsOf({ runs: [run({ status: 'partial', error })], alerts })).toMatchObject([
    { weight: 'error', what: 'The last sync was partial: its rows kept shifting.' },
  ]);
  expect(problemsOf({ days_failed: 1, day_error: error, alerts })).toMatchObject([
    { weight: 'error', what: '1 day could not be verified: its rows kept shifting.' },
  ]);
});

test('orders whose lines could not be fetched are counted only there', () => {
  const found = problemsOf({
    orders_without_lines: 3,
    open_rejections: 5,
    line_failures: [{ reason: 'HTTP 500', orders: 2, order_ids: ['1', '2'] }],
    runs: [run({ status: 'partial', error: 'the lines of order 1 could not be fetched: HTTP 500' })],
  });
  const ofDays = run({ status: 'partial', error: 'the orders of 09:00 cannot be read: HTTP 500' });
  const failures = [{ reason: 'HTTP 500', orders: 1, order_ids: ['1'] }];
  expect(
    problemsOf({ orders_without_lines: 1, line_failures: failures, runs: [ofDays] })[0]?.what,
    'not even where the shop fails alike',
  ).toContain('The last sync was partial');
  expect(found.map(({ what }) => what)).toEqual([
    expect.stringContaining('orders 1, 2 could not be fetched: HTTP 500'),
    '1 order without up-to-date lines.',
    '5 values could not be understood, and are left out.',
  ]);
});

test('singular and plural follow the numbers', () => {
  const said = (given: Parameters<typeof shopJson>[0]) =>
    problemsOf(given).map(({ what, advice }) => `${what} ${advice}`);
  const lines = (all: number, doubtful: number) =>
    said({ orders_without_lines: all, orders_with_doubtful_lines: doubtful });
  expect(lines(1, 1)[0]).toMatch(/^1 order without .* In each of these, the lines contradict/);
  expect(lines(3, 0)[0]).toMatch(/^3 orders without up-to-date lines\. They are fetched again/);
  expect(said({ open_rejections: 1 })[0]).toMatch(/^1 value could not be understood, and is left out\./);
  const codes = (kind: 'order' | 'payment', count: number) => ({
    unclassified_statuses: Array.from({ length: count }, (_, index) => ({
      kind,
      code: `X${index}`,
      orders: index + 1,
    })),
  });
  expect(said(codes('order', 5))[0]).toContain(
    ': “X0” (1 order), “X1” (2 orders), “X2” (3 orders), “X3” (4 orders), “X4” (5 orders).',
  );
  expect(said(codes('payment', 7))[0]).toContain('“X4” (5 orders), 2 more.');
  const code = { kind: 'order' as const, code: 'X1' };
  expect(said({ unclassified_statuses: [{ ...code, orders: 0 }] }), 'no order has it any more').toEqual([]);
  expect(said({ unclassified_statuses: [{ ...code, orders: null }] })[0], 'not counted yet').toContain(
    ': “X1”. Their',
  );
  const run3 = run({ status: 'partial', error: 'some', orders_new: 3 });
  for (const loaded of [
    run3,
    { ...run3, orders_new: 0, orders_changed: 3 },
    { ...run3, orders_new: 0, days_verified: 3 },
  ])
    expect(said({ runs: [loaded] })[0]).toContain('The rest was loaded.');
  expect(said({ runs: [{ ...run3, orders_new: 0 }] })[0]).not.toContain('loaded');
});
