/**
 * The plan of one run of due days: which window to ask next, newest first, so that each answer fits one page.
 *
 * An immutable state: `nextWindow` looks, `afterWhole` and `afterOverflow` move on. The size of a window comes from
 * what the ledger counted, else from the density of the window before it; where nothing is known, the whole rest is
 * asked at once. A page that did not hold its window is of use all the same: where the list is sorted by date, it tells
 * a part of the window that will fit.
 */
import { fittingSpans } from './fitting-spans.ts';

/** A half-open span of shop-local time; both ends on a minute. */
export type Window = { readonly from: Temporal.PlainDateTime; readonly to: Temporal.PlainDateTime };

export type WindowPlan = {
  /** What is left to ask: `[rest.from, rest.to)`. */
  readonly rest: Window;
  /** Orders by day, as the ledger counted them. */
  readonly expected: ReadonlyMap<string, number>;
  /** Rows per minute seen lately; undefined where nothing was seen yet. */
  readonly density: number | undefined;
  /** No window is longer than this: it shrinks when an answer did not fit and grows again. */
  readonly maxMinutes: number;
  /** Of a window that did not fit: from there to the end of the rest lie so many rows at least. */
  readonly overfull: { readonly from: Temporal.PlainDateTime; readonly rows: number } | undefined;
  /** Parts of the rest that should fit a page each; oldest first. */
  readonly fitting: readonly Window[];
};

const DAY_MINUTES = 24 * 60;
/** The part of a page that a window is planned to fill: counts of the ledger are surer than a density. */
const COUNTED_FILL = 0.9;
const GUESSED_FILL = 0.75;
/** Whole days that fill this part of what a window may hold are not topped up with a part of one more. */
const WHOLE_DAYS_SHARE = 0.7;
/** How much longer than the one before it a window may be. */
const GROWTH = 6;

export function planRun(
  days: readonly { readonly day: Temporal.PlainDate; readonly expected: number | undefined }[],
  from: Temporal.PlainDate,
  to: Temporal.PlainDate,
): WindowPlan {
  const counted = days.flatMap(({ day, expected }): [string, number][] =>
    expected === undefined ? [] : [[day.toString(), expected]],
  );
  return {
    rest: { from: from.toPlainDateTime(), to: to.add({ days: 1 }).toPlainDateTime() },
    expected: new Map(counted),
    density: undefined,
    maxMinutes: Number.POSITIVE_INFINITY,
    overfull: undefined,
    fitting: [],
  };
}

/**
 * The newest window of the rest that should fit a page, of at least a minute; undefined when nothing is left.
 *
 * @param pageRows rows that one page is known to hold
 */
export function nextWindow(plan: WindowPlan, pageRows: number): Window | undefined {
  const { from, to } = plan.rest;
  if (Temporal.PlainDateTime.compare(from, to) >= 0) return undefined;
  const known = plan.fitting.at(-1);
  if (known?.to.equals(to)) return known;
  const earliest = known?.to ?? from;
  const minutes = minutesBetween(earliest, to);
  const most = Math.min(minutes, plan.maxMinutes, minutesNotOverfull(plan, pageRows));
  const planned = Math.max(1, Math.floor(plannedMinutes(plan, pageRows, most)));
  return { from: planned >= minutes ? earliest : to.subtract({ minutes: planned }), to };
}

/** The window was read whole and held so many rows. */
export function afterWhole(plan: WindowPlan, window: Window, rows: number): WindowPlan {
  const { overfull } = plan;
  const minutes = minutesBetween(window.from, window.to);
  const isStillOverfull = overfull && Temporal.PlainDateTime.compare(overfull.from, window.from) < 0;
  return {
    ...plan,
    rest: { from: plan.rest.from, to: window.from },
    // A crowded minute does not speak for those before it.
    density: minutes > 1 ? rows / minutes : Math.min(rows, plan.density ?? rows),
    maxMinutes: rows === 0 ? Number.POSITIVE_INFINITY : Math.max(minutes * GROWTH, DAY_MINUTES),
    overfull: isStillOverfull ? { ...overfull, rows: overfull.rows - rows } : undefined,
    fitting: plan.fitting.filter((span) => Temporal.PlainDateTime.compare(span.to, window.from) <= 0),
  };
}

/**
 * The window did not fit a page: ask less.
 *
 * @param sample created minutes of the rows that came, in the order of the list
 * @param matching rows in the window as the server counts them, where that is trusted
 */
export function afterOverflow(
  plan: WindowPlan,
  window: Window,
  sample: readonly Temporal.PlainDateTime[],
  matching: number | undefined,
): WindowPlan {
  const minutes = minutesBetween(window.from, window.to);
  const rows = Math.max(sample.length + 1, matching ?? 0);
  const others = plan.fitting.filter((span) => !span.to.equals(window.to));
  // A span that was to fit and does not was told by a page like this one.
  const isMisled = others.length < plan.fitting.length;
  const firstDay = window.from.toPlainDate().toString();
  return {
    ...plan,
    // The ledger counted too few here.
    expected: new Map([...plan.expected].filter(([day]) => day < firstDay)),
    density: rows / minutes,
    maxMinutes: Math.max(1, Math.floor(minutes / 2)),
    overfull: { from: window.from, rows },
    fitting: isMisled ? others : [...others, ...fittingSpans(window, sample)],
  };
}

export function minutesBetween(from: Temporal.PlainDateTime, to: Temporal.PlainDateTime): number {
  return from.until(to, { largestUnit: 'minutes' }).total('minutes');
}

/** A window as long as the overfull span is known not to fit; half of it may. */
function minutesNotOverfull({ rest, overfull }: WindowPlan, pageRows: number): number {
  if (!overfull || overfull.rows < pageRows) return Number.POSITIVE_INFINITY;
  return Math.floor(minutesBetween(overfull.from, rest.to) / 2);
}

/** Minutes, counted back from the end of the rest, that should fit a page; not more than `most`. */
function plannedMinutes(plan: WindowPlan, pageRows: number, most: number): number {
  const { to } = plan.rest;
  const sinceMidnight = to.hour * 60 + to.minute;
  let fill = COUNTED_FILL;
  let [minutes, rows] = [0, 0];
  while (minutes < most) {
    const whole = minutes === 0 && sinceMidnight > 0 ? sinceMidnight : DAY_MINUTES;
    const piece = Math.min(whole, most - minutes);
    const { rate, isCounted } = rateOf(plan, minutes + piece, piece === DAY_MINUTES ? pageRows : 0);
    if (!isCounted) fill = GUESSED_FILL;
    if (rows + rate * piece > pageRows * fill) {
      if (rows >= pageRows * fill * WHOLE_DAYS_SHARE) return minutes;
      return minutes + Math.max(0, (pageRows * GUESSED_FILL - rows) / rate);
    }
    // Where nothing is counted and nothing was seen, all days are alike.
    if (rate === 0 && plan.expected.size === 0) return most;
    minutes += piece;
    rows += rate * piece;
  }
  return most;
}

/** Rows per minute of the day that lies so many minutes back. A count speaks for a whole day that fits a page. */
function rateOf(
  { rest, expected, density }: WindowPlan,
  minutesBack: number,
  mostCounted: number,
): { readonly rate: number; readonly isCounted: boolean } {
  const day = rest.to.subtract({ minutes: minutesBack }).toPlainDate().toString();
  const counted = expected.get(day);
  const isCounted = counted !== undefined && counted <= mostCounted;
  const seen = isCounted ? undefined : density;
  return { rate: seen ?? (counted ?? 0) / DAY_MINUTES, isCounted };
}
