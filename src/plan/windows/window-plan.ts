/**
 * The plan of one run of due days: which window to ask for next, newest first, so that each answer takes a few pages.
 *
 * An immutable state: `nextWindow` looks at it, `afterWhole`, `afterCut` and their like make the next one. The size of a
 * window comes from what the ledger counted, else from the density of the window before it, or of an answer that was too
 * long; where nothing is known, everything left is asked for at once.
 */
import {
  minTime,
  isOpenAbove,
  isOpenBelow,
  maxTime,
  minutesBetween,
  type Window,
} from '../../model/window.ts';

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
};

export const DAY_MINUTES = 24 * 60;
/** Pages that a window is planned to take: more cost fewer probes, but more when rows move. */
export const PAGES_PER_WINDOW = 8;
/** Of the first window of a shop, since its orders are fetched once it is read. */
export const PAGES_OF_FIRST = 3;
/** Of fewer rows, a quiet week at the end of a busy year would be taken for the year. */
export const TELLING_ROWS = 50;
const PAD_ROWS = 4;
const MAX_PAD_MINUTES = 2 * DAY_MINUTES;

/**
 * @param rest what is to be read; an end of `EVER` is open
 * @param days counts of the ledger
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
  };
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
 * @param sample created minutes of the first rows of all, in the order of the list
 * @param total orders by the shop's own count
 * @param newest created minutes of the newest orders, about; at least one
 */
export function chart(
  plan: WindowPlan,
  sample: readonly Temporal.PlainDateTime[],
  total: number | undefined,
  newest: readonly Temporal.PlainDateTime[],
): WindowPlan {
  const [first, last] = [newest.reduce(minTime), newest.reduce(maxTime)];
  const to = last.add({ minutes: 1 });
  // A page that begins with the newest order shows how densely the newest ones lie, and not since when.
  if (sample[0]?.equals(last)) return { ...plan, horizon: { ...plan.horizon, to } };
  const from = sample.reduce(minTime, last);
  const rows = Math.max(sample.length, total ?? 0);
  const latest = newest.length < TELLING_ROWS ? 0 : newest.length / minutesBetween(first, to);
  return { ...plan, horizon: { from, to }, density: Math.max(latest, rows / minutesBetween(from, to)) };
}

/** Minutes of a window, open ends put where orders are to be expected; at least one. */
export function countMinutes({ horizon }: WindowPlan, window: Window): number {
  const { from, to } = closeEnds(window, horizon);
  return Math.max(1, minutesBetween(from, to));
}

/** A window with its open ends put where orders are to be expected. */
export function closeEnds(window: Window, horizon: Window): Window {
  return {
    from: isOpenBelow(window) ? minTime(horizon.from, window.to) : window.from,
    to: isOpenAbove(window) ? maxTime(horizon.to, window.from) : window.to,
  };
}
