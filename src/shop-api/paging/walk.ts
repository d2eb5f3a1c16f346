import type { JsonValue } from '../../json.ts';
import { isBefore, isInWindow, isOpenBelow, nextMidnight, type Window, windowText } from '../../window.ts';
import type { ListRow } from '../endpoints/orders.ts';
import { askPage, type Dates, type PagingDeps } from './ask-page.ts';
import {
  type Asked,
  datesFor,
  farther,
  type KnownOrders,
  nearer,
  NEAREST,
  type Reach,
} from './asked-dates.ts';
import { confirmBelow } from './confirm-below.ts';
import { confirmEnds } from './confirm-ends.ts';
import { provenPart, provenSpan } from './conclude.ts';
import { PageFault } from './page-fault.ts';
import { isProvenByHalves } from './prove-by-halves.ts';
import { type Matching, readMatching, type Rows } from './read-matching.ts';

export type WalkDeps = PagingDeps & { readonly known: KnownOrders };

export type WindowReading =
  /** Every order of the window, each once. */
  | {
      readonly kind: 'whole';
      /** What is proven: the window that was asked for, or its newer part, or all that is left where nothing is older. */
      readonly window: Window;
      /** Orders of the window, and those without a readable date that came along. */
      readonly rows: readonly ListRow[];
      readonly malformed: readonly JsonValue[];
      /** Nothing is older than what this window holds. */
      readonly isOldest: boolean;
      /** The list was asked for without any date, so that it held the orders that have none as well. */
      readonly isUndated: boolean;
      /** As the shop says it. */
      readonly total: number | undefined;
      /** The instant before the first request: what the reading speaks of. */
      readonly askedAt: Temporal.Instant;
    }
  /** Too many rows at once: read smaller windows. */
  | {
      readonly kind: 'cut';
      /** Created minutes of rows that came, in the order of the list. */
      readonly sample: readonly Temporal.PlainDateTime[];
      /** Matching orders by the shop's own count. */
      readonly total: number | undefined;
      /** The shop fails at this window, and not at others. */
      readonly isFault?: boolean;
      /** The dates of which an order came twice, again and again. */
      readonly twins?: Dates | undefined;
    }
  | {
      readonly kind: 'unproven';
      readonly reason: string;
      /** What cannot be proven, where it is known not to be all of the window, or more. */
      readonly window?: Window;
      /** Orders that came all the same. */
      readonly rows?: readonly ListRow[];
      /** It is the bounds of what may be asked that are in the way. */
      readonly isBounded?: boolean;
    };

const MAX_TRIES = 5;
/** Several pages are better read in parts than again and again. */
const MAX_LONG_TRIES = 2;
/** Answers that make sure that a list holds no second order. */
const FEW_PROBES = 3;
const DAY_MINUTES = 24 * 60;
/**
 * Pages of one answer, by the length of the window. A minute cannot be split, and a day only where the shop's filter
 * minds the time of day.
 */
const MAX_PAGES = { minute: 400, partOfDay: 100, day: 30, longer: 10 };

/**
 * Reads a window with the proof that it was read whole, by the answers to these very requests.
 *
 * @throws TerminalError when the server does not filter by the date of creation
 */
export async function readWindow(deps: WalkDeps, asked: Asked): Promise<WindowReading> {
  const came: { rows?: readonly ListRow[] } = {};
  try {
    return await walkWindow(deps, asked, came);
  } catch (error) {
    if (error instanceof PageFault) error.rows = came.rows;
    throw error;
  }
}

/** @param came given the rows of each answer */
async function walkWindow(
  deps: WalkDeps,
  asked: Asked,
  came: { rows?: readonly ListRow[] },
): Promise<WindowReading> {
  const { window } = asked;
  let reach: Reach = NEAREST;
  let isEmptyAgain = false;
  for (let tries = 1; tries <= MAX_TRIES;) {
    const dates = await datesFor(asked, deps.known, reach);
    const answer = await confirmed(deps, dates, await readMatching(deps, dates, maxPages(asked)));
    if (answer.kind === 'moved') {
      // Of fewer pages at once, some may stand still; an order that always comes twice is in the way of its own minute.
      const isBetterSplit = answer.pages > 1 || answer.hasTwins === true;
      if (tries >= MAX_LONG_TRIES && isBetterSplit && isSplittable(asked)) {
        return {
          kind: 'cut',
          sample: [],
          total: undefined,
          twins: answer.hasTwins === true ? dates : undefined,
        };
      }
      tries++;
      continue;
    }
    if (answer.kind === 'cut') {
      const next = nearer(dates, window, reach);
      if (next === undefined) return cutReading(deps, asked, answer);
      reach = next;
      continue;
    }
    if (answer.kind === 'few' && dates.from === undefined && dates.to === undefined) {
      const few = await readFew(deps, asked, answer);
      if (few !== 'moved') return few;
      tries++;
      continue;
    }
    came.rows = answer.rows;
    const created = answer.rows.flatMap((row) => deps.createdOf(row) ?? []);
    const part = provenPart(window, answer.kind === 'few' ? undefined : provenSpan(dates, created));
    if ('from' in part) return wholeDays(deps, asked, part, dates, answer);
    if (dates.from === undefined && dates.to === undefined) return noOrders(window, true);
    // An empty answer may be a fault that passes.
    isEmptyAgain = answer.rows.length === 0 && !isEmptyAgain;
    if (isEmptyAgain) continue;
    const next = farther(reach, reachable(part, dates));
    if (next === undefined || (await isAsFar(deps, asked, next, dates))) {
      return unreached(asked, created, answer.rows);
    }
    reach = next;
  }
  return {
    kind: 'unproven',
    reason: `the orders of ${windowText(window)} shifted during each of ${MAX_TRIES} walks`,
  };
}

