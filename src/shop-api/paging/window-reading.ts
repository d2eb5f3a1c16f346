/** What the responses to a window prove of it, and how to ask on. Pure. */
import type { JsonValue } from '../../model/json.ts';
import {
  isBefore,
  isInWindow,
  isOpenAbove,
  isOpenBelow,
  type Window,
  windowText,
} from '../../model/window.ts';
import type { ListRow } from '../endpoints/list-orders.ts';
import type { PagingDeps } from './request-page.ts';
import { type Asked, type Dates, farther, nearer, NEAREST, type Reach } from './asked-dates.ts';
import { provenPart, provenSpan, type Unreached } from './proven-span.ts';
import { isSorted } from './list-ends.ts';
import { describeNoOrders } from './list-state.ts';
import type { Matching, Neighbours } from './read-list.ts';

export type WindowReading =
  /** Every order of the window, each once. */
  | {
      readonly kind: 'whole';
      /** What is proven: the window that was asked for, or its newer part, or all that is left where nothing is older. */
      readonly window: Window;
      /** Orders of the window, and those without a readable date that were listed with them. */
      readonly rows: readonly ListRow[];
      /** Orders of the window that some page of this run showed, and this list does not. @default none */
      readonly lacking?: readonly ListRow[];
      /** Orders of windows that were read before, which those did not show and pages of this run do. @default none */
      readonly late?: readonly ListRow[];
      readonly malformed: readonly JsonValue[];
      /** When elements were created that are no order of a known time or identifier: both ends included, open where that is not known. */
      readonly unplaced?: readonly Dates[];
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
      /** What speaks against the answers, where they are not just too long. */
      readonly why?: string;
    }
  | {
      readonly kind: 'unproven';
      /** What cannot be proven. */
      readonly window: Window;
      readonly reason: string;
      /** The window is just what the shop fails at, down to the next order that it shows. */
      readonly isGap?: boolean;
      /** What the whole list held, where none of it can be used. */
      readonly listed?: 'nothing' | 'unreadable';
    };

/** What is left when windows are narrowed until they can be read, or not. */
export type FinalReading = Exclude<WindowReading, { kind: 'cut' }>;

export type WholeWindow = Extract<WindowReading, { kind: 'whole' }>;
export type UnprovenWindow = Extract<WindowReading, { kind: 'unproven' }>;

/** Where the reading of a window stands, between two lists. */
export type Progress = {
  readonly kind: 'ask';
  readonly reach: Reach;
  /** Lists that moved. */
  readonly moved: number;
  /** The last list was empty, which may be a passing fault: it is asked for again. */
  readonly isRepeat: boolean;
  /** The last dates whose rows did not reach beyond the window, and these rows. */
  readonly tried: Dates | undefined;
  readonly rows: readonly ListRow[] | undefined;
  /** Created minutes of a list that was too long: where orders lie beyond the window. */
  readonly shown?: readonly Temporal.PlainDateTime[];
};

export const START: Progress = {
  kind: 'ask',
  reach: NEAREST,
  moved: 0,
  isRepeat: false,
  tried: undefined,
  rows: undefined,
};

export type Step =
  | Progress
  | WindowReading
  /** A part of the window is proven. */
  | { readonly kind: 'proven'; readonly part: Window }
  /** An order is listed twice, every time. */
  | { readonly kind: 'twice' }
  | Bounded;

/** Nothing more may be asked for, because of what the shop fails at there. */
export type Bounded = { readonly kind: 'bounded' };

const MAX_WALKS = 5;
/** Several pages are better split than read again and again. */
const MAX_LONG_WALKS = 2;
const DAY_MINUTES = 24 * 60;
/**
 * Pages of one answer, by the length of the window. A minute cannot be split, and a day only where the shop's filter
 * respects the time of day.
 */
const MAX_PAGES = { minute: 400, partOfDay: 100, day: 30, longer: 10 };

