import { type FreshnessPolicy, freshnessTargetMs } from './freshness.ts';
import { PAGES_PER_WINDOW } from './window-plan.ts';

const HOUR_MS = 3_600_000;

/** A day of the ledger with the orders it held. */
export type CountedDay = { readonly day: Temporal.PlainDate; readonly orders: number };

/**
 * List requests per hour that a policy costs a shop in which nothing changes: for each rule the requests that its days
 * need, divided by the hours between two verifications.
 *
 * @param days newest first, without gaps
 * @param pageRows rows that one page holds
 */
export function steadyListRequestsPerHour(
  days: readonly CountedDay[],
  policy: FreshnessPolicy,
  today: Temporal.PlainDate,
  pageRows: number,
): number {
  const byTarget = Map.groupBy(days, ({ day }) => freshnessTargetMs(policy, day.until(today).total('days')));
  return [...byTarget].reduce(
    (sum, [targetMs, group]) => sum + countRequests(group, pageRows) / (targetMs / HOUR_MS),
    0,
  );
}

/** Each window requests its pages, each but the first from the last row of the one before, and once more from the end. */
function countRequests(group: readonly CountedDay[], pageRows: number): number {
  const rows = group.reduce((sum, { orders }) => sum + orders, 0);
  const pages = Math.max(1, Math.ceil(rows / Math.max(1, pageRows - 1)));
  return pages + Math.ceil(pages / PAGES_PER_WINDOW);
}
