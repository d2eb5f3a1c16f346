/** How the list without dates was read last. */
export type Audit = {
  readonly finishedAt: Temporal.Instant;
  /** Number of orders in it. */
  readonly orders: number;
  /** The shop's total at that time. */
  readonly total?: number | undefined;
};

/** By how many orders, such as drafts, a shop's total exceeded its list; 0 before the first audit. */
export const findSurplus = (last: Audit | undefined) => Math.max(0, (last?.total ?? 0) - (last?.orders ?? 0));

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** So many orders take some ten pages. */
const ORDERS_AN_HOUR = 1_000;

/**
 * Whether the list must be read without dates again: once a week, and more often if orders without a date are stored, whose changes
 * nothing else shows, once an hour, or as much later as the list is longer.
 */
export function isAuditDue(last: Audit | undefined, holdsUndated: boolean, now: Temporal.Instant): boolean {
  if (last === undefined) return true;
  const ageMs = now.epochMilliseconds - last.finishedAt.epochMilliseconds;
  const sooner = HOUR_MS * Math.max(1, last.orders / ORDERS_AN_HOUR);
  return ageMs < 0 || ageMs >= (holdsUndated ? Math.min(WEEK_MS, sooner) : WEEK_MS);
}
