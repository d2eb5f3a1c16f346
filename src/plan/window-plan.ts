/**
 * The plan of one run of due days: which window to ask next, newest first, so that each answer takes a few pages.
 *
 * An immutable state: `nextWindow` looks, `afterWhole` and `afterCut` move on. The size of a window comes from what the
 * ledger counted, else from the density of the window before it; where nothing is known, the whole rest is asked at
 * once. An answer that was too long is of use all the same: where the list is sorted by date, it tells a part of the
 * window that will fit.
 */
import {
  earlierOf,
  isBefore,
  isOpenAbove,
  isOpenBelow,
  laterOf,
  minutesBetween,
  nextMidnight,
  type Window,
} from '../window.ts';
import { fittingSpans } from './fitting-spans.ts';

export type WindowPlan = {
  /** What is left to ask: `[rest.from, rest.to)`. */
  readonly rest: Window;
  /** Where orders are to be expected: what lies beyond is asked along with it. */
  readonly horizon: Window;
  /** Whether that is more than a guess: orders of the shop are held. */
  readonly isCharted: boolean;
  /** Orders by day, as the ledger counted them. */
  readonly expected: ReadonlyMap<string, number>;
  /** Rows per minute seen lately; undefined where nothing was seen yet. */
  readonly density: number | undefined;
  /** No window is longer than this: it shrinks when an answer did not fit and grows again. */
  readonly maxMinutes: number;
  /** Nor longer than this, as long as the shop fails at longer ones. */
  readonly servedMinutes: number;
  /** Of a window that did not fit: from there to the end of the rest lie so many rows at least. */
  readonly overfull: { readonly from: Temporal.PlainDateTime; readonly rows: number } | undefined;
  /** Parts of the rest that should fit; oldest first. */
  readonly fitting: readonly Window[];
};

const DAY_MINUTES = 24 * 60;
/** Pages that a window is planned to take: more cost fewer probes, and more when they shift. */
export const PAGES_PER_WINDOW = 8;
/** Pages of a day that is read by one window, though it takes more of them than others. */
const DAY_PAGES = 24;
/** The part of its pages that a window is planned to fill: counts of the ledger are surer than a density. */
const COUNTED_FILL = 0.9;
const GUESSED_FILL = 0.75;
/** Whole days that fill this part of what a window may hold are not topped up with a part of one more. */
const WHOLE_DAYS_SHARE = 0.7;
/** No longer than that is a window of a list that moved while it was read. */
const MOVING_MINUTES = 16 * DAY_MINUTES;
/** How much longer than the one before it a window may be. */
const GROWTH = 6;
/** Of a cut answer, the rows that are certain to fit the next one. */
const FITTING_SHARE = 0.8;
const PAD_ROWS = 4;
const MAX_PAD_MINUTES = 2 * DAY_MINUTES;
/** A sample that is a smaller part of what matches tells how many there are, and little of where. */
const SAMPLE_SHARE = 0.4;
/** Of fewer rows, a quiet week at the end of a busy year would be taken for the year. */
const TELLING_ROWS = 50;

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
    overfull: undefined,
    fitting: [],
  };
}

/**
 * The newest window of the rest that should be read in a few pages, of at least a minute; undefined when nothing is left.
 *
 * @param pageRows rows that one page is expected to hold
 */
export function nextWindow(plan: WindowPlan, pageRows: number): Window | undefined {
  const { rest, horizon } = plan;
  if (!isBefore(rest.from, rest.to)) return undefined;
  const known = plan.fitting.at(-1);
  if (known?.to.equals(rest.to)) return fromMidnight(known);
  const { from, to } = clipped(rest, horizon);
  if (!isBefore(from, to)) return { from: known?.to ?? rest.from, to: rest.to };
  const earliest = known && isBefore(from, known.to) ? known.to : from;
  const minutes = minutesBetween(earliest, to);
  const rows = Math.max(pageRows, (pageRows - 1) * PAGES_PER_WINDOW);
  const most = Math.min(minutes, plan.maxMinutes, minutesNotOverfull(plan, to, rows));
  const fitting = Math.max(1, Math.floor(plannedMinutes(plan, to, rows, most)));
  const planned = Math.min(minutes, plan.maxMinutes, wholeDay(plan, to, fitting, pageRows));
  if (planned >= minutes) return { from: known?.to ?? rest.from, to: rest.to };
  return fromMidnight({ from: to.subtract({ minutes: planned }), to: rest.to });
}

