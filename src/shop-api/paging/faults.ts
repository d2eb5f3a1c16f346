/** Which requests a shop keeps failing at while it answers others. Pure and immutable. */
import { minTime, isBefore, maxTime, minutesBetween, type Window } from '../../model/window.ts';
import type { Dates } from './asked-dates.ts';

/** A span of minutes that no request may reach into, and how the shop fails there. */
export type FaultSpan = Window & {
  /** How it fails; undefined where it keeps listing an order twice. */
  readonly reason: string | undefined;
};

export type Faults = {
  readonly spans: readonly FaultSpan[];
  /** The limit that was ruled out as the cause. */
  readonly soundLimit: number | undefined;
  /** No single minute was found to be the cause: the shop fails at long spans, or at many rows. */
  readonly isOfSize: boolean;
  /** It fails at long spans even where there are no orders. */
  readonly isOfLength: boolean;
  /** Length of the longest span that it was seen to serve. */
  readonly servedMinutes: number;
  /** Which of the small requests was answered last. */
  readonly answered: number;
};

export const NO_FAULTS: Faults = {
  spans: [],
  soundLimit: undefined,
  isOfSize: false,
  isOfLength: false,
  servedMinutes: 2 * 24 * 60,
  answered: 0,
};

/** Adds a span. Two on one day are merged, and more become the whole day, so that they stay few. */
export function learnSpan(faults: Faults, span: FaultSpan): Faults {
  const day = span.from.toPlainDate();
  const isOfDay = ({ from }: FaultSpan) => from.toPlainDate().equals(day);
  const before = faults.spans.find(isOfDay);
  const others = faults.spans.filter((known) => !isOfDay(known));
  if (before === undefined) return { ...faults, spans: [...others, span] };
  const isJoined = minutesBetween(before.from, before.to) > SINGLE_MINUTES;
  const midnight = day.toPlainDateTime();
  const joined = isJoined
    ? { from: midnight, to: midnight.add({ days: 1 }) }
    : { from: minTime(before.from, span.from), to: maxTime(before.to, span.to) };
  return { ...faults, spans: [...others, { ...span, ...joined }] };
}

/** The longest span that stands for one order. */
const SINGLE_MINUTES = 3;

/** The newest span that begins within a window or before it, and the oldest one above it. */
export function spansAround(
  { spans }: Faults,
  window: Window,
): { readonly below: FaultSpan | undefined; readonly above: FaultSpan | undefined } {
  const sorted = spans.toSorted((one, other) => (isBefore(one.from, other.from) ? -1 : 1));
  const below = sorted.findLast(({ from }) => isBefore(from, window.to));
  return { below, above: sorted.find(({ from }) => !isBefore(from, window.to)) };
}

/** The dates that may be asked for around a window without reaching into any span; undefined where there is no span. */
export function findBounds(faults: Faults, window: Window): Dates | undefined {
  const { below, above } = spansAround(faults, window);
  if (below === undefined && above === undefined) return undefined;
  return { from: below?.to, to: above?.from.subtract({ seconds: 1 }) };
}
