/** How the list without dates was read last. */
export type Audit = {
  readonly finishedAt: Temporal.Instant;
  /** Orders that it held. */
  readonly orders: number;
  /** As the shop said it then. */
  readonly total: number | undefined;
  /** Live orders that the warehouse held then; undefined: as many as the list. */
  readonly live: number | undefined;
};

/** How many orders a shop's total counted more than its list held, such as drafts; 0 before the first audit. */
export const findSurplus = (last: Audit | undefined) => Math.max(0, (last?.total ?? 0) - (last?.orders ?? 0));

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

/**
 * Whether the list is to be read without dates: once a week; `by total` where the shop's total may show before that that
 * an order came or went which no date filter reaches, but not more than once an hour.
 */
export function auditDue(last: Audit | undefined, now: Temporal.Instant): 'now' | 'by total' | 'later' {
  if (last === undefined) return 'now';
  const ageMs = now.epochMilliseconds - last.finishedAt.epochMilliseconds;
  if (ageMs < 0 || ageMs >= WEEK_MS) return 'now';
  return ageMs >= HOUR_MS && last.total === last.orders ? 'by total' : 'later';
}

/**
 * Whether the shop's orders have become more or fewer, beside those held, than they were at an audit whose total was right.
 *
 * @param total of the list without dates, now
 * @param live orders that the warehouse holds now
 */
export function isTotalApart(last: Audit, total: number, live: number): boolean {
  return total - live !== last.orders - (last.live ?? last.orders);
}
