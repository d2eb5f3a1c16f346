/** When a shop is asked to count, and how much of its pace that may take. */

/** The part of the pace that counts may take. */
const SHARE = 0.1;
const MOST_SECONDS = 3_600;
/** So much earlier than they are due they may be asked for, as days are. */
const AHEAD_MS = 30_000;

/** What was left of the requests when a shop was asked last. */
export type CountsBefore = { readonly at: Temporal.Instant; readonly requestsLeft: number } | undefined;

/** @param everyMs 0: never */
export function areCountsDue(before: CountsBefore, everyMs: number, now: Temporal.Instant): boolean {
  if (everyMs === 0) return false;
  const ageMs = before === undefined ? Infinity : now.since(before.at).total('milliseconds');
  return ageMs < 0 || ageMs >= everyMs - Math.min(AHEAD_MS, everyMs / 2);
}

/** Requests that may be sent now: what is not used of an hour's may be used later, but never more than that at once. */
export function countRequestsAllowed(before: CountsBefore, maxRps: number, now: Temporal.Instant): number {
  const perSecond = maxRps * SHARE;
  const seconds = before === undefined ? MOST_SECONDS : now.since(before.at).total('seconds');
  const most = perSecond * MOST_SECONDS;
  return Math.min(most, (before?.requestsLeft ?? 0) + Math.max(0, seconds) * perSecond);
}
