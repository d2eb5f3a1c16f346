import { isBefore, isOpenAbove, minutesBetween, nextMidnight, type Window } from '../../model/window.ts';
import { closeEnds, DAY_MINUTES, PAGES_OF_FIRST, PAGES_PER_WINDOW, type WindowPlan } from './window-plan.ts';

/** A day is read by one window if it takes no more pages than this. */
const DAY_PAGES = 24;
/** The part of its pages that a window is planned to fill: counts of the ledger are more reliable than a density. */
const COUNTED_FILL = 0.9;
const GUESSED_FILL = 0.75;

/**
 * The newest window of what is left that should fit a few pages, of at least a minute; undefined when nothing is left.
 *
 * @param pageRows rows that one page is expected to hold
 */
export function nextWindow(plan: WindowPlan, pageRows: number): Window | undefined {
  const { rest, horizon } = plan;
  if (!isBefore(rest.from, rest.to)) return undefined;
  const { from, to } = closeEnds(rest, horizon);
  const minutes = minutesBetween(from, to);
  const isFirst = !plan.isCharted && isOpenAbove(rest);
  const rows = Math.max(pageRows, (pageRows - 1) * (isFirst ? PAGES_OF_FIRST : PAGES_PER_WINDOW));
  const max = Math.min(minutes, plan.maxMinutes);
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
