import type { FreshnessPolicy } from '../../plan/freshness.ts';
import { steadyListRequestsPerHour } from '../../plan/steady-cost.ts';
import { pageCapacity } from '../../shop-api/paging/page-profile.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { readLedger } from '../../warehouse/ops/ledger.ts';
import { recall } from '../run/shop-state.ts';

/** As long as nothing was learned of the shop's pages. */
const USUAL_PAGE = 500;

/** List requests per hour that a freshness policy costs a shop, from the orders that its ledger counts by day. */
export async function readSteadyCost(
  db: Db,
  shopId: number,
  timezone: string,
  policy: FreshnessPolicy,
  now: Temporal.Instant,
): Promise<number> {
  const ledger = await readLedger(db, shopId);
  const { paging } = await recall(db, shopId, USUAL_PAGE);
  const days = ledger
    .map(({ day, orders }) => ({ day, orders: orders ?? 0 }))
    .toSorted((a, b) => Temporal.PlainDate.compare(b.day, a.day));
  const today = now.toZonedDateTimeISO(timezone).toPlainDate();
  return steadyListRequestsPerHour(days, policy, today, pageCapacity(paging));
}
