/** The days of a calendar by half-year and by month, as pictures and tables need them. */
import type { Calendar, DayState } from '../../plan/calendar.ts';

export type ShownDay = {
  readonly day: Temporal.PlainDate;
  readonly state: DayState;
  readonly index: number;
};

export type Stretch = { readonly days: readonly ShownDay[]; readonly counts: StateCounts };

export type StateCounts = Readonly<Record<DayState, number>>;

/** Groups consecutive days by a key, oldest first. */
export function groupDays(
  { firstDay, states }: Calendar,
  keyOf: (day: Temporal.PlainDate) => string,
): ReadonlyMap<string, Stretch> {
  const groups = new Map<string, ShownDay[]>();
  let day = firstDay;
  for (const [index, state] of states.entries()) {
    const key = keyOf(day);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [{ day, state, index }]);
    else group.push({ day, state, index });
    day = day.add({ days: 1 });
  }
  return new Map([...groups].map(([key, days]) => [key, { days, counts: countStates(days) }]));
}

export function countStates(days: readonly Pick<ShownDay, 'state'>[]): StateCounts {
  const counts = { verified: 0, empty: 0, due: 0, unverified: 0, failed: 0 };
  for (const { state } of days) counts[state]++;
  return counts;
}

export function addCounts(all: readonly StateCounts[]): StateCounts {
  const sum = { verified: 0, empty: 0, due: 0, unverified: 0, failed: 0 };
  for (const counts of all) {
    sum.verified += counts.verified;
    sum.empty += counts.empty;
    sum.due += counts.due;
    sum.unverified += counts.unverified;
    sum.failed += counts.failed;
  }
  return sum;
}

/** The numbers of orders above which a day is drawn darker: the quartiles of the days that have any. */
export function quartiles(orders: readonly number[]): readonly number[] {
  const sorted = orders.filter((count) => count > 0).toSorted((one, other) => one - other);
  return [0.25, 0.5, 0.75].map((part) => sorted[Math.floor(sorted.length * part)] ?? 0);
}
