/**
 * What an instant that was written down earlier may be: the clock that it was written by may have run ahead, and what it
 * says must not hold up anything once the clock is right again.
 */

/** A shop is asked once a day at least, whatever it requested. */
const LONGEST_PAUSE_MS = 86_400_000;

/** Until when to leave a shop alone that requested a pause. */
export function pauseUntil(now: Temporal.Instant, requestedMs: number): Temporal.Instant {
  return now.add({ milliseconds: Math.ceil(Math.min(requestedMs, LONGEST_PAUSE_MS)) });
}

/** The end of a pause as it was written down; undefined where it is too far off to be true. */
export function believedPause(
  until: Temporal.Instant | undefined,
  now: Temporal.Instant,
): Temporal.Instant | undefined {
  if (until === undefined) return undefined;
  return now.until(until).total('milliseconds') <= LONGEST_PAUSE_MS ? until : undefined;
}

/** Whether something is known to have happened: an instant in the future is as good as none. */
export function isPast(written: Temporal.Instant, now: Temporal.Instant): boolean {
  return Temporal.Instant.compare(written, now) <= 0;
}
