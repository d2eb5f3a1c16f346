/** Which dates to ask for, so that an answer reaches beyond a window on both sides. */
import { isOpenAbove, isOpenBelow, maxTime, minTime, type Window } from '../../model/window.ts';
import { FARTHEST } from '../endpoints/list-orders.ts';
import type { Side } from './placed-rows.ts';

/**
 * Orders that are known to exist, stored or seen by this walk: the minute in which the nth one before a time was placed, or the nth one
 * at or after it, counted away from it; of the farthest where there are fewer.
 */
export type Witnesses = (
  side: 'before' | 'after',
  time: Temporal.PlainDateTime,
  nth: number,
) => Promise<Temporal.PlainDateTime | undefined>;

/** A window to prove. */
export type WindowToProve = {
  readonly window: Window;
  /** The lowest time to read in the end. */
  readonly lowest: Temporal.PlainDateTime;
  /** Length of the window, with an open end moved to where orders are expected. */
  readonly minutes: number;
};

/** Two orders are reached for: one of them may be gone. */
const WITNESSES = 2;
/** The part of a window that is reached for below it, where no order is known there: it should hold a few. */
const PAD_SHARE = 1 / 32;
const MAX_PAD_MINUTES = 2 * 24 * 60;

/**
 * The dates that reach beyond a window to the second known order on each side. Where none is known below, as far as a few
 * orders should lie; where none is known above, to the end: it was read before.
 */
export async function datesAround({ window, minutes }: WindowToProve, witnesses: Witnesses): Promise<Window> {
  const minute = { minutes: 1 };
  const older = isOpenBelow(window) ? undefined : await witnesses('before', window.from, WITNESSES);
  const newer = isOpenAbove(window) ? undefined : await witnesses('after', window.to, WITNESSES);
  const pad = Math.min(MAX_PAD_MINUTES, Math.ceil(minutes * PAD_SHARE));
  return {
    from: older?.subtract(minute) ?? outwards('below', window, pad),
    to: newer?.add(minute) ?? outwards('above', window, Infinity),
  };
}

/** The dates that reach so many minutes beyond both ends of a window. */
export const datesWithin = (window: Window, minutes: number): Window => ({
  from: outwards('below', window, minutes),
  to: outwards('above', window, minutes),
});

/** The dates from an order on, outwards: `margin` before it, and so many minutes beyond the window. */
export function datesBeyond(
  side: Side,
  window: Window,
  pivot: Temporal.PlainDateTime,
  margin: Temporal.DurationLike,
  minutes: number,
): Window {
  return side === 'below'
    ? { from: minTime(outwards(side, window, minutes), pivot), to: pivot.add(margin) }
    : { from: pivot.subtract(margin), to: maxTime(outwards(side, window, minutes), pivot) };
}

/** The date so far beyond an end of a window; the farthest one beyond an open end. */
function outwards(side: Side, window: Window, minutes: number): Temporal.PlainDateTime {
  if (side === 'below') {
    if (isOpenBelow(window) || !Number.isFinite(minutes)) return FARTHEST.from;
    return maxTime(FARTHEST.from, window.from.subtract({ minutes }));
  }
  if (isOpenAbove(window) || !Number.isFinite(minutes)) return FARTHEST.to;
  return minTime(FARTHEST.to, window.to.add({ minutes }));
}

/**
 * The dates with seconds of the moment, outwards, so that no cache has the answer to just these.
 *
 * @param now when they are requested
 */
export function uncached({ from, to }: Window, now: Temporal.Instant): Window {
  const ms = now.epochMilliseconds;
  return {
    from: from.equals(FARTHEST.from) ? from : from.subtract({ seconds: ms % 60 }),
    to: to.add({ seconds: Math.floor(ms / 60) % 60 }),
  };
}
