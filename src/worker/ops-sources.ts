import { readShopDetails } from '../sync/report/shop-details.ts';
import { readShopReports } from '../sync/report/shop-report.ts';
import type { Db } from '../warehouse/db/database.ts';
import { readWithin } from '../warehouse/db/rows.ts';
import { countTurns } from '../warehouse/ops/turns.ts';
import { createMetrics, type Scrape } from './metrics.ts';
import type { OpsSources } from './ops-server.ts';

const TIMEOUT_MS = 5_000;

export type WatchedWorker = {
  /** Not the pool of the sweeps, which may be busy. */
  readonly db: Db;
  /** Of the configured shops. */
  readonly shopKeys: () => readonly string[];
  readonly now: () => Temporal.Instant;
};

/** What the ops server shows of the shops: read with few statements, none of which outlives its asker. */
export function createSources({ db, shopKeys, now }: WatchedWorker) {
  const status: OpsSources['status'] = async () => {
    const reports = await readWithin(db, TIMEOUT_MS, (tx) => readShopReports(tx, now()));
    return reports.map((report) => report.status);
  };
  const shop: OpsSources['shop'] = async (shopKey) =>
    readWithin(db, TIMEOUT_MS, (tx) => readShopDetails(tx, shopKey, now()));
  const scrape = async (): Promise<Scrape> =>
    readWithin(db, TIMEOUT_MS, async (tx) => {
      const shops = await readShopReports(tx, now());
      return { shops, now: now(), turns: await countTurns(tx, shopKeys()) };
    });
  return { status, shop, metrics: createMetrics(scrape) };
}
