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
  /** Where orders are to be expected, with closed ends. */
  readonly horizon: Window;
  /** Orders by day, as the ledger counted them. */
  readonly expected: ReadonlyMap<string, number>;
  /** Orders per minute where nothing is counted; undefined as long as nothing is known. */
  readonly density: number | undefined;
  /** No window is longer than this: it shrinks when one does not fit, and grows again. */
  readonly maxMinutes: number;
};

export const DAY_MINUTES = 24 * 60;
/** Pages that a window is planned to take: more cost fewer last rows, and more when orders move. */
export const PAGES_PER_WINDOW = 8;
/** A day is read by one window if it takes no more pages than this. */
const PAGES_PER_DAY = 24;
/** The part of its pages that a window is planned to fill: densities vary. */
const FILL = 0.8;
const GROWTH = 4;
/** Orders that a window reaches for beyond its end where none is known there. */
const PAD_ROWS = 4;
const MAX_PAD_MINUTES = 2 * DAY_MINUTES;

/** @param days counts of the ledger */
export function planRun(
  rest: Window,
  days: readonly { readonly day: Temporal.PlainDate; readonly expected: number | undefined }[],
  horizon: Window,
  density?: number,
): WindowPlan {
  const expected = new Map(
    days.flatMap(({ day, expected: orders }) => (orders === undefined ? [] : [[day.toString(), orders]])),
  );
  return { rest, horizon, expected, density, maxMinutes: Number.POSITIVE_INFINITY };
}

/**
 * The newest window of what is left that should fit its pages; undefined when nothing is left.
 *
 * @param pageRows rows that one page is expected to hold
 */
export function nextWindow(plan: WindowPlan, pageRows: number): Window | undefined {
  const { rest, density, expected, maxMinutes } = plan;
  if (!isBefore(rest.from, rest.to)) return undefined;
  const isUnknown = density === undefined && expected.size === 0 && !Number.isFinite(maxMinutes);
  if (isUnknown) return rest;
  const { from, to } = closeEnds(rest, plan.horizon);
  const most = FILL * Math.max(1, pageRows - 1) * PAGES_PER_WINDOW;
  let [start, rows] = [to, 0];
  while (isBefore(from, start)) {
    const midnight = start.subtract({ minutes: 1 }).toPlainDate().toPlainDateTime();
    const orders = rate(plan, midnight) * minutesBetween(midnight, start);
    const isTooLong = minutesBetween(midnight, to) > maxMinutes;
    if (rows + orders > most || isTooLong) {
      // Days that are whole, or as much of the newest one as fits.
      if (isBefore(start, to)) break;
      const isOfOneWindow = !isTooLong && orders <= pageRows * PAGES_PER_DAY;
      const minutes = Math.min(maxMinutes, most / Math.max(rate(plan, midnight), Number.MIN_VALUE));
      start = isOfOneWindow
        ? midnight
        : maxTime(midnight, to.subtract({ minutes: Math.max(1, Math.floor(minutes)) }));
      break;
    }
    rows += orders;
    start = midnight;
  }
  return isBefore(from, start) ? { from: start, to: rest.to } : rest;
}

/** Orders per minute of a day. */
function rate({ expected, density = 0 }: WindowPlan, midnight: Temporal.PlainDateTime): number {
  const counted = expected.get(midnight.toPlainDate().toString());
  return counted === undefined ? density : counted / DAY_MINUTES;
}

/** The window was read whole and held so many orders. */
export function afterWhole(plan: WindowPlan, window: Window, orders: number): WindowPlan {
  const minutes = countMinutes(plan, window);
  return {
    ...plan,
    rest: { ...plan.rest, to: window.from },
    // An empty window says only that orders do not lie as densely everywhere.
    density: orders > 0 || plan.density === undefined ? orders / minutes || undefined : plan.density / GROWTH,
    maxMinutes: minutes * GROWTH,
  };
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
  const [oldest, middle, newest] = [created[0], created[created.length >> 1], created.at(-1)];
  if (oldest === undefined || middle === undefined || newest === undefined)
    return { ...plan, expected, maxMinutes: half };
  const newer = minutesBetween(middle, closeEnds(window, plan.horizon).to);
  // Where the list is in order of time, they lie next to each other; in any other, as far apart as can be.
  const density = created.length / Math.max(1, minutesBetween(oldest, newest));
  return { ...plan, expected, density, maxMinutes: newer > 0 ? Math.min(half, newer) : half };
}

/** Nothing more is to be proven down to a time. */
export const skipTo = (plan: WindowPlan, to: Temporal.PlainDateTime): WindowPlan => ({
  ...plan,
  rest: { ...plan.rest, to },
  maxMinutes: Math.max(plan.maxMinutes, DAY_MINUTES),
});

/** Minutes beyond the end of a window in which a few orders are to be expected. */
export function padMinutes({ density = 0 }: WindowPlan): number {
  return density === 0
    ? MAX_PAD_MINUTES
    : Math.min(MAX_PAD_MINUTES, Math.max(1, Math.ceil(PAD_ROWS / density)));
}

/** Minutes of a window, open ends put where orders are to be expected; at least one. */
export function countMinutes({ horizon }: WindowPlan, window: Window): number {
  const { from, to } = closeEnds(window, horizon);
  return Math.max(1, minutesBetween(from, to));
}

/** A window with its open ends put where orders are to be expected. */
function closeEnds(window: Window, horizon: Window): Window {
  return {
    from: isOpenBelow(window) ? minTime(horizon.from, window.to) : window.from,
    to: isOpenAbove(window) ? maxTime(horizon.to, window.from) : window.to,
  };
}