/** A list of which an end was left open in the end shows where orders lie: that takes few of its pages. */
export function maxPages({ minutes, window }: Asked, { from, to }: Dates, reach: Reach): number {
  const isOpened =
    (reach.below > 0 && from === undefined && !isOpenBelow(window)) ||
    (reach.above > 0 && to === undefined && !isOpenAbove(window));
  if (isOpened) return MAX_PAGES.longer;
  if (minutes <= 1) return MAX_PAGES.minute;
  if (minutes < DAY_MINUTES) return MAX_PAGES.partOfDay;
  return minutes === DAY_MINUTES ? MAX_PAGES.day : MAX_PAGES.longer;
}

export type ListDates = {
  /** What was asked for. */
  readonly dates: Dates;
  /** Of an end that was left open, a date where orders are known to lie beyond the window: they must show it. */
  readonly proof: Dates;
};

/** How to go on after the list of some dates was read. */
export function afterList(
  deps: PagingDeps,
  asked: Asked,
  at: Progress,
  { dates, proof }: ListDates,
  list: Matching,
): Step {
  const { window } = asked;
  const { verdict, rows } = list;
  if (verdict === 'shifted' || verdict === 'twice' || verdict === 'start ignored') {
    return afterMove(asked, at, list);
  }
  if (verdict === 'cut') {
    const shown = rows.flatMap((row) => deps.readCreated(row) ?? []);
    const reach = nearer(dates, window, at.reach, shown);
    if (reach === undefined) return toCut(deps, asked, list);
    return { ...at, reach, isRepeat: false, tried: undefined, shown };
  }
  const isUndated = dates.from === undefined && dates.to === undefined;
  if (verdict === 'few' && isUndated) return toNoOrders(window, list, list.malformed.length > 0);
  const created = rows.flatMap((row) => deps.readCreated(row) ?? []);
  const part = provenPart(window, provenSpan(proof, created, deps.shownTwice), created);
  if ('from' in part) return { kind: 'proven', part };
  if (isUndated) return toNoOrders(window, list, true);
  if (rows.length === 0 && !at.isRepeat) return { ...at, isRepeat: true, tried: undefined, rows };
  const reach = farther(at.reach, reachable(sidesWithout(window, created, part), dates));
  return reach === undefined
    ? toUnreached(deps, asked, rows)
    : { ...at, reach, isRepeat: false, tried: dates, rows };
}

/** What speaks against the answers of a list that is read again. */
const ODDITIES: Partial<Record<Matching['verdict'], string>> = {
  twice: 'an answer holds an order twice',
  'start ignored': 'the shop ignores "start", so that its list cannot be read',
};

/** Fewer pages may stand still; an order that is always listed twice blocks only its own minute. */
function afterMove(asked: Asked, at: Progress, { verdict, pages, contradiction }: Matching): Step {
  const moved = at.moved + 1;
  const why = contradiction ?? ODDITIES[verdict] ?? 'the orders shifted';
  const isTwice = verdict === 'twice' && pages === 1;
  if (moved >= MAX_LONG_WALKS && (pages > 1 || isTwice) && isSplittable(asked)) {
    return isTwice ? { kind: 'twice' } : { kind: 'cut', sample: [], total: undefined, why };
  }
  if (moved < MAX_WALKS) return { ...at, moved, tried: undefined };
  const reason = `the list of orders, ${windowText(asked.window)}, was read ${MAX_WALKS} times in vain: ${why}`;
  return toUnproven(asked.window, reason);
}

/** Where no span is proven, the sides on which no row lies, if there is just one. */
function sidesWithout(
  window: Window,
  created: readonly Temporal.PlainDateTime[],
  part: Unreached,
): Unreached {
  const below = !created.some((time) => isBefore(time, window.from));
  const above = !created.some((time) => !isBefore(time, window.to));
  return part.below && part.above && below !== above ? { below, above } : part;
}

/** An end that is open already cannot be asked beyond. */
function reachable(part: Unreached, { from, to }: Dates): Unreached {
  const sides = { below: part.below && from !== undefined, above: part.above && to !== undefined };
  return sides.below || sides.above ? sides : { below: from !== undefined, above: to !== undefined };
}

