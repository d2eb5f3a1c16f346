import { minutesBetween, type Window } from './window-plan.ts';

/** Which minutes of each day were read whole: a day counts as verified once all of it was. */
export type DayCoverage = ReadonlyMap<string, DayProgress>;

type DayProgress = {
  readonly minutesLeft: number;
  readonly orders: number;
  /** When the first window of the day was asked: the instant that the day's verdict speaks of. */
  readonly since: Temporal.Instant;
};

const DAY_MINUTES = 24 * 60;

/** Days of a window, oldest first. */
export function daysOf(window: Window): readonly Temporal.PlainDate[] {
  const last = window.to.subtract({ minutes: 1 }).toPlainDate();
  const days: Temporal.PlainDate[] = [];
  for (
    let day = window.from.toPlainDate();
    Temporal.PlainDate.compare(day, last) <= 0;
    day = day.add({ days: 1 })
  ) {
    days.push(day);
  }
  return days;
}

/**
 * Adds a window that was read whole.
 *
 * @param ordersByDay orders of the window, by day
 * @param askedAt when the window was asked
 */
export function cover(
  coverage: DayCoverage,
  window: Window,
  ordersByDay: ReadonlyMap<string, number>,
  askedAt: Temporal.Instant,
): DayCoverage {
  const next = new Map(coverage);
  for (const day of daysOf(window)) {
    const key = day.toString();
    const before = coverage.get(key) ?? { minutesLeft: DAY_MINUTES, orders: 0, since: askedAt };
    next.set(key, {
      minutesLeft: before.minutesLeft - minutesInDay(window, day),
      orders: before.orders + (ordersByDay.get(key) ?? 0),
      since: Temporal.Instant.compare(before.since, askedAt) <= 0 ? before.since : askedAt,
    });
  }
  return next;
}

function minutesInDay(window: Window, day: Temporal.PlainDate): number {
  const start = day.toPlainDateTime();
  const end = day.add({ days: 1 }).toPlainDateTime();
  const from = Temporal.PlainDateTime.compare(window.from, start) > 0 ? window.from : start;
  const to = Temporal.PlainDateTime.compare(window.to, end) < 0 ? window.to : end;
  return minutesBetween(from, to);
}
