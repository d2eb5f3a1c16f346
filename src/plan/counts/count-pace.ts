/** Which counts a shop is asked for when, and how much of its pace that may take. */

/** The part of the pace that counts may take in any hour. */
const SHARE = 0.1;
const HOUR_S = 3_600;
/** What was left of the requests when a shop was asked last. */
export type CountsBefore = { readonly at: Temporal.Instant; readonly requestsLeft: number } | undefined;

/**
 * The facets to count now: each has its moment in every `everyMs`, and these had theirs since the shop was asked last. So all
 * are counted in that time, however often sweeps come, and a sweep counts a few of them.
 */
export function countedNow<Facet>(
  facets: readonly Facet[],
  before: CountsBefore,
  everyMs: number,
  now: Temporal.Instant,
): readonly Facet[] {
  if (before === undefined || Temporal.Instant.compare(now, before.at) < 0) return facets;
  const turns = ({ epochMilliseconds }: Temporal.Instant, place: number) =>
    Math.floor(epochMilliseconds / everyMs - place / facets.length);
  return facets.filter((_, place) => turns(now, place) > turns(before.at, place));
}

/** Half of an hour's share accrues steadily, and half may have been saved before, so that an hour never exceeds its share. */
const perSecond = (maxRps: number) => (maxRps * SHARE) / 2;

/** Requests that may be sent now. */
export function countRequestsAllowed(before: CountsBefore, maxRps: number, now: Temporal.Instant): number {
  const seconds = before === undefined ? HOUR_S : now.since(before.at).total('seconds');
  const saved = (before?.requestsLeft ?? 0) + Math.max(0, seconds) * perSecond(maxRps);
  return Math.min(perSecond(maxRps) * HOUR_S, saved);
}

/** Requests an hour that counts cost a shop in which nothing changes. @param everyMs 0: never */
export function countRequestsPerHour(facets: number, everyMs: number, maxRps: number): number {
  if (everyMs === 0) return 0;
  return HOUR_S * Math.min((facets * 1_000) / everyMs, perSecond(maxRps));
}
