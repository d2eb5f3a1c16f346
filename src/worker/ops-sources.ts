import type { FreshnessPolicy } from '../plan/freshness.ts';
import { readKeptReports } from '../sync/report/kept-reports.ts';
import { readShopDetails } from '../sync/report/shop-details.ts';
import { reportJson } from '../sync/report/shop-report.ts';
import type { Db } from '../warehouse/db/database.ts';
import { readWithin } from '../warehouse/db/read-within.ts';
import { holdRole } from '../warehouse/ops/worker-roles.ts';
import { createMetrics, readShopSamples, type Scrape } from './metrics.ts';
import type { OpsSources } from './ops-server.ts';
import type { SweepQueue } from './queue.ts';
import type { ShopRegistry } from './shop-registry.ts';

const TIMEOUT_MS = 5_000;
/** A worker that is not scraped for this long leaves the shops to another: longer than the usual scrape intervals. */
const EXPORTER_TTL_MS = 90_000;

export type WatchedWorker = {
  /** Not the pool of the sweeps, which may be busy. */
  readonly db: Db;
  readonly registry: Pick<ShopRegistry, 'find'>;
  readonly queue: Pick<SweepQueue, 'stats'>;
  /** Names this worker. */
  readonly holder: string;
  /** Of shops that are not configured here. */
  readonly freshness: FreshnessPolicy;
  readonly now: () => Temporal.Instant;
};

/** What the ops server shows of the shops: read with few statements, none of which outlives its asker. */
export function createSources({ db, registry, queue, holder, freshness, now }: WatchedWorker) {
  const findPolicy = (shopKey: string) => registry.find(shopKey)?.shop.freshness ?? freshness;
  const status: OpsSources['status'] = async () =>
    (await readWithin(db, TIMEOUT_MS, (tx) => readKeptReports(tx, findPolicy, now()))).map(reportJson);
  const shop: OpsSources['shop'] = async (shopKey) =>
    readWithin(db, TIMEOUT_MS, (tx) => readShopDetails(tx, shopKey, findPolicy(shopKey), now()));
  // On its own, or the workers would wait for each other's reading.
  const isExporter = async () =>
    readWithin(db, TIMEOUT_MS, (tx) => holdRole(tx, 'exporter', holder, EXPORTER_TTL_MS));
  const scrape = async (): Promise<Scrape> => {
    if (!(await isExporter())) return { shops: [], queue: undefined, isExporter: false };
    const reading = readWithin(db, TIMEOUT_MS, (tx) => readShopSamples(tx, now()));
    const [shops, stats] = await Promise.all([reading, queue.stats()]);
    return { shops, queue: stats, isExporter: true };
  };
  return { status, shop, metrics: createMetrics(scrape) };
}
