import type { LedgerDay } from '../../ledger-day.ts';
import { type FreshnessPolicy, freshnessTargetMs } from '../days/freshness.ts';

/** No shop of the platform is older, and some know no earlier dates. */
const EARLIEST = Temporal.PlainDate.from('2001-01-01');

/** A day of the ledger, with the first of the days that it speaks for. */
export type CountedDay = LedgerDay & { readonly since: Temporal.PlainDate };

/**
 * The days to count, oldest first: those that every sweep reads anyway, of which new orders come, are left out.
 *
 * @param historyFrom the first day to hold; undefined: whatever is older than the first day is counted with it
 */
export function countedDays(
  ledger: readonly LedgerDay[],
  policy: FreshnessPolicy,
  everyMs: number,
  today: Temporal.PlainDate,
  historyFrom?: Temporal.PlainDate,
): readonly CountedDay[] {
  const counted = ledger.filter(({ day }) => {
    const ageDays = day.until(today).total('days');
    return ageDays >= 1 && freshnessTargetMs(policy, ageDays) > everyMs;
  });
  return counted.map((row, index) => ({
    ...row,
    since: counted[index - 1]?.day.add({ days: 1 }) ?? firstSince(row.day, historyFrom),
  }));
}

const firstSince = (first: Temporal.PlainDate, historyFrom: Temporal.PlainDate | undefined) =>
  historyFrom !== undefined || Temporal.PlainDate.compare(first, EARLIEST) < 0 ? first : EARLIEST;

/** From the first of the days to the last; there must be one. */
export function rangeOf(days: readonly CountedDay[]) {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('there are no days to count');
  return { from: first.since, to: last.day };
}

/** Places of the days that are not verified. */
export function unverifiedPlaces(days: readonly CountedDay[]): readonly number[] {
  return days.flatMap(({ verifiedAt }, place) => (verifiedAt === undefined ? [place] : []));
}

/** Orders of each counted day, with those of the days that it speaks for. @param orders by day, such as `2026-01-31` */
export function ordersByCountedDay(
  days: readonly CountedDay[],
  orders: ReadonlyMap<string, number>,
): readonly number[] {
  const sums = days.map(() => 0);
  let place = 0;
  for (const [day, count] of [...orders].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    while (place < days.length - 1 && (days[place]?.day.toString() ?? '') < day) place++;
    sums[place] = (sums[place] ?? 0) + count;
  }
  return sums;
}

/**
 * The day to ask about first, whose orders are known best: of those with orders that the facet finds, and orders that it
 * does not, the one that was verified last. Undefined where there is none.
 *
 * @param held orders that the facet finds, by counted day
 */
export function bestKnownDay(
  days: readonly CountedDay[],
  held: readonly number[],
  isAll: boolean,
): number | undefined {
  const places = days.flatMap(({ verifiedAt, orders = 0 }, place) =>
    verifiedAt !== undefined && orders > 0 && (isAll || (held[place] ?? 0) < orders)
      ? [{ place, verifiedAt }]
      : [],
  );
  return places.toSorted((one, other) => Temporal.Instant.compare(other.verifiedAt, one.verifiedAt))[0]
    ?.place;
}
