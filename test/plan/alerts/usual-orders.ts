/** What `readAlertFacts` is to say of a shop's silence, by a way of its own. */
import { LATELY_ORDERS, MIN_SILENCE_MS, type Silence } from '../../../src/model/alert-facts.ts';

const WEEK = 7 * 24 * 3_600_000;

/** @param times of orders, ascending, as milliseconds of the shop's clock, as if that were UTC; those before `knownMs` count */
export function silenceOf(times: readonly number[]): (knownMs: number) => Silence | undefined {
  return (knownMs) => {
    const at = countThrough(times, knownMs);
    const last = times[at - 1];
    if (last === undefined) return undefined;
    const ms = knownMs - last;
    const isYoung = (times[0] ?? last) >= last - 4 * WEEK;
    if (ms < MIN_SILENCE_MS || isYoung) return { ms, expected: 0, expectedLately: 0 };
    const since = times[at - LATELY_ORDERS];
    const expectedLately = since === undefined ? 0 : usual(times, since, last);
    return { ms, expected: usual(times, last, knownMs), expectedLately };
  };
}

/** What a span of each of the eight weeks before brought, on the average; of a longer one than a week, its first week tells. */
function usual(times: readonly number[], from: number, to: number): number {
  const end = Math.min(to, from + WEEK);
  const weeks = Array.from({ length: 8 }, (_, index) => (index + 1) * WEEK);
  const seen = weeks.map((ago) => countThrough(times, end - ago) - countThrough(times, from - ago));
  return (seen.reduce((sum, count) => sum + count, 0) / 8) * Math.max(1, (to - from) / WEEK);
}

/** How many of the times are not after this one. */
function countThrough(times: readonly number[], until: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? Infinity) <= until) low = middle + 1;
    else high = middle;
  }
  return low;
}
