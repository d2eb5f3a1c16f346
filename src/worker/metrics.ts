import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import { ALERT_CAUSES } from '../model/alert-facts.ts';
import type { EndedAttempt } from '../shop-api/shop-api.ts';
import type { ShopReport } from '../sync/report/shop-report.ts';
import type { SweepResult } from '../sync/sweep/sweep-shop.ts';
import type { RunCounts } from '../warehouse/ops/runs.ts';
import type { TurnCounts } from '../warehouse/ops/turns.ts';

/** What a scrape reports on besides this worker. */
export type Scrape = {
  readonly shops: readonly Pick<ShopReport, 'status' | 'completeSince' | 'isLeased'>[];
  readonly now: Temporal.Instant;
  readonly turns: TurnCounts;
};

type SweptFigures = RunCounts & Pick<SweepResult, 'status' | 'windows_proven' | 'windows_unproven'>;

/**
 * The worker's metrics in Prometheus' text format. Counters are of this process, so that those of all workers are to be
 * summed; gauges of shops and of waiting sweeps are the same from every worker: of them the largest counts.
 *
 * @param scrape reads the gauges, at every scrape
 */
export function createMetrics(scrape: () => Promise<Scrape>) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = (name: string, help: string, labels: string[]) =>
    new Counter({ name: `order_sync_${name}_total`, help, labelNames: ['shop', ...labels], registers });
  const requests = counter('requests', 'Requests to the shop, including every attempt.', [
    'route',
    'outcome',
  ]);
  const latency = new Histogram({
    name: 'order_sync_request_seconds',
    help: 'Time from the first byte sent to the last byte read.',
    labelNames: ['shop', 'route'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const retries = counter('retries', 'Attempts after the first.', []);
  const sweeps = counter('sweeps', 'Sweeps by result.', ['status']);
  const windows = counter('windows', 'Windows read, by verdict.', ['verdict']);
  const orders = counter('orders', 'Orders by what a sweep found: new, changed or missing.', ['found']);
  const days = counter('verified', 'Days verified; a day counts each time it is verified.', []);
  const rejections = counter('rejections', 'Records and fields that could not be normalized.', []);
  return {
    countAttempt: (shop: string, { route, outcome, tookMs }: EndedAttempt) => {
      requests.inc({ shop, route, outcome });
      latency.observe({ shop, route }, tookMs / 1000);
    },
    /** @param result undefined for a sweep that failed */
    countSweep: (shop: string, result: SweptFigures | undefined) => {
      sweeps.inc({ shop, status: result?.status ?? 'failed' });
      if (result === undefined) return;
      windows.inc({ shop, verdict: 'proven' }, result.windows_proven);
      windows.inc({ shop, verdict: 'unproven' }, result.windows_unproven);
      retries.inc({ shop }, result.retries);
      orders.inc({ shop, found: 'new' }, result.orders_new);
      orders.inc({ shop, found: 'changed' }, result.orders_changed);
      orders.inc({ shop, found: 'missing' }, result.orders_missing);
      days.inc({ shop }, result.days_verified);
      rejections.inc({ shop }, result.rejections);
    },
    // Counters first: so whoever sees what a sweep did sees the gauges as that sweep left them, or a later one.
    render: async () => (await registry.metrics()) + (await renderGauges(await scrape())),
  };
}

type ShopGauge = readonly [
  name: string,
  help: string,
  /** A figure, or several by the label; absent where there is none. */
  read: (shop: Scrape['shops'][number], now: Temporal.Instant) => Figures,
  label?: string,
];
type Figures = number | null | undefined | Readonly<Record<string, number>>;

const SHOP_GAUGES: readonly ShopGauge[] = [
  ['open_rejections', 'Unresolved rejections.', ({ status }) => status.open_rejections],
  ['lease_held', '1 while a process syncs the shop.', ({ isLeased }) => Number(isLeased)],
];

/** No rule is to fire for a shop that is paused. */
const ACTIVE_SHOP_GAUGES: readonly ShopGauge[] = [
  [
    'due',
    'Days due for verification; absent before the first day was read.',
    ({ status }) => status.days_due,
  ],
  [
    'seconds_since_complete',
    'Seconds since a sweep last verified every due day, or since registration if none has.',
    ({ completeSince }, now) => now.since(completeSince).total('seconds'),
  ],
  [
    'seconds_since_counted',
    'Seconds since the shop was last asked to count its orders.',
    ({ status: { counts } }, now) => counts && now.since(Temporal.Instant.from(counts.at)).total('seconds'),
  ],
  ['counted_orders', 'Stored orders of the days that were counted.', ({ status }) => status.counts?.orders],
  [
    'facets',
    'Filters by which orders are counted, by use: asked, or suspended because a count was wrong.',
    ({ status: { counts } }) => counts && { asked: counts.facets, suspended: counts.suspended.length },
    'use',
  ],
  [
    'concurrency',
    'Limit of requests in flight at the end of the last run; absent before the first run.',
    ({ status }) => status.throttle?.concurrency,
  ],
  [
    'found_requests_per_second',
    'Requests per second that the shop accepts, as measured; absent without a limit.',
    ({ status }) => status.throttle?.found_rps,
  ],
  [
    'pace_limited',
    '1 while this keeps requests below what the settings allow.',
    ({ status: { throttle } }) => throttle?.limited_by && { [throttle.limited_by]: 1 },
    'by',
  ],
  [
    'circuit_open',
    '1 if the shop was considered down when it was last asked.',
    ({ status: { throttle } }) => throttle && Number(throttle.circuit !== 'closed'),
  ],
  [
    'alert',
    '1 while this cause of an alert applies to the shop.',
    ({ status: { alerts } }) =>
      Object.fromEntries(
        ALERT_CAUSES.map((cause) => [cause, Number(alerts.some((raised) => raised.cause === cause))]),
      ),
    'cause',
  ],
];

/** Of one scrape, so that a shop that is gone leaves none behind. */
function renderGauges({ shops, now, turns }: Scrape): Promise<string> {
  const registry = new Registry();
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name: `order_sync_${name}`, help, labelNames, registers: [registry] });
  const active = shops.filter(({ status }) => status.paused_at === null);
  for (const [among, gauges] of [
    [shops, SHOP_GAUGES],
    [active, ACTIVE_SHOP_GAUGES],
  ] as const) {
    for (const [name, help, read, label] of gauges) {
      const series = gauge(name, help, 'shop', ...(label === undefined ? [] : [label]));
      for (const each of among) {
        const { shop } = each.status;
        const figures = read(each, now) ?? {};
        if (typeof figures === 'number') series.set({ shop }, figures);
        else
          for (const [by, figure] of Object.entries(figures)) series.set({ shop, [label ?? '']: by }, figure);
      }
    }
  }
  const jobs = gauge('queue_jobs', 'Sweeps over all workers, by state.', 'state');
  for (const [state, count] of Object.entries(turns)) jobs.set({ state }, count);
  return registry.metrics();
}
