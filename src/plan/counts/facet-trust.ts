/** Which facets are asked for: one whose counts a reading of a day contradicts is set aside for a while. */

/** A facet that is not asked for, or was wrong once. */
export type Doubt = {
  readonly facet: string;
  /** How often in a row its counts were wrong. */
  readonly times: number;
  /** A sentence without its subject. */
  readonly reason: string;
  /** It is asked for again then. */
  readonly until: Temporal.Instant;
};

const HOUR_MS = 3_600_000;
/** As often as audits. */
const MAX_ASIDE_MS = 7 * 24 * HOUR_MS;
const FACTOR = 6;

/** Facets that are not asked for now. A single contradiction may be a change that was made meanwhile. */
export function setAside(doubts: readonly Doubt[], now: Temporal.Instant): readonly Doubt[] {
  return doubts.filter(({ until }) => Temporal.Instant.compare(now, until) < 0);
}

/** @returns the doubts with one more; an hour from the second in a row on, and longer each time, up to a week */
export function addDoubt(
  doubts: readonly Doubt[],
  facet: string,
  reason: string,
  now: Temporal.Instant,
): readonly Doubt[] {
  const times = (doubts.find((doubt) => doubt.facet === facet)?.times ?? 0) + 1;
  const asideMs = times === 1 ? 0 : Math.min(MAX_ASIDE_MS, HOUR_MS * FACTOR ** (times - 2));
  const until = now.add({ milliseconds: Math.round(asideMs) });
  return [...clearDoubt(doubts, facet), { facet, times, reason, until }];
}

/** All that is set aside is asked for again, as after an audit; it is set aside for longer if it is still wrong. */
export function askAgain(doubts: readonly Doubt[], now: Temporal.Instant): readonly Doubt[] {
  return doubts.map((doubt) =>
    Temporal.Instant.compare(now, doubt.until) < 0 ? { ...doubt, until: now } : doubt,
  );
}

export function clearDoubt(doubts: readonly Doubt[], facet: string): readonly Doubt[] {
  return doubts.filter((doubt) => doubt.facet !== facet);
}
