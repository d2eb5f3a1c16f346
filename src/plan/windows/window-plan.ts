/**
 * The plan of one run of due days: which window to ask for next, newest first, so that each answer takes a few pages.
 *
 * An immutable state: `nextWindow` looks at it, `afterWhole`, `afterCut` and their like make the next one. The size of a
 * window comes from what the ledger counted, else from the density of the window before it; where nothing is known,
 * everything left is asked for at once. An answer that was too long is useful all the same: where the list is sorted by
 * date, it shows how much of the window will fit.
 */
import {
  isBefore,
  isOpenAbove,
  isOpenBelow,
  maxTime,
  minTime,
  minutesBetween,
  nextMidnight,
  type Window,
} from '../../window.ts';

export type WindowPlan = {
  /** What is left to read: `[rest.from, rest.to)`. */
  readonly rest: Window;
  /** Where orders are to be expected: what lies beyond is asked for along with it. */
  readonly horizon: Window;
  /** Whether that is more than a guess: orders of the shop are held. */
  readonly isCharted: boolean;
  /** Orders by day, as the ledger counted them. */
  readonly expected: ReadonlyMap<string, number>;
  /** Rows per minute in recent windows; undefined before the first. */
  readonly density: number | undefined;
  /** No window is longer than this: it shrinks when a window did not fit and grows again. */
  readonly maxMinutes: number;
  /** Nor longer than this while the shop fails at longer ones. */
  readonly servedMinutes: number;
  /** From a window that did not fit: between this time and the end of the rest there are at least so many rows. */
  readonly overfull: { readonly from: Temporal.PlainDateTime; readonly rows: number } | undefined;
};

export const DAY_MINUTES = 24 * 60;
/** Pages that a window is planned to take: more cost fewer probes, but more when rows move. */
export const PAGES_PER_WINDOW = 8;
/** Of the first window of a shop, since its orders are fetched once it is read. */
const PAGES_OF_FIRST = 3;
/** A day is read by one window if it takes no more pages than this. */
const DAY_PAGES = 24;
/** The part of its pages that a window is planned to fill: counts of the ledger are more reliable than a density. */
const COUNTED_FILL = 0.9;
const GUESSED_FILL = 0.75;
const PAD_ROWS = 4;
const MAX_PAD_MINUTES = 2 * DAY_MINUTES;

/**
 * @param rest what is to be read; an end of `EVER` is open
 * @param horizon where orders are to be expected, with closed ends
 * @param isCharted whether orders of the shop are held, so that the horizon is more than a guess
 */
export function planRun(
  rest: Window,
  days: readonly { readonly day: Temporal.PlainDate; readonly expected: number | undefined }[],
  horizon: Window,
  isCharted: boolean,
): WindowPlan {
  const counted = days.flatMap(({ day, expected }): [string, number][] =>
    expected === undefined ? [] : [[day.toString(), expected]],
  );
  return {
    rest,
    horizon,
    isCharted,
    expected: new Map(counted),
    density: undefined,
    maxMinutes: Number.POSITIVE_INFINITY,
    servedMinutes: Number.POSITIVE_INFINITY,
    overfull: undefined,
  };
}

/** The newest window of what is left that should fit a few pages, of at least a minute; undefined when nothing is left. */
export function nextWindow(plan: WindowPlan, pageRows: number): Window | undefined {
  const { rest, horizon } = plan;
  if (!isBefore(rest.from, rest.to)) return undefined;
  const { from, to } = closeEnds(rest, horizon);
  const minutes = minutesBetween(from, to);
  const isFirst = !plan.isCharted && isOpenAbove(rest);
  const rows = Math.max(pageRows, (pageRows - 1) * (isFirst ? PAGES_OF_FIRST : PAGES_PER_WINDOW));
  const max = Math.min(minutes, plan.maxMinutes, maxBelowOverfull(plan, to, rows));
  const fitting = Math.max(1, Math.floor(planMinutes(plan, to, rows, max)));
  const planned = Math.min(minutes, plan.maxMinutes, extendToDay(plan, to, fitting, pageRows));
  if (planned >= minutes) return rest;
  return startAtMidnight(plan, { from: to.subtract({ minutes: planned }), to: rest.to });
}

