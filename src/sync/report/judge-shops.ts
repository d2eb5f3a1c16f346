import { judgeShop } from '../../plan/alerts/alert-causes.ts';
import type { Db, Tx } from '../../warehouse/db/database.ts';
import { readAlertFacts } from '../../warehouse/reports/alert-facts.ts';

/**
 * Which causes of alerts hold for each shop that is synced, and which do not: what the webhook, the metrics and the
 * reports say is read from here alone. One statement for all shops.
 */
export async function judgeShops(db: Db | Tx, now: Temporal.Instant, only?: string) {
  const facts = await readAlertFacts(db, now, only);
  return facts.flatMap((shop) => {
    const { shopId, shopKey } = shop;
    return judgeShop(shop, now).map((verdict) => ({ ...verdict, shopId, shopKey }));
  });
}
