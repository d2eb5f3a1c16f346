import { type FreshnessPolicy, freshnessTargetMs } from './freshness.ts';
import { afterWhole, nextWindow, planRun } from './window-plan.ts';

const HOUR_MS = 3_600_000;

/** A day of the ledger with the orders it held. */
export type CountedDay = { readonly day: Temporal.PlainDate; readonly orders: number };

/**
 * List requests per hour that a policy costs a shop in which nothing changes: for each rule the windows that its days
 * need, divided by the hours between two verifications.
 *
 * @param days newest first, without gaps
 * @param pageRows rows that one page holds
 */
export function steadyListRequestsPerHour(
  days: readonly CountedDay[],
  policy: FreshnessPolicy,
  today: Temporal.PlainDate,
  pageRows: number,
): number {
  const byTarget = Map.groupBy(days, ({ day }) => freshnessTargetMs(policy, day.until(today).total('days')));
  return [...byTarget].reduce(
    (sum, [targetMs, group]) => sum + windowsOf(group, pageRows) / (targetMs / HOUR_MS),
    0,
  );
}

function windowsOf(days: readonly CountedDay[], pageRows: number): number {
  const [newest, oldest] = [days[0], days.at(-1)];
  if (newest === undefined || oldest === undefined) return 0;
  const expected = days.map(({ day, orders }) => ({ day, expected: orders }));
  const counts = new Map(days.map(({ day, orders }) => [day.toString(), orders]));
  let plan = planRun(expected, oldest.day, newest.day);
  let windows = 0;
  for (let window = nextWindow(plan, pageRows); window !== undefined; window = nextWindow(plan, pageRows)) {
    const minutes = window.from.until(window.to, { largestUnit: 'minutes' }).total('minutes');
    const perDay = counts.get(window.from.toPlainDate().toString()) ?? 0;
    plan = afterWhole(plan, window, Math.round((perDay * minutes) / 1440));
    windows++;
  }
  return windows;
}