/** A day is not split unless it takes too many pages. */
function extendToDay(
  plan: WindowPlan,
  to: Temporal.PlainDateTime,
  minutes: number,
  pageRows: number,
): number {
  const sinceMidnight = to.hour * 60 + to.minute || DAY_MINUTES;
  const { rate } = estimateRate(plan, to.subtract({ minutes: sinceMidnight }), Number.POSITIVE_INFINITY);
  return rate * sinceMidnight <= pageRows * DAY_PAGES ? Math.max(minutes, sinceMidnight) : minutes;
}

/** A day is better read by one window: a window that contains a midnight begins with it, unless all after it is to come. */
function startAtMidnight({ horizon }: WindowPlan, window: Window): Window {
  const midnight = nextMidnight(window.from);
  return isBefore(midnight, closeEnds(window, horizon).to) ? { ...window, from: midnight } : window;
}

/** A window as long as the overfull span is known not to fit; half of that may. */
function maxBelowOverfull(
  { overfull, horizon }: WindowPlan,
  to: Temporal.PlainDateTime,
  rows: number,
): number {
  if (!overfull || overfull.rows < rows) return Number.POSITIVE_INFINITY;
  const { from } = closeEnds({ from: overfull.from, to }, horizon);
  return Math.floor(minutesBetween(from, to) / 2);
}

/** Minutes, counted back from an end, that should hold at most so many rows; not more than `max`. */
function planMinutes(plan: WindowPlan, to: Temporal.PlainDateTime, rows: number, max: number): number {
  const sinceMidnight = to.hour * 60 + to.minute;
  // Where nothing is counted, all days are alike.
  const isUncounted = plan.expected.size === 0;
  let [minutes, filled] = [0, 0];
  while (minutes < max) {
    const whole = minutes === 0 && sinceMidnight > 0 ? sinceMidnight : DAY_MINUTES;
    const piece = isUncounted ? max : Math.min(whole, max - minutes);
    const day = to.subtract({ minutes: minutes + piece });
    const { rate, isCounted } = estimateRate(plan, day, piece === DAY_MINUTES ? rows : 0);
    // The part of the rows that each minute fills, and more where the rate is a guess.
    const share = rate / (rows * (isCounted ? COUNTED_FILL : GUESSED_FILL));
    // A part of one more day would not be kept: a window that contains a midnight begins with it.
    if (filled + share * piece > 1) return minutes > 0 ? minutes : (rows * GUESSED_FILL) / rate;
    minutes += piece;
    filled += share * piece;
  }
  return max;
}

/** Rows per minute of a day. A count is used for a whole day that fits a window. */
function estimateRate(
  { expected, density }: WindowPlan,
  day: Temporal.PlainDateTime,
  maxCounted: number,
): { readonly rate: number; readonly isCounted: boolean } {
  const counted = expected.get(day.toPlainDate().toString());
  const isCounted = counted !== undefined && counted <= maxCounted;
  const seen = isCounted ? undefined : density;
  return { rate: seen ?? (counted ?? 0) / DAY_MINUTES, isCounted };
}

/**
 * The length of a window, with open ends put where orders are to be expected, and the minutes below it in which a few
 * orders are to be expected, so that an answer may reach one.
 */
export function measureWindow(
  plan: WindowPlan,
  window: Window,
): { readonly minutes: number; readonly padMinutes: number } {
  const { density = 0 } = plan;
  const pad = density === 0 ? 1 : Math.max(1, Math.ceil(PAD_ROWS / density));
  return { minutes: countMinutes(plan, window), padMinutes: Math.min(pad, MAX_PAD_MINUTES) };
}

/**
 * The plan for a history of which the first answers show the ends, about.
 *
 * @param newest about when the newest of them was placed
 */
export function chart(
  plan: WindowPlan,
  sample: readonly Temporal.PlainDateTime[],
  rows: number,
  newest: Temporal.PlainDateTime,
): WindowPlan {
  const to = maxTime(newest.add({ minutes: 1 }), minTime(newest.add({ days: 1 }), plan.horizon.to));
  // A page that begins with the newest order shows how densely the newest ones lie, and not since when.
  if (sample[0]?.equals(newest)) return { ...plan, horizon: { ...plan.horizon, to } };
  const horizon = { from: sample.reduce(minTime, newest), to };
  return { ...plan, horizon, density: rows / minutesBetween(horizon.from, horizon.to) };
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
