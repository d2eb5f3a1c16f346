import type { FreshnessPolicy } from '../../plan/freshness.ts';
import { steadyListRequestsPerHour } from '../../plan/steady-cost.ts';
import { type PageProfile, pageCapacity } from '../../shop-api/paging/page-profile.ts';
import type { LedgerEntry } from '../../warehouse/ops/ledger.ts';

/**
 * List requests per hour that a freshness policy costs a shop, computed from the ledger's orders per day. A day that was
 * never verified counts as an empty one, as its size is not known: until the first load is over, this is the least that
 * it costs.
 */
export function computeSteadyCost(
  ledger: readonly LedgerEntry[],
  profile: PageProfile,
  timezone: string,
  policy: FreshnessPolicy,
  now: Temporal.Instant,
): number {
  const days = ledger
    .map(({ day, orders }) => ({ day, orders: orders ?? 0 }))
    .toSorted((a, b) => Temporal.PlainDate.compare(b.day, a.day));
  const today = now.toZonedDateTimeISO(timezone).toPlainDate();
  return steadyListRequestsPerHour(days, policy, today, pageCapacity(profile));
}
