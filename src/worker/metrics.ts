import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { EndedAttempt } from '../shop-api/shop-http.ts';
import { countDueDays } from '../sync/report/count-due-days.ts';
import type { SweepResult } from '../sync/sweep/sweep-shop.ts';
import type { Db } from '../warehouse/db/database.ts';
import { readLedger } from '../warehouse/ops/ledger.ts';
import { readShopGauges } from '../warehouse/reports/shop-gauges.ts';
import type { QueueStats } from './queue.ts';
import type { ShopRegistry } from './shop-registry.ts';

/** Reads the gauges of every shop of the warehouse, of the queue, and of this worker's clients. */
export async function readScrape(
  deps: { readonly db: Db; readonly registry: ShopRegistry; readonly now: () => Temporal.Instant },
  readQueue: () => Promise<QueueStats>,
) {
  const { db, registry, now } = deps;
  const [gauges, queue] = await Promise.all([readShopGauges(db), readQueue()]);
  const shops = await Promise.all(
    gauges.map(async ({ shopId, shopKey, timezone, lastCompleteAt, openRejections, isLeased }) => {
      const policy = registry.find(shopKey)?.shop.freshness;
      // Unknown before the first day was read, and for a shop that is not configured here.
      const daysDue = policy && countDueDays(await readLedger(db, shopId), timezone, policy, now());
      const secondsSinceComplete = now().since(lastCompleteAt).total('seconds');
      return { shop: shopKey, daysDue, secondsSinceComplete, openRejections, isLeased };
    }),
  );
  return { shops, queue, clients: registry.shops };
}

type Scrape = Awaited<ReturnType<typeof readScrape>>;

/**
 * The worker's metrics in Prometheus' text format. Counters are per process; ages and days per shop.
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
  const days = counter('days_verified', 'Days verified; a day counts every time.', []);
  const rejections = counter('rejections', 'Records and fields that could not be normalized.', []);
  const gauges = createGauges(registers);
  return {
    contentType: registry.contentType,
    countAttempt: (shop: string, { route, outcome, tookMs }: EndedAttempt) => {
      requests.inc({ shop, route, outcome });
      latency.observe({ shop, route }, tookMs / 1000);
    },
    /** @param result undefined for a sweep that failed */
    countSweep: (shop: string, result: SweepResult | undefined) => {
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
      gauges.set(await scrape());
      return registry.metrics();
    },
  };
}

/** Gauges are reset at every scrape, so that a removed shop leaves none behind. */
function createGauges(registers: Registry[]): { set(scrape: Scrape): void } {
  const gauge = (name: string, help: string, labelNames: string[] = ['shop']) =>
    new Gauge({ name: `order_sync_${name}`, help, labelNames, registers });
  const due = gauge('days_due', 'Days due for verification; absent before the first day was read.');
  const age = gauge(
    'seconds_since_complete',
    'Seconds since a sweep last verified every due day, or since registration if none has.',
  );
  const open = gauge('open_rejections', 'Unresolved rejections.');
  const leased = gauge('lease_held', '1 while a process syncs the shop.');
  const concurrency = gauge('concurrency', 'Current maximum of requests in flight.');
  const circuit = gauge('circuit_open', '1 while the shop is considered down.');
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
      for (const { shop: settings, api } of clients) {
        const shop = settings.shopKey;
        concurrency.set({ shop }, api.health.concurrency);
        circuit.set({ shop }, Number(api.health.circuit !== 'closed'));
      }
      for (const [state, count] of Object.entries(queue)) jobs.set({ state }, count);
    },
  };
}
