import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { ShopApi } from '../shop-api/shop-api.ts';
import type { EndedAttempt } from '../shop-api/shop-http.ts';
import type { SweepResult } from '../sync/sweep/sweep-shop.ts';
import type { QueueFigures } from './queue.ts';

/** What a scrape reads of one shop; ages in seconds. */
type ShopFigures = {
  readonly shop: string;
  /** Undefined where that is not known: before the first day was read, and for a shop that is not configured here. */
  readonly daysDue: number | undefined;
  /** From the shop's registration where no sweep was ever complete, so that such a shop is not passed over in silence. */
  readonly secondsSinceComplete: number;
  readonly openRejections: number;
  readonly isLeased: boolean;
};

export type Scrape = {
  readonly shops: readonly ShopFigures[];
  readonly queue: QueueFigures;
  readonly clients: readonly { readonly shop: string; readonly api: ShopApi }[];
};

/** The worker's figures in Prometheus' text format. Counters are of this process; ages and days are of the shop. */
export type Metrics = {
  readonly contentType: string;
  readonly countAttempt: (shop: string, ended: EndedAttempt) => void;
  /** @param result undefined for a sweep that failed */
  readonly countSweep: (shop: string, result: SweepResult | undefined) => void;
  readonly render: () => Promise<string>;
};

/** @param scrape reads what is not counted here but looked up, at every scrape */
export function createMetrics(scrape: () => Promise<Scrape>): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = (name: string, help: string, labels: string[]) =>
    new Counter({ name: `order_sync_${name}_total`, help, labelNames: ['shop', ...labels], registers });
  const requests = counter('requests', 'Requests to the shop, every try counted.', ['route', 'outcome']);
  const latency = new Histogram({
    name: 'order_sync_request_seconds',
    help: 'Time from the first byte sent to the last byte read.',
    labelNames: ['shop', 'route'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const retries = counter('retries', 'Tries that were not the first.', []);
  const sweeps = counter('sweeps', 'Sweeps by how they ended.', ['status']);
  const windows = counter('windows', 'Windows read, by whether they could be proven.', ['verdict']);
  const orders = counter('orders', 'Orders by what a sweep found.', ['found']);
  const days = counter('days_verified', 'Days verified; a day counts each time.', []);
  const rejections = counter('rejections', 'Records and fields that could not be read.', []);
  const looked = lookedUp(registers);
  return {
    contentType: registry.contentType,
    countAttempt: (shop, { route, outcome, tookMs }) => {
      requests.inc({ shop, route, outcome });
      latency.observe({ shop, route }, tookMs / 1000);
    },
    countSweep: (shop, result) => {
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
    render: async () => {
      looked.set(await scrape());
      return registry.metrics();
    },
  };
}

/** Gauges that are set anew at every scrape, so that a shop that is gone leaves none behind. */
function lookedUp(registers: Registry[]): { set(scrape: Scrape): void } {
  const gauge = (name: string, help: string, labelNames: string[] = ['shop']) =>
    new Gauge({ name: `order_sync_${name}`, help, labelNames, registers });
  const due = gauge('days_due', 'Days that are due to be verified; absent before the first day was read.');
  const age = gauge(
    'seconds_since_complete',
    'Since a sweep last had verified every due day; since the shop was registered where none ever did.',
  );
  const open = gauge('open_rejections', 'Rejections that are not resolved.');
  const leased = gauge('lease_held', '1 while some process syncs the shop.');
  const concurrency = gauge('concurrency', 'Requests that may be in flight at once now.');
  const circuit = gauge('circuit_open', '1 while the shop is taken to be away.');
  const jobs = gauge('queue_jobs', 'Sweeps over all workers, by state.', ['state']);
  return {
    set({ shops, queue, clients }) {
      for (const each of [due, age, open, leased, concurrency, circuit]) each.reset();
      for (const { shop, daysDue, secondsSinceComplete, openRejections, isLeased } of shops) {
        if (daysDue !== undefined) due.set({ shop }, daysDue);
        age.set({ shop }, secondsSinceComplete);
        open.set({ shop }, openRejections);
        leased.set({ shop }, Number(isLeased));
      }
      for (const { shop, api } of clients) {
        concurrency.set({ shop }, api.health.concurrency);
        circuit.set({ shop }, Number(api.health.circuit !== 'closed'));
      }
      for (const [state, count] of Object.entries(queue)) jobs.set({ state }, count);
    },
  };
}