/** A part that begins within a day is completed to that day where no more is needed than to look below it. */
async function wholeDays(
  deps: WalkDeps,
  asked: Asked,
  part: Window,
  dates: Dates,
  answer: Rows,
): Promise<WindowReading> {
  const { window, lowest } = asked;
  const isPartOfDay = !part.from.equals(window.from) && !part.from.equals(nextMidnight(part.from));
  const below = isPartOfDay ? await confirmBelow(deps, asked, part, answer.rows) : undefined;
  if (below === undefined) return whole(deps, part, lowest, dates, answer);
  const rows = [...new Map([...below.rows, ...answer.rows].map((row) => [row.orderId, row])).values()];
  const reading = whole(deps, window, lowest, { from: below.from, to: dates.to }, { ...answer, rows });
  return { ...reading, isUndated: false };
}

/** Whether the bounds of what may be asked leave no more to be asked for. */
async function isAsFar(deps: WalkDeps, asked: Asked, reach: Reach, { from, to }: Dates): Promise<boolean> {
  if (asked.bounds === undefined) return false;
  const next = await datesFor(asked, deps.known, reach);
  return String(next.from) === String(from) && String(next.to) === String(to);
}

/** No answer held orders on both sides of the window. */
function unreached(
  asked: Asked,
  sample: readonly Temporal.PlainDateTime[],
  rows: readonly ListRow[],
): WindowReading {
  if (asked.bounds !== undefined) return { kind: 'unproven', reason: '', isBounded: true, rows };
  if (isSplittable(asked)) return { kind: 'cut', sample, total: undefined };
  const reason = `no answer of the shop reached beyond ${windowText(asked.window)}, so that nothing shows that it is whole`;
  return { kind: 'unproven', reason };
}

function isSplittable({ minutes }: Asked): boolean {
  return minutes > 1;
}

/** An end that is open already cannot be asked beyond. */
function reachable(part: { readonly below: boolean; readonly above: boolean }, { from, to }: Dates) {
  const sides = { below: part.below && from !== undefined, above: part.above && to !== undefined };
  return sides.below || sides.above ? sides : { below: from !== undefined, above: to !== undefined };
}

/** A shop that ignores `start` shows one page only; it may hold the whole answer all the same. */
async function confirmed(deps: WalkDeps, dates: Dates, answer: Matching): Promise<Matching> {
  if (answer.kind === 'complete') return confirmEnds(deps, dates, answer);
  if (answer.kind !== 'cut' || !answer.isStartIgnored || answer.malformed.length > 0) return answer;
  if (await isProvenByHalves(deps, dates, answer.rows)) return { ...answer, kind: 'complete', pages: 1 };
  // Two rows come again as they are also when one was placed before them meanwhile.
  return answer.rows.length > 2 ? answer : { kind: 'moved', pages: 1 };
}

function maxPages({ minutes }: Asked): number {
  if (minutes <= 1) return MAX_PAGES.minute;
  if (minutes < DAY_MINUTES) return MAX_PAGES.partOfDay;
  return minutes === DAY_MINUTES ? MAX_PAGES.day : MAX_PAGES.longer;
}

function whole(
  deps: WalkDeps,
  part: Window,
  lowest: Temporal.PlainDateTime,
  dates: Dates,
  { rows, malformed, total, askedAt }: Rows,
): Extract<WindowReading, { kind: 'whole' }> {
  const dated = rows.map((row) => ({ row, created: deps.createdOf(row) }));
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

function cutReading(deps: WalkDeps, asked: Asked, answer: Extract<Matching, { kind: 'cut' }>): WindowReading {
  if (!isSplittable(asked)) {
    const why = answer.isStartIgnored
      ? 'the shop ignores "start", and the minute'
      : `more than ${MAX_PAGES.minute} pages of orders lie in the minute, or around it;`;
    return { kind: 'unproven', reason: `${why} ${windowText(asked.window)} cannot be read whole` };
  }
  const sample = answer.rows.flatMap((row) => deps.createdOf(row) ?? []);
  const { totalMeaning } = deps.book.profile;
  return { kind: 'cut', sample, total: totalMeaning === 'other' ? undefined : answer.total };
}

/**
 * The whole list holds one order or none. Of one, asking beyond it must bring nothing, each time; a list without any is no
 * proof of anything, since many faults look like it.
 */
async function readFew(
  deps: WalkDeps,
  { window, lowest }: Asked,
  first: Rows,
): Promise<WindowReading | 'moved'> {
  const again = await askPage(deps, { from: undefined, to: undefined }, 0);
  if (again === 'unfiltered' || again.received > 1) return 'moved';
  const only = first.rows[0];
  const isSame = again.received === 1 && again.keys[0] === only?.orderId;
  if (only === undefined || !isSame) return noOrders(window, first.malformed.length > 0);
  for (let probes = 0; probes < FEW_PROBES; probes++) {
    const beyond = await askPage(deps, { from: undefined, to: undefined }, 1);
    if (beyond === 'unfiltered' || beyond.received > 0) {
      return { kind: 'unproven', reason: 'the shop lists its orders one by one, which proves nothing' };
    }
  }
  return whole(deps, window, lowest, { from: undefined, to: undefined }, first);
}

function noOrders(window: Window, hasElements: boolean): WindowReading {
  const reason = hasElements
    ? 'no element that the shop lists has a usable order_id and date'
    : 'the shop lists no orders at all';
  return {
    kind: 'unproven',
    reason: `${reason}; its answer for ${windowText(window)} is not believed, and the days stay due`,
  };
}
