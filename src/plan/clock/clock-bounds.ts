/**
 * How to treat a stored instant: the clock that wrote it may have been fast, and what it
 * says must not hold up anything once the clock is right again.
 */
import { MAX_PAUSE_MS } from '../../model/errors.ts';

/** Until when a requested pause is respected. */
export function pauseUntil(now: Temporal.Instant, requestedMs: number): Temporal.Instant {
  return now.add({ milliseconds: Math.ceil(Math.min(requestedMs, MAX_PAUSE_MS)) });
}

/** The end of a pause as it was stored; undefined where it is implausibly far away. */
export function plausiblePause(
  until: Temporal.Instant | undefined,
  now: Temporal.Instant,
): Temporal.Instant | undefined {
  if (until === undefined) return undefined;
  return now.until(until).total('milliseconds') <= MAX_PAUSE_MS ? until : undefined;
}

/** Whether something is known to have happened: an instant in the future does not count. */
export function isPast(written: Temporal.Instant, now: Temporal.Instant): boolean {
  return Temporal.Instant.compare(written, now) <= 0;
}
