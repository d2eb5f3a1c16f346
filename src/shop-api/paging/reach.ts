/** Which dates to ask for, so that an answer reaches beyond a window on both sides. */
import {
  isOpenAbove,
  isOpenBelow,
  maxTime,
  minTime,
  minutesBetween,
  type Window,
} from '../../model/window.ts';
import { FARTHEST } from '../endpoints/list-orders.ts';
import type { Side } from './placed-rows.ts';

/** Orders that are known to exist, stored or seen by this walk, by the minute in which they were placed. */
export type Witnesses = {
  /** The minute of the nth one before a time, counted back; of the farthest where there are fewer. */
  before(time: Temporal.PlainDateTime, nth: number): Promise<Temporal.PlainDateTime | undefined>;
  /** The minute of the nth one at or after a time; of the farthest where there are fewer. */
  after(time: Temporal.PlainDateTime, nth: number): Promise<Temporal.PlainDateTime | undefined>;
};

/** A window to prove. */
export type Asked = {
  readonly window: Window;
  /** How far down is to be read in the end. */
  readonly lowest: Temporal.PlainDateTime;
  /** Length of the window, an open end put where orders are to be expected. */
  readonly minutes: number;
  /** Minutes in which a few orders are to be expected. */
  readonly padMinutes: number;
};

/** How far beyond each end of a window is asked: to so many known orders, or so many minutes. */
export type Reach = Readonly<Record<Side, { readonly orders: number } | { readonly minutes: number }>>;

/** Two orders are reached for: one of them may be gone. */
export const FIRST_REACH: Reach = { below: { orders: 2 }, above: { orders: 2 } };
export const NEAREST_REACH: Reach = { below: { orders: 1 }, above: { orders: 1 } };
/** Nothing but the window itself. */
export const OWN_REACH: Reach = { below: { minutes: 0 }, above: { minutes: 0 } };

/** Where no order is shown, the reach grows by this, and at last to all there is. */
const GROWTH = 4;
const SHORTEST_MINUTES = 2 * 24 * 60;
const LONGEST_MINUTES = 4 * 365 * 24 * 60;

/** A longer reach: of a few days at least. */
function longer(minutes: number): number {
  const next = Math.max(SHORTEST_MINUTES, minutes * GROWTH);
  return next > LONGEST_MINUTES ? Number.POSITIVE_INFINITY : next;
}

/** All there is. */
export const FARTHEST_REACH: Reach = { below: { minutes: Infinity }, above: { minutes: Infinity } };

/** The reach after an answer without any order, where there are some. */
export function wider(reach: Reach): Reach {
  const next = (side: Side) => ({ minutes: longer('minutes' in reach[side] ? reach[side].minutes : 0) });
  return { below: next('below'), above: next('above') };
}

/**
 * The reach after an answer that was too long: an order that is known far off may have any number of others before it.
 *
 * @returns undefined where no end of the dates lies far off
 */
export function nearer({ window, padMinutes }: Asked, reach: Reach, dates: Window): Reach | undefined {
  const distance = {
    below: isOpenBelow(window) ? 0 : minutesBetween(dates.from, window.from),
    above: isOpenAbove(window) ? 0 : minutesBetween(window.to, dates.to),
  };
  const isFar = (side: Side) =>
    'orders' in reach[side] && distance[side] > Math.max(SHORTEST_MINUTES, padMinutes);
  if (!isFar('below') && !isFar('above')) return undefined;
  const next = (side: Side) => (isFar(side) ? { minutes: padMinutes } : reach[side]);
  return { below: next('below'), above: next('above') };
}

/** The dates that reach beyond a window, on whole minutes. */
export async function datesFor(asked: Asked, witnesses: Witnesses, { below, above }: Reach): Promise<Window> {
  const { window, padMinutes } = asked;
  const minute = { minutes: 1 };
  const older =
    'orders' in below && !isOpenBelow(window) ? await witnesses.before(window.from, below.orders) : undefined;
  const newer =
    'orders' in above && !isOpenAbove(window) ? await witnesses.after(window.to, above.orders) : undefined;
  // Where nothing is known above, all of it is asked along: it was read before.
  const up = 'minutes' in above ? above.minutes : Number.POSITIVE_INFINITY;
  const down = 'minutes' in below ? below.minutes : padMinutes;
  return {
    from: older?.subtract(minute) ?? outwards('below', window, down),
    to: newer?.add(minute) ?? outwards('above', window, up),
  };
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

/** The dates from an order on, outwards: `margin` before it, and so far beyond the window. */
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

export function isFarthest(side: Side, { from, to }: Window): boolean {
  return side === 'below' ? from.equals(FARTHEST.from) : to.equals(FARTHEST.to);
}

/**
 * The dates with seconds of the moment, outwards, so that no cache has the answer to just these.
 *
 * @param now when they are asked for
 */
export function uncached({ from, to }: Window, now: Temporal.Instant): Window {
  const ms = now.epochMilliseconds;
  return {
    from: from.equals(FARTHEST.from) ? from : from.subtract({ seconds: ms % 60 }),
    to: to.add({ seconds: Math.floor(ms / 60) % 60 }),
  };
}
