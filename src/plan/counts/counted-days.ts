import type { LedgerDay } from '../../model/ledger-day.ts';
import { type FreshnessPolicy, freshnessTargetMs } from '../days/freshness.ts';

/** No shop of the platform is older, and some know no earlier dates. */
const EARLIEST = Temporal.PlainDate.from('2001-01-01');

/** A day of the ledger, with the first of the days that its row covers. */
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

/** Days, both ends included. */
export type CountedRange = { readonly from: Temporal.PlainDate; readonly to: Temporal.PlainDate };

/** All days that the rows of neighbouring days cover. */
export function rangeOf(days: readonly CountedDay[]): CountedRange {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('there are no days to count');
  return { from: first.since, to: last.day };
}

/** Orders of some days in a row. @param orders by day, such as `2026-01-31` */
export function ordersWithin(days: readonly CountedDay[], orders: ReadonlyMap<string, number>): number {
  const { from, to } = rangeOf(days);
  const [first, last] = [from.toString(), to.toString()];
  const within = [...orders].filter(([day]) => day >= first && day <= last);
  return within.reduce((sum, [, count]) => sum + count, 0);
}
