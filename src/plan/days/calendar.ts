/** What the ledger says about every day of a shop's history. */
import type { LedgerDay } from '../../model/ledger-day.ts';

/** `empty`: verified, and without an order. `failed`: it was read, and could not be verified. `unverified`: never read. */
export type DayState = 'verified' | 'empty' | 'due' | 'unverified' | 'failed';

/** One state per day. */
export type Calendar = { readonly firstDay: Temporal.PlainDate; readonly states: readonly DayState[] };

/** However wrong the date of an order is, a calendar is no longer. */
const MAX_YEARS = 40;

/**
 * The state of every day to today. A day without a row has the state of the next day that has one, since it was read
 * together with it; those since the last row were never read.
 *
 * @param ledger all of the shop's ledger, oldest day first
 * @param since the first day to show, if it is before the first one of the ledger
 * @returns undefined for a shop that was never swept
 */
export function buildCalendar(
  ledger: readonly LedgerDay[],
  since: Temporal.PlainDate | undefined,
  today: Temporal.PlainDate,
): Calendar | undefined {
  const earliest = today.subtract({ years: MAX_YEARS });
  const known = ledger.filter(({ day }) => isBetween(day, earliest, today));
  const [first] = known;
  if (first === undefined) return undefined;
  const firstDay = since !== undefined && isBetween(since, earliest, first.day) ? since : first.day;
  const indexOf = (day: Temporal.PlainDate) => firstDay.until(day).days;
  const length = indexOf(today) + 1;
  const states = Array.from<DayState>({ length }).fill('unverified');
  let next = 0;
  for (const row of known) {
    const index = indexOf(row.day);
    const isOpen = row.verifiedAt === undefined;
    const isStale = row.confirmAt !== undefined || row.isDue;
    const state = (isEmpty: boolean, isOwn: boolean): DayState => {
      if (isOpen) return row.failure !== undefined && isOwn ? 'failed' : 'unverified';
      if (isStale) return 'due';
      return isEmpty ? 'empty' : 'verified';
    };
    states.fill(state(true, false), next, index);
    states[index] = state(row.orders === 0, true);
    next = index + 1;
  }
  // Before the first order there is nothing to see, unless a day there is open.
  const begin = Math.max(
    0,
    states.findIndex((state) => state !== 'empty'),
  );
  return { firstDay: firstDay.add({ days: begin }), states: states.slice(begin) };
}

function isBetween(day: Temporal.PlainDate, first: Temporal.PlainDate, last: Temporal.PlainDate): boolean {
  return Temporal.PlainDate.compare(first, day) <= 0 && Temporal.PlainDate.compare(day, last) <= 0;
}
