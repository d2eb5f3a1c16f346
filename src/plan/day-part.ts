/** How far a day was read that takes more than one window. Pure. */
import { isOpenBelow, minutesBetween, type Window } from '../window.ts';
import { DAY_MINUTES, type DayProgress } from './day-progress.ts';

/** The newer part of a day, read by proven windows. */
export type DayPart = {
  /** From this minute up to midnight the day was read. */
  readonly readFrom: Temporal.PlainDateTime;
  /** When its first window was asked for. */
  readonly since: Temporal.Instant;
  readonly orders: number;
};

/** A part of a day as the ledger keeps it, for a later sweep to go on from. */
export type SavedPart = DayPart & {
  /** Not just what was held came: the day is to be read once more, whatever the rest of it brings. */
  readonly isRestless: boolean;
  /** A digest of the day's orders as they were held when the part was written. */
  readonly held: string;
};

/** A day that a window leaves partly read, up to midnight without a gap; today, which still grows, is none. */
export function dayPartOf(
  progress: DayProgress,
  window: Window,
  today: Temporal.PlainDate,
): (DayPart & { readonly day: string }) | undefined {
  const date = window.from.toPlainDate();
  if (isOpenBelow(window) || Temporal.PlainDate.compare(date, today) >= 0) return undefined;
  const day = date.toString();
  const read = progress.get(day);
  if (read?.minutesLeft !== minutesOfDay(window.from)) return undefined;
  return { day, readFrom: window.from, since: read.since, orders: read.orders };
}

/**
 * Whether reading may go on where a part ends. A pass that is to verify the day needs the day to be held just as it left
 * it; one that will be followed by another need not.
 *
 * @param held the digest of the day's orders as they are held now
 */
export function isResumable(part: SavedPart, held: string): boolean {
  return part.isRestless || part.held === held;
}

/** The progress of a day that goes on from a part. */
export function progressFrom(day: Temporal.PlainDate, part: DayPart): DayProgress {
  const { orders, since } = part;
  return new Map([[day.toString(), { minutesLeft: minutesOfDay(part.readFrom), orders, parts: 1, since }]]);
}

/** Orders to expect on the whole day, as densely as they lie in the part. */
export function expectedOrders({ orders, readFrom }: DayPart): number {
  return Math.ceil((orders * DAY_MINUTES) / (DAY_MINUTES - minutesOfDay(readFrom)));
}

/** Minutes of its day before a time. */
function minutesOfDay(time: Temporal.PlainDateTime): number {
  return minutesBetween(time.toPlainDate().toPlainDateTime(), time);
}
