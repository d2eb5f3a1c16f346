/** Each figure of a sweep and of the shops goes to its own series. */
import { expect, test } from 'vitest';

import { ALERT_CAUSES } from '../../src/model/alert-facts.ts';
import { createMetrics } from '../../src/worker/metrics.ts';
import { run, shopJson, throttle } from './status-json.ts';

const now = Temporal.Instant.from('2026-03-10T12:00:00Z');
const NOTHING = { shops: [], now, turns: { queued: 0, active: 0, failed: 0 } };
const NO_JOBS = {
  'queue_jobs{state="queued"}': 0,
  'queue_jobs{state="active"}': 0,
  'queue_jobs{state="failed"}': 0,
};

/** The series of our own metrics, but for the buckets of histograms. */
async function seriesOf(
  metrics: ReturnType<typeof createMetrics>,
): Promise<Readonly<Record<string, number>>> {
  const lines = (await metrics.render()).split('\n').filter((line) => /^order_sync_(?!.*_bucket)/.test(line));
  return Object.fromEntries(
    lines.map((line) => [
      line.slice('order_sync_'.length, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' '))),
    ]),
  );
}

test('a sweep is counted by its result, and each of its figures for itself', async () => {
  const metrics = createMetrics(async () => NOTHING);
  const { run_id: _id, ...counts } = run({
    retries: 2,
    days_verified: 3,
    orders_new: 5,
    orders_changed: 7,
    orders_missing: 11,
    rejections: 13,
  });
  metrics.countSweep('north', { ...counts, status: 'partial', windows_proven: 17, windows_unproven: 19 });
  metrics.countSweep('north', { ...counts, status: 'ok', windows_proven: 0, windows_unproven: 0 });
  metrics.countSweep('north', undefined);
  metrics.countSweep('south', undefined);
  const own = (labels: string) => `{shop="north"${labels}}`;
  expect(await seriesOf(metrics)).toEqual({
    [`sweeps_total${own(',status="partial"')}`]: 1,
    [`sweeps_total${own(',status="ok"')}`]: 1,
    [`sweeps_total${own(',status="failed"')}`]: 1,
    'sweeps_total{shop="south",status="failed"}': 1,
    [`windows_total${own(',verdict="proven"')}`]: 17,
    [`windows_total${own(',verdict="unproven"')}`]: 19,
    [`retries_total${own('')}`]: 4,
    [`verified_total${own('')}`]: 6,
    [`orders_total${own(',found="new"')}`]: 10,
    [`orders_total${own(',found="changed"')}`]: 14,
    [`orders_total${own(',found="missing"')}`]: 22,
    [`rejections_total${own('')}`]: 26,
    ...NO_JOBS,
  });
});

test('requests are counted by shop, route and outcome, and timed in seconds', async () => {
  const metrics = createMetrics(async () => NOTHING);
  metrics.countAttempt('north', { route: 'orders', outcome: 'ok', tookMs: 1_500 });
  metrics.countAttempt('north', { route: 'orders', outcome: 'ok', tookMs: 500 });
  metrics.countAttempt('north', { route: 'content', outcome: 'transient', tookMs: 250 });
  const limits = (await metrics.render()).matchAll(
    /route="orders",?.*le="([^"]+)"|le="([^"]+)".*route="orders"/g,
  );
  expect([...limits].map(([, first, other]) => first ?? other).join(' ')).toBe(
    '0.05 0.1 0.25 0.5 1 2.5 5 10 30 +Inf',
  );
  metrics.countAttempt('south', { route: 'orders', outcome: 'ok', tookMs: 1 });
  expect(await seriesOf(metrics)).toMatchObject({
    'requests_total{shop="north",route="orders",outcome="ok"}': 2,
    'requests_total{shop="north",route="content",outcome="transient"}': 1,
    'request_seconds_sum{shop="north",route="orders"}': 2,
    'request_seconds_count{shop="north",route="orders"}': 2,
    'request_seconds_sum{shop="north",route="content"}': 0.25,
  });
});

test('the gauges are those of the last scrape: a shop that is gone leaves none behind', async () => {
  const completeSince = now.subtract({ minutes: 1 });
  const alerts = [{ cause: 'stale' as const, text: 'has stale orders' }];
  const status = { days_due: 1, open_rejections: 2 };
  const counts = {
    at: now.subtract({ seconds: 30 }).toString(),
    through: '2026-03-08',
    orders: 12_000,
    facets: 27,
    requests_per_hour: 1_620,
    suspended: [{ facet: "status ''", reason: 'counts 3 orders', until: now.toString() }],
  };
  const causes = (shop: string, ...raised: readonly string[]) =>
    Object.fromEntries(
      ALERT_CAUSES.map((cause) => [`alert{shop="${shop}",cause="${cause}"}`, Number(raised.includes(cause))]),
    );
  const slow = { concurrency: 3 };
  const north = shopJson({
    ...status,
    alerts,
    counts,
    throttle: throttle({ ...slow, circuit: 'half-open' }),
  });
  const others = [
    shopJson({ ...status, shop: 'south', days_due: null, throttle: throttle(slow) }),
    // No rule is to fire for it.
    shopJson({ ...status, shop: 'west', alerts, paused_at: now.toString() }),
  ].map((given) => ({ status: given, completeSince, isLeased: false }));
  const shops = [{ status: north, completeSince, isLeased: true }, ...others];
  const scrapes = [{ shops, now, turns: { queued: 5, active: 6, failed: 7 } }, NOTHING];
  const metrics = createMetrics(async () => scrapes.shift() ?? NOTHING);
  expect(await seriesOf(metrics)).toEqual({
    'due{shop="north"}': 1,
    'seconds_since_complete{shop="north"}': 60,
    'seconds_since_complete{shop="south"}': 60,
    'open_rejections{shop="north"}': 2,
    'open_rejections{shop="south"}': 2,
    'open_rejections{shop="west"}': 2,
    'seconds_since_counted{shop="north"}': 30,
    'counted_orders{shop="north"}': 12_000,
    'facets{shop="north",use="asked"}': 27,
    'facets{shop="north",use="suspended"}': 1,
    'lease_held{shop="north"}': 1,
    'lease_held{shop="south"}': 0,
    'lease_held{shop="west"}': 0,
    'concurrency{shop="north"}': 3,
    'concurrency{shop="south"}': 3,
    'circuit_open{shop="north"}': 1,
    'circuit_open{shop="south"}': 0,
    ...causes('north', 'stale'),
    ...causes('south'),
    'queue_jobs{state="queued"}': 5,
    'queue_jobs{state="active"}': 6,
    'queue_jobs{state="failed"}': 7,
  });
  expect(await seriesOf(metrics)).toEqual(NO_JOBS);
});

test('gauges are never older than what was counted: a sweep that ends while they are read waits for the next scrape', async () => {
  const read = Promise.withResolvers<void>();
  const metrics = createMetrics(async () => {
    await read.promise;
    return NOTHING;
  });
  const scraped = seriesOf(metrics);
  await new Promise(setImmediate);
  metrics.countSweep('north', undefined);
  read.resolve();
  expect(await scraped).toEqual(NO_JOBS);
});
