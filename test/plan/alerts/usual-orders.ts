/** What `readAlertFacts` is to say of a shop's silence, by a slow way of its own. */
import type { Silence } from '../../../src/model/alert-facts.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** 1970 began on a Thursday. */
const MONDAY = 4 * DAY;

const hourOfWeek = (ms: number) => Math.floor((((ms - MONDAY) % WEEK) + WEEK) / HOUR) % 168;

/** @param times of orders, ascending, as milliseconds of the shop's clock, as if that were UTC; those before `knownMs` count */
export function silenceOf(times: readonly number[]): (knownMs: number) => Silence | undefined {
  let [at, midnight, usual]: [number, number, readonly number[] | undefined] = [-1, NaN, undefined];
  return (knownMs) => {
    while ((times[at + 1] ?? Infinity) <= knownMs) at++;
    const last = times[at];
    if (last === undefined) return undefined;
    const ms = knownMs - last;
    if (ms < 2 * HOUR) return { ms, expected: undefined, expectedLately: 0 };
    if (midnight !== last - (last % DAY)) {
      midnight = last - (last % DAY);
      usual = usualOrders(times.slice(0, at + 1), midnight);
    }
    if (usual === undefined) return { ms, expected: undefined, expectedLately: 0 };
    const since = times[at - 29];
    const expectedLately = since === undefined ? 0 : ordersIn(usual, since, last);
    return { ms, expected: ordersIn(usual, last, knownMs), expectedLately };
  };
}

/** By hour of the week; undefined where they do not tell. */
function usualOrders(times: readonly number[], midnight: number): readonly number[] | undefined {
  const seen = times.filter((time) => time >= midnight - 8 * WEEK && time < midnight);
  if (seen.length < 30 || (seen[0] ?? midnight) >= midnight - 4 * WEEK) return undefined;
  const hours = Array.from({ length: 168 }, () => 0);
  for (const time of seen) hours[hourOfWeek(time)] = (hours[hourOfWeek(time)] ?? 0) + 1 / 8;
  return hours;
}

function ordersIn(usual: readonly number[], from: number, to: number): number {
  let sum = 0;
  for (let hour = from - (from % HOUR); hour < to; hour += HOUR) {
    sum += ((usual[hourOfWeek(hour)] ?? 0) * (Math.min(to, hour + HOUR) - Math.max(from, hour))) / HOUR;
  }
  return sum;
}