function isSplittable({ minutes }: Asked): boolean {
  return minutes > 1;
}

/** A window of which every order was received. @param part of it that is proven */
export function toWhole(
  { readCreated }: PagingDeps,
  part: Window,
  lowest: Temporal.PlainDateTime,
  dates: Dates,
  { rows, malformed, unplaced = [], isUndated, total, askedAt }: Matching,
): WholeWindow {
  const dated = rows.map((row) => ({ row, created: readCreated(row) }));
  const isAnyOlder =
    !isOpenBelow(part) && dated.some(({ created }) => created && isBefore(created, part.from));
  const isOldest = dates.from === undefined && !isAnyOlder;
  const window = isOldest ? { ...part, from: lowest } : part;
  const isOwn = ({ created }: (typeof dated)[number]) => created === undefined || isInWindow(window, created);
  const times = dated.flatMap(({ created }) => created ?? []);
  return {
    kind: 'whole',
    window,
    rows: dated.filter(isOwn).map(({ row }) => row),
    malformed,
    unplaced: unplaced.map((beside) => toDates(readCreated, beside, times)),
    isOldest,
    isUndated,
    total,
    askedAt,
  };
}

/** Between the rows beside an element, in a list in order of time; at any time in any other. */
function toDates(
  readCreated: PagingDeps['readCreated'],
  { before, after }: Neighbours,
  times: readonly Temporal.PlainDateTime[],
): Dates {
  const [first, last] = [before && readCreated(before), after && readCreated(after)];
  if (isSorted(times, -1)) return { from: last, to: first };
  return isSorted(times, 1) ? { from: first, to: last } : { from: undefined, to: undefined };
}

/** A window that holds too many orders for one reading. */
function toCut(deps: PagingDeps, asked: Asked, { rows, total, pages }: Matching): WindowReading {
  const { readCreated, book } = deps;
  if (!isSplittable(asked)) {
    const isLong = pages >= MAX_PAGES.minute;
    const tooLong = `more than ${MAX_PAGES.minute} pages of orders lie in the minute, or around it;`;
    const listed = isLong ? tooLong : 'the shop does not list the same orders by their own dates;';
    return toUnproven(asked.window, `${listed} ${windowText(asked.window)} cannot be read whole`);
  }
  const sample = rows.flatMap((row) => readCreated(row) ?? []);
  const isCount = book.profile.totalMeaning !== 'other';
  return { kind: 'cut', sample, total: isCount ? total : undefined };
}

/** No answer held orders on both sides of the window. */
function toUnreached(deps: PagingDeps, asked: Asked, rows: readonly ListRow[]): WindowReading | Bounded {
  const { readCreated } = deps;
  if (asked.bounds !== undefined) return { kind: 'bounded' };
  const { window } = asked;
  const what = `no response of the shop reached beyond ${windowText(window)}`;
  if (isSplittable(asked)) {
    const sample = rows.flatMap((row) => readCreated(row) ?? []);
    return { kind: 'cut', sample, total: undefined, why: what };
  }
  return toUnproven(window, `${what}, so it cannot be proven complete`);
}

function toNoOrders(window: Window, list: Matching, hasElements: boolean): UnprovenWindow {
  const what = hasElements
    ? 'no element that the shop lists has a usable order_id and date'
    : describeNoOrders(list);
  const reason = `${what}; its response for ${windowText(window)} is not trusted, and the days stay due`;
  return { ...toUnproven(window, reason), listed: hasElements ? 'unreadable' : 'nothing' };
}

export function rowsWithin(
  { readCreated }: PagingDeps,
  window: Window,
  rows: readonly ListRow[],
): readonly ListRow[] {
  return rows.filter((row) => {
    const created = readCreated(row);
    return created !== undefined && isInWindow(window, created);
  });
}

export function toUnproven(window: Window, reason: string): UnprovenWindow {
  return { kind: 'unproven', window, reason };
}
