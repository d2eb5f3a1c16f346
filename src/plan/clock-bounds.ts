/**
 * What an instant that was written down earlier may be: the clock that it was written by may have run ahead, and what it
 * says must not hold up anything once the clock is right again.
 */
import { LONGEST_ABSENCE_MS } from '../errors.ts';

/** Until when to leave a shop alone that requested a pause. */
export function pauseUntil(now: Temporal.Instant, requestedMs: number): Temporal.Instant {
  return now.add({ milliseconds: Math.ceil(Math.min(requestedMs, LONGEST_ABSENCE_MS)) });
}

/** The end of a pause as it was written down; undefined where it is too far off to be true. */
export function believedPause(
  until: Temporal.Instant | undefined,
  now: Temporal.Instant,
): Temporal.Instant | undefined {
  if (until === undefined) return undefined;
  return now.until(until).total('milliseconds') <= LONGEST_ABSENCE_MS ? until : undefined;
}

/** Whether something is known to have happened: an instant in the future is as good as none. */
export function isPast(written: Temporal.Instant, now: Temporal.Instant): boolean {
  return Temporal.Instant.compare(written, now) <= 0;
}