/** A day that takes no more pages than a day may is not split. */
function wholeDay(plan: WindowPlan, to: Temporal.PlainDateTime, minutes: number, pageRows: number): number {
  const sinceMidnight = to.hour * 60 + to.minute || DAY_MINUTES;
  if (minutes >= sinceMidnight) return minutes;
  const { rate } = rateOf(plan, to.subtract({ minutes: sinceMidnight }), Number.POSITIVE_INFINITY);
  return rate * sinceMidnight <= pageRows * DAY_PAGES ? sinceMidnight : minutes;
}

/** A day is better read by one window: one that holds a midnight begins with it. */
function fromMidnight({ from, to }: Window): Window {
  const midnight = nextMidnight(from);
  return { from: isBefore(midnight, to) ? midnight : from, to };
}

/**
 * The length of a window, with open ends put where orders are to be expected, and the minutes below it in which a few
 * orders are to be expected, so that an answer may reach one.
 */
export function measured(
  plan: WindowPlan,
  window: Window,
): { readonly minutes: number; readonly padMinutes: number } {
  const { density = 0 } = plan;
  const pad = density === 0 ? 1 : Math.max(1, Math.ceil(PAD_ROWS / density));
  return { minutes: lengthOf(plan, window), padMinutes: Math.min(pad, MAX_PAD_MINUTES) };
}

/** The window was read whole and held so many rows. */
export function afterWhole(plan: WindowPlan, window: Window, rows: number): WindowPlan {
  const { overfull } = plan;
  const minutes = lengthOf(plan, window);
  const isStillOverfull = overfull && isBefore(overfull.from, window.from);
  const longest = rows === 0 ? Number.POSITIVE_INFINITY : Math.max(minutes * GROWTH, DAY_MINUTES);
  return {
    ...plan,
    rest: { from: plan.rest.from, to: window.from },
    // A crowded minute does not speak for those before it.
    density: minutes > 1 ? rows / minutes : Math.min(rows, plan.density ?? rows),
    maxMinutes: Math.min(longest, plan.servedMinutes),
    // Parts of a day are none that a shop fails at for their length alone.
    servedMinutes: Math.max(plan.servedMinutes, Math.min(2 * plan.servedMinutes, DAY_MINUTES)),
    overfull: isStillOverfull ? { ...overfull, rows: overfull.rows - rows } : undefined,
    fitting: plan.fitting.filter((span) => !isBefore(window.from, span.to)),
  };
}

/**
 * The window did not fit: ask less.
 *
 * @param sample created minutes of the rows that came, in the order of the list
 * @param total rows in the window as the shop counts them, where it is known to count matches
 */
export function afterCut(
  plan: WindowPlan,
  window: Window,
  sample: readonly Temporal.PlainDateTime[],
  total: number | undefined,
): WindowPlan {
  const minutes = lengthOf(plan, window);
  const rows = Math.max(sample.length + 1, total ?? 0);
  const others = plan.fitting.filter((span) => !span.to.equals(window.to));
  // A span that was to fit and does not was told by an answer like this one.
  const isMisled = others.length < plan.fitting.length;
  const firstDay = window.from.toPlainDate().toString();
  // The ledger counted too few here.
  const expected = new Map([...plan.expected].filter(([day]) => day < firstDay));
  const isUncharted = !plan.isCharted && plan.density === undefined && minutes > DAY_MINUTES;
  const newest = isUncharted ? newestMinutes(window, sample) : undefined;
  if (newest !== undefined) {
    // Of a history of which nothing is known, the newest page tells more than its length does.
    const maxMinutes = Math.max(newest, DAY_MINUTES);
    return { ...plan, expected, density: sample.length / newest, maxMinutes, fitting: others };
  }
  return {
    ...plan,
    expected,
    density: rows / minutes,
    maxMinutes: Math.max(
      1,
      Math.floor(sample.length === 0 ? Math.min(minutes / 2, MOVING_MINUTES) : minutes / 2),
    ),
    overfull: { from: window.from, rows },
    fitting:
      isMisled || sample.length < rows * SAMPLE_SHARE
        ? others
        : [...others, ...fittingSpans(window, withoutRest(sample))],
  };
}

/** The minutes from the end of a window down to the last row, where the list is sorted from the newest on. */
function newestMinutes(window: Window, sample: readonly Temporal.PlainDateTime[]): number | undefined {
  const [first, last] = [sample[0], sample.at(-1)];
  const isSorted = sample.every((time, index) => index === 0 || !isBefore(sample[index - 1] ?? time, time));
  if (sample.length < TELLING_ROWS || first === undefined || last === undefined) return undefined;
  if (!isSorted || !isBefore(last, first)) return undefined;
  return minutesBetween(last, isOpenAbove(window) ? first : window.to);
}

