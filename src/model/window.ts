/** Windows of shop-local time, and how to compare times within them. */

/** A half-open span of shop-local time; both ends on a minute. An end of `EVER` means open-ended. */
export type Window = { readonly from: Temporal.PlainDateTime; readonly to: Temporal.PlainDateTime };

/** Open at both ends: every order that has a date. */
export const EVER: Window = {
  from: Temporal.PlainDateTime.from('0001-01-01T00:00'),
  to: Temporal.PlainDateTime.from('9999-12-31T23:59'),
};

export function isOpenBelow({ from }: Window): boolean {
  return !isBefore(EVER.from, from);
}

export function isOpenAbove({ to }: Window): boolean {
  return !isBefore(to, EVER.to);
}

export function isBefore(one: Temporal.PlainDateTime, other: Temporal.PlainDateTime): boolean {
  return byTime(one, other) < 0;
}

/** For sorting, oldest first. */
export function byTime(one: Temporal.PlainDateTime, other: Temporal.PlainDateTime): number {
  if (one === other) return 0;
  return ordinal(one) - ordinal(other) || Temporal.PlainDateTime.compare(one, other);
}

/** A walk compares the same times over and over, and comparing two objects is dozens of times slower than two numbers. */
const ordinals = new WeakMap<Temporal.PlainDateTime, number>();

/** A number that grows with time, to the millisecond; short months leave gaps. */
function ordinal(time: Temporal.PlainDateTime): number {
  const known = ordinals.get(time);
  if (known !== undefined) return known;
  const day = (time.year * 12 + time.month) * 31 + time.day;
  const second = ((day * 24 + time.hour) * 60 + time.minute) * 60 + time.second;
  const value = second * 1000 + time.millisecond;
  ordinals.set(time, value);
  return value;
}

/** Whether a time lies in a window; an open end includes everything beyond. */
export function isInWindow(window: Window, time: Temporal.PlainDateTime): boolean {
  const isLateEnough = isOpenBelow(window) || !isBefore(time, window.from);
  return isLateEnough && (isOpenAbove(window) || isBefore(time, window.to));
}

export function minutesBetween(from: Temporal.PlainDateTime, to: Temporal.PlainDateTime): number {
  return from.until(to, { largestUnit: 'minutes' }).total('minutes');
}

export function maxTime(one: Temporal.PlainDateTime, other: Temporal.PlainDateTime): Temporal.PlainDateTime {
  return isBefore(one, other) ? other : one;
}

export function minTime(one: Temporal.PlainDateTime, other: Temporal.PlainDateTime): Temporal.PlainDateTime {
  return isBefore(one, other) ? one : other;
}

/** `2026-03-01T00:00 to 2026-03-02T00:00`, `before 2026-03-01T00:00`, `since 2026-03-01T00:00`, `all times` */
export function windowText(window: Window): string {
  const text = (time: Temporal.PlainDateTime) => time.toString({ smallestUnit: 'minute' });
  if (isOpenBelow(window)) return isOpenAbove(window) ? 'all times' : `before ${text(window.to)}`;
  return isOpenAbove(window) ? `since ${text(window.from)}` : `${text(window.from)} to ${text(window.to)}`;
}
