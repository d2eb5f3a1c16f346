/** What the rows of an answer prove of a window. Pure. */
import {
  byTime,
  EVER,
  isBefore,
  isInWindow,
  maxTime,
  mayBeAllDay,
  minTime,
  nextMidnight,
  type Window,
} from '../../model/window.ts';
import { type Dates, widen } from './asked-dates.ts';
import type { PagingDeps } from './request-page.ts';

/** More than a filter by whole days or in another zone is off. */
const MOST_OFF = { days: 2 };

/**
 * The minutes of which an answer certainly holds every order: those between its oldest and its newest row. Whatever a
 * filter by date means exactly, with ends that count or not, by seconds, minutes or days, in this zone or another, it
 * takes an interval; two rows of it have all between them. The minutes of these two rows are left out, since a filter
 * may cut through them. An end that was not asked for is open.
 *
 * @param created minutes of the rows, in any order
 * @returns undefined where fewer than two rows have a date, but some date was asked for
 */
export function provenSpan(
  dates: Dates,
  created: readonly Temporal.PlainDateTime[],
  shownTwice?: PagingDeps['shownTwice'],
): Window | undefined {
  if (dates.from === undefined && dates.to === undefined) return created.length > 0 ? EVER : undefined;
  const span = widen(dates, MOST_OFF);
  // An order so far off shows another time than the shop filters it by.
  const sorted = created.filter((time) => isInWindow(span, time)).toSorted(byTime);
  const [oldest, newest] = [sorted[0], sorted.slice(1).at(-1)];
  if (oldest === undefined || newest === undefined) return undefined;
  const timed = sorted.find((time) => !mayBeAllDay(time)) ?? newest;
  // Within an hour that comes twice, times are in no order.
  const after = shownTwice?.(timed)?.to ?? timed.add({ minutes: 1 });
  const certain = mayBeAllDay(oldest) ? minTime(after, oldest.add({ days: 1 })) : after;
  const from = dates.from === undefined ? EVER.from : certain;
  const to = dates.to === undefined ? EVER.to : (shownTwice?.(newest)?.from ?? newest);
  return isBefore(from, to) ? { from, to } : undefined;
}

/** Which sides of a window an answer did not reach. */
export type Unreached = { readonly below: boolean; readonly above: boolean };

/**
 * The part of a window that is proven, from its upper end down: what lies below is read with the next window. It begins
 * at a midnight where it can, so that no day is put together from two answers, unless no order lies after that.
 *
 * @param proven minutes that are certain; undefined for none
 * @param created minutes of the rows
 */
export function provenPart(
  window: Window,
  proven: Window | undefined,
  created: readonly Temporal.PlainDateTime[],
): Window | Unreached {
  if (proven === undefined) return { below: true, above: true };
  if (isBefore(proven.to, window.to)) return { below: isBefore(window.from, proven.from), above: true };
  const from = maxTime(window.from, proven.from);
  if (!isBefore(from, window.to)) return { below: true, above: false };
  if (from.equals(window.from)) return window;
  const midnight = nextMidnight(from);
  const isAnyAfter = created.some((time) => isInWindow({ from: midnight, to: window.to }, time));
  return { from: isAnyAfter ? midnight : from, to: window.to };
}