/** The shop fails at the window, and not at others: ask for less of it, and for nothing as long. */
export function afterFault(plan: WindowPlan, window: Window): WindowPlan {
  const minutes = Math.max(1, Math.floor(lengthOf(plan, window) / 2));
  return { ...plan, maxMinutes: minutes, servedMinutes: minutes, overfull: undefined, fitting: [] };
}

/** What the shop fails at was found, and is left out: other windows may be as long as ever. */
export function afterGap(plan: WindowPlan, gap: Window): WindowPlan {
  const rest = { from: plan.rest.from, to: gap.from };
  const servedMinutes = Number.POSITIVE_INFINITY;
  return { ...plan, rest, maxMinutes: DAY_MINUTES, servedMinutes, overfull: undefined, fitting: [] };
}

/** The window could not be read: go on below its oldest day, of which no other part is of use now. */
export function afterUnproven(plan: WindowPlan, window: Window): WindowPlan {
  const midnight = window.from.toPlainDate().toPlainDateTime();
  const from = isBefore(plan.rest.from, midnight) ? midnight : plan.rest.from;
  const passed = isBefore(from, window.from) ? { ...window, from } : window;
  const maxMinutes = Math.max(plan.maxMinutes, DAY_MINUTES);
  const servedMinutes = Math.max(plan.servedMinutes, DAY_MINUTES);
  return { ...afterWhole(plan, passed, 0), density: plan.density, maxMinutes, servedMinutes };
}

/** The sample without its end, so that what is told to fit does. */
function withoutRest(sample: readonly Temporal.PlainDateTime[]): readonly Temporal.PlainDateTime[] {
  return sample.slice(0, Math.ceil(sample.length * FITTING_SHARE));
}

/** A window with its open ends put where orders are to be expected. */
function clipped(window: Window, horizon: Window): Window {
  return {
    from: isOpenBelow(window) ? earlierOf(horizon.from, window.to) : window.from,
    to: isOpenAbove(window) ? laterOf(horizon.to, window.from) : window.to,
  };
}

function lengthOf({ horizon }: WindowPlan, window: Window): number {
  const { from, to } = clipped(window, horizon);
  return Math.max(1, minutesBetween(from, to));
}

/** A window as long as the overfull span is known not to fit; half of it may. */
function minutesNotOverfull(
  { overfull, horizon }: WindowPlan,
  to: Temporal.PlainDateTime,
  rows: number,
): number {
  if (!overfull || overfull.rows < rows) return Number.POSITIVE_INFINITY;
  const { from } = clipped({ from: overfull.from, to }, horizon);
  return Math.floor(minutesBetween(from, to) / 2);
}

/** Minutes, counted back from an end, that should hold at most so many rows; not more than `most`. */
function plannedMinutes(plan: WindowPlan, to: Temporal.PlainDateTime, rows: number, most: number): number {
  const sinceMidnight = to.hour * 60 + to.minute;
  // Where nothing is counted, all days are alike.
  const isUncounted = plan.expected.size === 0;
  let [minutes, filled] = [0, 0];
  while (minutes < most) {
    const whole = minutes === 0 && sinceMidnight > 0 ? sinceMidnight : DAY_MINUTES;
    const piece = isUncounted ? most : Math.min(whole, most - minutes);
    const day = to.subtract({ minutes: minutes + piece });
    const { rate, isCounted } = rateOf(plan, day, piece === DAY_MINUTES ? rows : 0);
    // The part of the rows that each minute fills, and more where the rate is a guess.
    const share = rate / (rows * (isCounted ? COUNTED_FILL : GUESSED_FILL));
    if (filled + share * piece > 1) {
      if (filled >= WHOLE_DAYS_SHARE) return minutes;
      return minutes + Math.max(0, (1 - filled) / (rate / (rows * GUESSED_FILL)));
    }
    minutes += piece;
    filled += share * piece;
  }
  return most;
}

/** Rows per minute of a day. A count speaks for a whole day that fits a window. */
function rateOf(
  { expected, density }: WindowPlan,
  day: Temporal.PlainDateTime,
  mostCounted: number,
): { readonly rate: number; readonly isCounted: boolean } {
  const counted = expected.get(day.toPlainDate().toString());
  const isCounted = counted !== undefined && counted <= mostCounted;
  const seen = isCounted ? undefined : density;
  return { rate: seen ?? (counted ?? 0) / DAY_MINUTES, isCounted };
}
