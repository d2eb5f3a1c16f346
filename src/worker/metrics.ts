import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import { ALERT_CAUSES } from '../alert-facts.ts';
import type { EndedAttempt } from '../shop-api/shop-http.ts';
import type { ShopReport } from '../sync/report/shop-report.ts';
import type { SweepResult } from '../sync/sweep/sweep-shop.ts';
import type { QueueStats } from './queue.ts';
import type { RequestCount } from './status-page/shop-activity.ts';

/** What a scrape reports on besides this worker: nothing, where another worker reports on it. */
export type Scrape = {
  readonly shops: readonly Pick<ShopReport, 'status' | 'completeSince' | 'isLeased'>[];
  readonly now: Temporal.Instant;
  readonly queue: QueueStats | undefined;
  readonly isExporter: boolean;
};

/**
 * The worker's metrics in Prometheus' text format. Counters are of this process, so that those of all workers are to be
 * summed; gauges of shops and of the queue come from one worker.
 *
 * @param scrape reads the gauges, at every scrape
 */
export function createMetrics(scrape: () => Promise<Scrape>) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = (name: string, help: string, labels: string[]) =>
    new Counter({ name: `order_sync_${name}_total`, help, labelNames: ['shop', ...labels], registers });
  const requests = counter('requests', 'Requests to the shop, every attempt counted.', ['route', 'outcome']);
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
  const days = counter('verified', 'Days verified; a day counts every time.', []);
  const rejections = counter('rejections', 'Records and fields that could not be normalized.', []);
  const gauges = createGauges(registers);
  return {
    contentType: registry.contentType,
    countAttempt: (shop: string, { route, outcome, tookMs }: EndedAttempt) => {
      requests.inc({ shop, route, outcome });
      latency.observe({ shop, route }, tookMs / 1000);
    },
    /** @param result undefined for a sweep that failed */
    countSweep: (shop: string, result: Pick<SweepResult, 'counts' | 'status' | 'windows'> | undefined) => {
      sweeps.inc({ shop, status: result?.status ?? 'failed' });
      if (result === undefined) return;
      const { counts, windows: read } = result;
      windows.inc({ shop, verdict: 'proven' }, read.proven);
      windows.inc({ shop, verdict: 'unproven' }, read.unproven);
      retries.inc({ shop }, counts.retries);
      orders.inc({ shop, found: 'new' }, counts.orders_new);
      orders.inc({ shop, found: 'changed' }, counts.orders_changed);
      orders.inc({ shop, found: 'missing' }, counts.orders_missing);
      days.inc({ shop }, counts.days_verified);
      rejections.inc({ shop }, counts.rejections);
    },
    /** Requests of this process to a shop, for people. */
    countRequests: async (shop: string): Promise<readonly RequestCount[]> => {
      const { values } = await requests.get();
      return values
        .filter(({ labels }) => labels['shop'] === shop)
        .map(({ labels: { route, outcome }, value }) => ({
          route: String(route),
          outcome: String(outcome),
          count: value,
        }));
    },
    render: async () => {
      gauges.set(await scrape());
      return registry.metrics();
    },
  };
}

/** Gauges are reset at every scrape, so that a removed shop leaves none behind. */
function createGauges(registers: Registry[]): { set(scrape: Scrape): void } {
  const gauge = (name: string, help: string, labelNames: string[] = ['shop']) =>
    new Gauge({ name: `order_sync_${name}`, help, labelNames, registers });
  const due = gauge('due', 'Days due for verification; absent before the first day was read.');
  const age = gauge(
    'seconds_since_complete',
    'Seconds since a sweep last verified every due day, or since registration if none has.',
  );
  const open = gauge('open_rejections', 'Unresolved rejections.');
  const counts = createCountGauges(gauge);
  const leased = gauge('lease_held', '1 while a process syncs the shop.');
  const concurrency = gauge('concurrency', 'Maximum of requests in flight, as the last run left it.');
  const found = gauge(
    'found_requests_per_second',
    'Requests per second that the shop was found to take; absent without a limit.',
  );
  const limited = gauge('pace_limited', '1 while this keeps requests below what the settings allow.', [
    'shop',
    'by',
  ]);
  const circuit = gauge('circuit_open', '1 if the shop was considered down when it was last asked.');
  const alert = gauge('alert', '1 while the cause of an alert holds for the shop, as the webhook is told.', [
    'shop',
    'cause',
  ]);
  const jobs = gauge('queue_jobs', 'Sweeps over all workers, by state.', ['state']);
  const exporter = gauge('exporter', '1 on the worker that reports on the shops and the queue.', []);
  return {
    set({ shops, now, queue, isExporter }) {
      for (const each of [due, age, open, leased, concurrency, found, limited, circuit, alert, jobs])
        each.reset();
      counts.reset();
      exporter.set(Number(isExporter));
      for (const { status, completeSince, isLeased } of shops) {
        const { shop, days_due: daysDue, throttle } = status;
        open.set({ shop }, status.open_rejections);
        leased.set({ shop }, Number(isLeased));
        // No rule is to fire for it.
        if (status.paused_at !== null) continue;
        if (daysDue !== null) due.set({ shop }, daysDue);
        age.set({ shop }, now.since(completeSince).total('seconds'));
        for (const cause of ALERT_CAUSES)
          alert.set({ shop, cause }, Number(status.alerts.some((raised) => raised.cause === cause)));
        if (status.counts !== null) counts.set(shop, status.counts, now);
        if (throttle === null) continue;
        concurrency.set({ shop }, throttle.concurrency);
        if (throttle.found_rps !== null) found.set({ shop }, throttle.found_rps);
        if (throttle.limited_by !== null) limited.set({ shop, by: throttle.limited_by }, 1);
        circuit.set({ shop }, Number(throttle.circuit !== 'closed'));
      }
      for (const [state, count] of Object.entries(queue ?? {})) jobs.set({ state }, count);
    },
  };
}

type Counts = NonNullable<ShopReport['status']['counts']>;

/** How much of a shop's history was compared with its own counts, and when. */
function createCountGauges(gauge: (name: string, help: string, labelNames?: string[]) => Gauge) {
  const age = gauge('seconds_since_counted', 'Seconds since the shop was last asked to count its orders.');
  const orders = gauge('counted_orders', 'Orders held of the days that it counted.');
  const facets = gauge(
    'facets',
    'Ways it counts orders by, by use: asked, or set-aside since it was wrong.',
    ['shop', 'use'],
  );
  return {
    reset() {
      for (const each of [age, orders, facets]) each.reset();
    },
    set(shop: string, counts: Counts, now: Temporal.Instant) {
      age.set({ shop }, now.since(Temporal.Instant.from(counts.at)).total('seconds'));
      orders.set({ shop }, counts.orders);
      facets.set({ shop, use: 'asked' }, counts.facets);
      facets.set({ shop, use: 'set-aside' }, counts.set_aside.length);
    },
  };
}
