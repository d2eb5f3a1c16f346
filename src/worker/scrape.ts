import { countDueDays } from '../sync/report/count-due-days.ts';
import type { Db } from '../warehouse/db/database.ts';
import { readLedger } from '../warehouse/ops/ledger.ts';
import { readShopGauges } from '../warehouse/reports/shop-gauges.ts';
import type { Fleet } from './shop-registry.ts';
import type { Scrape } from './metrics.ts';
import type { QueueFigures } from './queue.ts';

export type ScrapeDeps = {
  readonly db: Db;
  readonly fleet: Fleet;
  readonly now: () => Temporal.Instant;
};

/** Looks up what the metrics tell of every shop of the warehouse, of the queue, and of this worker's clients. */
export async function readScrape(
  { db, fleet, now }: ScrapeDeps,
  queueFigures: () => Promise<QueueFigures>,
): Promise<Scrape> {
  const [gauges, figures] = await Promise.all([readShopGauges(db), queueFigures()]);
  const shops = await Promise.all(
    gauges.map(async ({ shopId, shopKey, timezone, lastCompleteAt, openRejections, isLeased }) => {
      const policy = fleet.find(shopKey)?.shop.freshness;
      return {
        shop: shopKey,
        daysDue: policy && countDueDays(await readLedger(db, shopId), timezone, policy, now()),
        secondsSinceComplete: now().since(lastCompleteAt).total('seconds'),
        openRejections,
        isLeased,
      };
    }),
  );
  const clients = fleet.members.map(({ shop, api }) => ({ shop: shop.shopKey, api }));
  return { shops, queue: figures, clients };
}
