/** The result of reading a window, and how it is put together. */
import type { JsonValue } from '../../json.ts';
import { isBefore, isInWindow, isOpenBelow, type Window, windowText } from '../../window.ts';
import type { ListRow } from '../endpoints/list-orders.ts';
import type { Asked } from './asked-dates.ts';
import type { Dates } from './dates.ts';
import type { MatchingRows, Matching } from './matching.ts';
import type { PagingDeps } from './paging-deps.ts';

export type WindowReading =
  /** Every order of the window, each once. */
  | {
      readonly kind: 'whole';
      /** What is proven: the window that was asked for, or its newer part, or all that is left where nothing is older. */
      readonly window: Window;
      /** Orders of the window, and those without a readable date that were listed with them. */
      readonly rows: readonly ListRow[];
      readonly malformed: readonly JsonValue[];
      /** Nothing is older than what this window holds. */
      readonly isOldest: boolean;
      /** The list was asked for without any date, so that it held the orders that have none as well. */
      readonly isUndated: boolean;
      /** As reported by the shop. */
      readonly total: number | undefined;
      /** The instant before the first request: what the reading describes. */
      readonly askedAt: Temporal.Instant;
    }
  /** Too many rows at once: read smaller windows. */
  | {
      readonly kind: 'cut';
      /** Created minutes of the rows received, in the order of the list. */
      readonly sample: readonly Temporal.PlainDateTime[];
      /** Matching orders by the shop's own count. */
      readonly total: number | undefined;
      /** The shop fails at this window, and not at others. */
      readonly isFault?: boolean;
      /** Dates for which an order was listed twice every time. */
      readonly duplicates?: Dates | undefined;
    }
  | {
      readonly kind: 'unproven';
      readonly reason: string;
      /** What cannot be proven, where it is known not to be all of the window, or more. */
      readonly window?: Window;
      /** Orders that were received all the same. */
      readonly rows?: readonly ListRow[];
      /** The reason is that no request may reach beyond the bounds. */
      readonly isBounded?: boolean;
    };

const DAY_MINUTES = 24 * 60;
/**
 * Pages of one answer, by the length of the window. A minute cannot be split, and a day only where the shop's filter
 * respects the time of day.
 */
const MAX_PAGES = { minute: 400, partOfDay: 100, day: 30, longer: 10 };

export function maxPages({ minutes }: Asked): number {
  if (minutes <= 1) return MAX_PAGES.minute;
  if (minutes < DAY_MINUTES) return MAX_PAGES.partOfDay;
  return minutes === DAY_MINUTES ? MAX_PAGES.day : MAX_PAGES.longer;
}

export function isSplittable({ minutes }: Asked): boolean {
  return minutes > 1;
}

/** A window of which every order was received. @param part of it that is proven */
export function toWhole(
  deps: PagingDeps,
  part: Window,
  lowest: Temporal.PlainDateTime,
  dates: Dates,
  { rows, malformed, total, askedAt }: MatchingRows,
): Extract<WindowReading, { kind: 'whole' }> {
  const dated = rows.map((row) => ({ row, created: deps.readCreated(row) }));
  const isAnyOlder =
    !isOpenBelow(part) && dated.some(({ created }) => created && isBefore(created, part.from));
  const isOldest = dates.from === undefined && !isAnyOlder;
  const window = isOldest ? { ...part, from: lowest } : part;
  const own = dated.filter(({ created }) => created === undefined || isInWindow(window, created));
  return {
    kind: 'whole',
    window,
    rows: own.map(({ row }) => row),
    malformed,
    isOldest,
    isUndated: dates.from === undefined && dates.to === undefined,
    total,
    askedAt,
  };
}

/** A window that holds too many orders for one reading. */
export function toCut(
  deps: PagingDeps,
  asked: Asked,
  answer: Extract<Matching, { kind: 'cut' }>,
): WindowReading {
  if (!isSplittable(asked)) {
    const why = answer.isStartIgnored
      ? 'the shop ignores "start", and the minute'
      : `more than ${MAX_PAGES.minute} pages of orders lie in the minute, or around it;`;
    return { kind: 'unproven', reason: `${why} ${windowText(asked.window)} cannot be read whole` };
  }
  const sample = answer.rows.flatMap((row) => deps.readCreated(row) ?? []);
  const { totalMeaning } = deps.book.profile;
  return { kind: 'cut', sample, total: totalMeaning === 'other' ? undefined : answer.total };
}

/** No answer held orders on both sides of the window. */
export function toUnreached(
  asked: Asked,
  sample: readonly Temporal.PlainDateTime[],
  rows: readonly ListRow[],
): WindowReading {
  if (asked.bounds !== undefined) return { kind: 'unproven', reason: '', isBounded: true, rows };
  if (isSplittable(asked)) return { kind: 'cut', sample, total: undefined };
  const reason = `no response of the shop reached beyond ${windowText(asked.window)}, so it cannot be proven complete`;
  return { kind: 'unproven', reason };
}

export function toNoOrders(window: Window, hasElements: boolean): WindowReading {
  const reason = hasElements
    ? 'no element that the shop lists has a usable order_id and date'
    : 'the shop lists no orders at all';
  return {
    kind: 'unproven',
    reason: `${reason}; its response for ${windowText(window)} is not trusted, and the days stay due`,
  };
}
