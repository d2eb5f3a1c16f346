/** A shop that takes no more orders, though it is the hour at which it always does. Pure. */
import type { Rhythm, SilenceFacts } from '../../model/alert-facts.ts';

/** A rhythm is learned from so many whole weeks. */
export const LEARNED_DAYS = 56;

const HOUR_MS = 3_600_000;
const HOURS = 24;
const WEEKDAYS = 7;
/** Too long is so many times the longest usual silence. */
const SILENCE_FACTOR = 5;
/** With fewer, nothing is usual. */
const MIN_ORDERS = 30;
/**
 * A shop that was never silent for long may be so once, most of all a busy one, to which a holiday brings more silence than any
 * night; and one that was silent for days is not told of so late.
 */
const [MIN_LONGEST, MAX_LONGEST] = [5, 15];
const BUSY_ORDERS_PER_DAY = 100;
/** However busy the shop: on a holiday that was never seen before, an hour may pass. */
const MIN_SILENCE_MS = 2 * HOUR_MS;
const RECENT_ORDERS = 30;

/** Orders of one hour of the shop's own time, which begins at `hourMs`. */
export type HourCount = { readonly hourMs: number; readonly orders: number };

/**
 * Learns how many orders a shop takes at each weekday and hour. Silences are measured by the orders that were to be expected in
 * them, so that a night counts as little as it brings.
 *
 * @param fromMs the midnight `LEARNED_DAYS` before the day of the last order: what came after that is not learned
 * @returns undefined where there are too few orders to tell
 */
export function learnRhythm(counts: readonly HourCount[], fromMs: number): Rhythm | undefined {
  const series = Array.from({ length: LEARNED_DAYS * HOURS }, () => 0);
  for (const { hourMs, orders } of counts) {
    const index = Math.floor((hourMs - fromMs) / HOUR_MS);
    if (index in series) series[index] = orders;
  }
  const total = series.reduce((sum, orders) => sum + orders, 0);
  // One that opened lately, or sells now and then, has no rhythm yet.
  const isYoung = !series.slice(0, series.length / 2).some((orders) => orders > 0);
  if (total < MIN_ORDERS || isYoung) return undefined;
  const share = (size: number, place: (ms: number) => number) => {
    const sums = Array.from({ length: size }, () => 0);
    for (const [index, orders] of series.entries()) {
      const at = place(fromMs + index * HOUR_MS);
      sums[at] = (sums[at] ?? 0) + orders / total;
    }
    return sums;
  };
  const per_week = (total / LEARNED_DAYS) * WEEKDAYS;
  const rhythm = {
    per_week,
    by_weekday: share(WEEKDAYS, weekday),
    by_hour: share(HOURS, hourOfDay),
    longest: 0,
  };
  return { ...rhythm, longest: longestSilence(series, rhythm, fromMs) };
}

/** Silences that ended; one that lasts is what is judged by them. */
function longestSilence(series: readonly number[], rhythm: Rhythm, fromMs: number): number {
  let [longest, current] = [0, 0];
  for (const [index, orders] of series.entries()) {
    if (orders > 0) {
      longest = Math.max(longest, current);
      current = 0;
    } else current += hourlyRate(rhythm, fromMs + index * HOUR_MS);
  }
  return longest;
}

/** @returns how many orders were to be expected since the last one; undefined where the silence is not too long */
export function findSilence(facts: SilenceFacts): { readonly expected: number } | undefined {
  const { rhythm, lastOrderMs, thirtiethMs, knownUntilMs } = facts;
  if (knownUntilMs - lastOrderMs < MIN_SILENCE_MS) return undefined;
  const expected = expectedOrders(rhythm, lastOrderMs, knownUntilMs);
  // On a holiday, and in a shop that shrinks, fewer are to be expected: as many fewer as the last ones came slower.
  const recent = thirtiethMs === undefined ? 0 : expectedOrders(rhythm, thirtiethMs, lastOrderMs);
  const level = Math.min(1, RECENT_ORDERS / Math.max(1, recent));
  const least = MIN_LONGEST + rhythm.per_week / WEEKDAYS / BUSY_ORDERS_PER_DAY;
  const usual = Math.min(MAX_LONGEST, Math.max(least, rhythm.longest));
  return expected * level >= SILENCE_FACTOR * usual ? { expected } : undefined;
}

/** By the rhythm alone. */
function expectedOrders(rhythm: Rhythm, fromMs: number, toMs: number): number {
  let sum = 0;
  for (let hourMs = fromMs - (fromMs % HOUR_MS); hourMs < toMs; hourMs += HOUR_MS) {
    const part = (Math.min(toMs, hourMs + HOUR_MS) - Math.max(fromMs, hourMs)) / HOUR_MS;
    sum += part * hourlyRate(rhythm, hourMs);
  }
  return sum;
}

function hourlyRate({ per_week, by_weekday, by_hour }: Rhythm, ms: number): number {
  return per_week * (by_weekday[weekday(ms)] ?? 0) * (by_hour[hourOfDay(ms)] ?? 0);
}

const hourOfDay = (ms: number) => Math.floor(ms / HOUR_MS) % HOURS;
/** Monday is 0; 1970 began on a Thursday. */
const weekday = (ms: number) => (Math.floor(ms / (HOURS * HOUR_MS)) + 3) % WEEKDAYS;
