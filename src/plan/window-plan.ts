/**
 * The plan of one run of due days: which window to ask next, newest first, so that each answer fits one page.
 *
 * An immutable state: `nextWindow` looks, `afterWhole` and `afterOverflow` move on. The size of a window comes from
 * what the ledger counted, else from the density of the window before it; where nothing is known, the whole rest is
 * asked at once, and its answer tells the density.
 */

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
};

const DAY_MINUTES = 24 * 60;
/** The part of a page that a window is planned to fill: counts of the ledger are surer than a density. */
const COUNTED_FILL = 0.9;
const GUESSED_FILL = 0.75;
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
  const whole = minutesBetween(from, to);
  const days = wholeDays(plan, pageRows);
  if (days * DAY_MINUTES >= whole) return plan.rest;
  if (days > 0) return { from: to.subtract({ days }), to };
  return { from: partOfDay(plan, pageRows), to };
}

/** The window was read whole and held so many rows. */
export function afterWhole(plan: WindowPlan, window: Window, rows: number): WindowPlan {
  const minutes = minutesBetween(window.from, window.to);
  return {
    ...plan,
    rest: { from: plan.rest.from, to: window.from },
    density: rows / minutes,
    maxMinutes: rows === 0 ? Number.POSITIVE_INFINITY : Math.max(minutes * GROWTH, DAY_MINUTES),
  };
}

/**
 * The window did not fit a page: ask less. The rows that came are a sample; where they lie close together at the
 * window's end, the list is sorted and they tell the density there.
 *
 * @param sample created times of the rows that came
 * @param matching rows in the window as the server counts them, where that is trusted
 */
export function afterOverflow(
  plan: WindowPlan,
  window: Window,
  sample: readonly Temporal.PlainDateTime[],
  matching: number | undefined,
): WindowPlan {
  const minutes = minutesBetween(window.from, window.to);
  const density = Math.max(sampleDensity(window, sample), (matching ?? 0) / minutes);
  // The ledger's counts were too small here; from now on the density leads.
  return { ...plan, expected: new Map(), density, maxMinutes: Math.max(1, Math.floor(minutes / 2)) };
}

export function minutesBetween(from: Temporal.PlainDateTime, to: Temporal.PlainDateTime): number {
  return from.until(to, { largestUnit: 'minutes' }).total('minutes');
}

/** How many whole days, counted back from the end of the rest, should fit a page. */
function wholeDays(plan: WindowPlan, pageRows: number): number {
  const { from, to } = plan.rest;
  if (!isMidnight(to)) return 0;
  const most = Math.min(plan.maxMinutes, minutesBetween(from, to)) / DAY_MINUTES;
  let rows = 0;
  let isGuess = false;
  for (let days = 1; days <= most; days++) {
    const counted = plan.expected.get(to.subtract({ days }).toPlainDate().toString());
    isGuess ||= counted === undefined;
    rows += counted ?? (plan.density ?? 0) * DAY_MINUTES;
    if (rows > pageRows * (isGuess ? GUESSED_FILL : COUNTED_FILL)) return days - 1;
  }
  return Math.floor(most);
}

/** The start of a part of the day that ends the rest. A part never reaches over midnight. */
function partOfDay(plan: WindowPlan, pageRows: number): Temporal.PlainDateTime {
  const { from, to } = plan.rest;
  const midnight = to.subtract({ minutes: 1 }).toPlainDate().toPlainDateTime();
  const earliest = Temporal.PlainDateTime.compare(midnight, from) > 0 ? midnight : from;
  const counted = plan.expected.get(midnight.toPlainDate().toString());
  const density = counted === undefined ? plan.density : counted / DAY_MINUTES;
  const fitting = density ? (pageRows * GUESSED_FILL) / density : DAY_MINUTES;
  const minutes = Math.max(1, Math.floor(Math.min(plan.maxMinutes, fitting)));
  const start = to.subtract({ minutes });
  return Temporal.PlainDateTime.compare(start, earliest) > 0 ? start : earliest;
}

function sampleDensity(window: Window, sample: readonly Temporal.PlainDateTime[]): number {
  const minutes = minutesBetween(window.from, window.to);
  const sorted = sample.toSorted((a, b) => Temporal.PlainDateTime.compare(a, b));
  const [oldest, newest] = [sorted[0], sorted.at(-1)];
  if (!oldest || !newest) return 0;
  // Newest first is how the plan goes: only rows that reach from the window's end back speak of its end.
  const span = minutesBetween(oldest, newest) + 1;
  const atTheEnd = minutesBetween(newest, window.to) <= span;
  return sample.length / (atTheEnd ? Math.min(span, minutes) : minutes);
}

function isMidnight(time: Temporal.PlainDateTime): boolean {
  return time.hour === 0 && time.minute === 0;
}
