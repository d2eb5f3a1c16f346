/** Which days a sweep has read whole, by one window or by several. Pure and immutable. */
import {
  minTime,
  isBefore,
  isOpenAbove,
  isOpenBelow,
  maxTime,
  minutesBetween,
  type Window,
} from '../../model/window.ts';

/** Minutes that were read of each day that is not whole yet. */
export type DayProgress = ReadonlyMap<string, ReadPart>;

type ReadPart = {
  readonly minutesLeft: number;
  readonly orders: number;
  readonly since: Temporal.Instant;
};

/** A day of which every minute was read, with its orders, and since when. */
export type ReadDay = {
  readonly day: string;
  readonly orders: number;
  /** When its first window was requested: the instant that its verdict describes. */
  readonly verifiedAt: Temporal.Instant;
};

/** What was read, and proven whole. */
export type ReadWindow = {
  readonly window: Window;
  /** Orders of the window, by day. */
  readonly ordersByDay: ReadonlyMap<string, number>;
  /** Nothing is older than the oldest of them. */
  readonly isOldest: boolean;
  readonly requestedAt: Temporal.Instant;
};

const DAY_MINUTES = 24 * 60;
/** Empty days between two that hold orders are reported day by day; more of them by the day after. */
const MAX_EMPTY_DAYS = 366;

/**
 * Adds a window that was read whole.
 *
 * @param asked days that were due; those that the window touches are reported, whether they hold orders or not
 * @param today the last day that is reported: orders of later days are loaded all the same
 * @returns the progress of the days that are not whole yet, and the days that became so, oldest first
 */
export function addWindow(
  progress: DayProgress,
  read: ReadWindow,
  asked: ReadonlySet<string>,
  today: Temporal.PlainDate,
): { readonly progress: DayProgress; readonly whole: readonly ReadDay[] } {
  const next = new Map(progress);
  const whole: ReadDay[] = [];
  for (const day of daysToReport(read, asked, today)) {
    const key = day.toString();
    const before = progress.get(key) ?? { minutesLeft: DAY_MINUTES, orders: 0, since: read.requestedAt };
    const minutesLeft = before.minutesLeft - minutesInDay(read.window, day);
    const orders = before.orders + (read.ordersByDay.get(key) ?? 0);
    const isSooner = Temporal.Instant.compare(before.since, read.requestedAt) <= 0;
    const since = isSooner ? before.since : read.requestedAt;
    if (minutesLeft > 0) next.set(key, { minutesLeft, orders, since });
    else {
      next.delete(key);
      whole.push({ day: key, orders, verifiedAt: since });
    }
  }
  return { progress: next, whole };
}

/** Days of a window that get a row in the ledger, oldest first. */
function daysToReport(
  { window, ordersByDay, isOldest }: ReadWindow,
  asked: ReadonlySet<string>,
  today: Temporal.PlainDate,
): readonly Temporal.PlainDate[] {
  const isIn = (day: Temporal.PlainDate) =>
    Temporal.PlainDate.compare(day, today) <= 0 && minutesInDay(window, day) > 0;
  const named = new Set([...asked, ...ordersByDay.keys()]);
  const ends = [
    ...(isOpenBelow(window) || isOldest ? [] : [window.from.toPlainDate()]),
    ...(isOpenAbove(window) ? [] : [window.to.subtract({ minutes: 1 }).toPlainDate()]),
  ];
  const days = [...[...named].map((key) => Temporal.PlainDate.from(key)), ...ends]
    .filter(isIn)
    .toSorted((one, other) => Temporal.PlainDate.compare(one, other));
  return days.flatMap((day, index) => {
    const before = days[index - 1];
    if (before === undefined) return [day];
    const between = before.until(day).total('days') - 1;
    if (between > MAX_EMPTY_DAYS) return [day];
    return Array.from({ length: between + 1 }, (_, step) => before.add({ days: step + 1 }));
  });
}

function minutesInDay(window: Window, day: Temporal.PlainDate): number {
  const start = day.toPlainDateTime();
  const end = day.add({ days: 1 }).toPlainDateTime();
  const from = isOpenBelow(window) ? start : maxTime(window.from, start);
  const to = isOpenAbove(window) ? end : minTime(window.to, end);
  return isBefore(from, to) ? minutesBetween(from, to) : 0;
}

/**
 * The newest day below a window that was read whole, and not after today: the ledger knows no later days, though orders may
 * be dated ahead. The ledger must name it, or the days up to it would count as verified together with the day after them.
 *
 * @param historyFrom the first day to hold; undefined: all days
 * @returns undefined where no older day is left to load
 */
export function dayBelow(
  { window, isOldest }: Pick<ReadWindow, 'window' | 'isOldest'>,
  historyFrom: Temporal.PlainDate | undefined,
  today: Temporal.PlainDate,
): Temporal.PlainDate | undefined {
  if (isOldest || isOpenBelow(window)) return undefined;
  const below = window.from.subtract({ minutes: 1 }).toPlainDate();
  const day = Temporal.PlainDate.compare(below, today) > 0 ? today : below;
  const isInHistory = historyFrom === undefined || Temporal.PlainDate.compare(day, historyFrom) >= 0;
  return isInHistory ? day : undefined;
}
