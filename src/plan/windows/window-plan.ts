/**
 * Which window of due days to ask for next, newest first, so that each takes a few pages. The first size comes from what the
 * ledger counted, or how densely orders were found to lie; what does not fit is split at its middle. Pure: each step makes
 * the next plan.
 */
import {
  isBefore,
  isOpenAbove,
  isOpenBelow,
  maxTime,
  minTime,
  minutesBetween,
  type Window,
} from '../../model/window.ts';

export type WindowPlan = {
  /** What is left to read; an end of `EVER` is open. */
  readonly rest: Window;
  /** The end of the last day to expect orders of: the length of a window that is open above. */
  readonly latest: Temporal.PlainDateTime;
  /** Orders by day, as the ledger counted them. */
  readonly expected: ReadonlyMap<string, number>;
  /** Orders per minute where nothing is counted; 0 as long as nothing is known. */
  readonly density: number;
  /** No window is longer than this: it shrinks when one does not fit, and grows again. */
  readonly maxMinutes: number;
};

export const DAY_MINUTES = 24 * 60;
/** Pages that a window is planned to take: more cost fewer last rows, and more when orders move. */
export const PAGES_PER_WINDOW = 8;
/** The part of its pages that a window is planned to fill: densities vary. */
const FILL = 0.8;
/** A day is read by one window if it takes no more pages than this. */
const PAGES_PER_DAY = 24;
const GROWTH = 4;
/** As long as nothing is known, no order is expected to be older. */
const OLDEST = Temporal.PlainDateTime.from('2005-01-01T00:00');

/**
 * @param days counts of the ledger
 * @param today the last day to expect orders of
 */
export function planRun(
  rest: Window,
  days: readonly { readonly day: Temporal.PlainDate; readonly expected: number | undefined }[],
  today: Temporal.PlainDate,
): WindowPlan {
  const counted = days.flatMap(({ day, expected }): [string, number][] =>
    expected === undefined ? [] : [[day.toString(), expected]],
  );
  const latest = today.add({ days: 1 }).toPlainDateTime();
  return { rest, latest, expected: new Map(counted), density: 0, maxMinutes: Infinity };
}

/**
 * The next window to read, from the newest end of what is left, so large that it should fit its pages: whole days, or a part of the
 * newest day. The whole rest if nothing is known of its size; undefined if nothing is left.
 *
 * @param pageRows rows that one page is expected to hold
 */
export function nextWindow(plan: WindowPlan, pageRows: number): Window | undefined {
  const { expected, maxMinutes, rest } = plan;
  if (!isBefore(rest.from, rest.to)) return undefined;
  if (expected.size === 0 && maxMinutes === Infinity) return rest;
  const { from, to } = closeEnds(plan, rest);
  const most = FILL * Math.max(1, pageRows - 1) * PAGES_PER_WINDOW;
  let [start, left] = [to, most];
  while (isBefore(from, start)) {
    const midnight = start.subtract({ minutes: 1 }).toPlainDate().toPlainDateTime();
    const perMinute = rate(plan, midnight);
    left -= perMinute * minutesBetween(midnight, start);
    if (left >= 0 && minutesBetween(midnight, to) <= maxMinutes) {
      start = midnight;
      continue;
    }
    if (isBefore(start, to)) break;
    const isOfOneWindow = perMinute * DAY_MINUTES <= pageRows * PAGES_PER_DAY;
    const minutes = Math.min(maxMinutes, isOfOneWindow ? DAY_MINUTES : most / perMinute);
    start = maxTime(midnight, to.subtract({ minutes: Math.max(1, Math.floor(minutes)) }));
    break;
  }
  return isBefore(from, start) ? { from: start, to: rest.to } : rest;
}

/** Orders per minute of a day. */
function rate({ density, expected }: WindowPlan, midnight: Temporal.PlainDateTime): number {
  const counted = expected.get(midnight.toPlainDate().toString());
  return counted === undefined ? density : counted / DAY_MINUTES;
}

/** The window was read whole and had this many orders. */
export function afterWhole(plan: WindowPlan, window: Window, orders: number): WindowPlan {
  const minutes = countMinutes(plan, window);
  return { ...skipTo(plan, window.from), density: orders / minutes, maxMinutes: minutes * GROWTH };
}

/**
 * The window is to be read in smaller ones: half as long at most, and from its middle row on.
 *
 * @param created when the orders received were created, oldest first
 */
export function afterSplit(
  plan: WindowPlan,
  window: Window,
  created: readonly Temporal.PlainDateTime[],
): WindowPlan {
  const firstDay = window.from.toPlainDate().toString();
  // The ledger counted too few here.
  const expected = new Map([...plan.expected].filter(([day]) => day < firstDay));
  const half = Math.max(1, Math.floor(countMinutes(plan, window) / 2));
  const { to } = closeEnds(plan, window);
  const at = (index: number) => created.at(index) ?? to;
  const newer = minutesBetween(at(created.length >> 1), to);
  // Where the list is in order of time, they lie next to each other; in any other, as far apart as can be.
  const density = created.length / Math.max(1, minutesBetween(at(0), at(-1)));
  return { ...plan, expected, density, maxMinutes: newer > 0 ? Math.min(half, newer) : half };
}

/** Skips everything down to a time. */
export const skipTo = (plan: WindowPlan, to: Temporal.PlainDateTime): WindowPlan => ({
  ...plan,
  rest: { ...plan.rest, to },
  maxMinutes: Math.max(plan.maxMinutes, DAY_MINUTES),
});

/** Minutes of a window, with open ends moved to where orders are expected; at least one. */
export function countMinutes(plan: WindowPlan, window: Window): number {
  const { from, to } = closeEnds(plan, window);
  return Math.max(1, minutesBetween(from, to));
}

/** A window with its open ends moved to where orders are expected. */
const closeEnds = ({ latest }: WindowPlan, window: Window): Window => ({
  from: isOpenBelow(window) ? minTime(OLDEST, window.to) : window.from,
  to: isOpenAbove(window) ? maxTime(latest, window.from) : window.to,
});
