import type { LedgerDay } from '../../ledger-day.ts';
import { isDue } from '../../plan/days/due-days.ts';
import type { ShopSettings } from '../run/context.ts';

/** An order, by where it belongs. */
type Dated = {
  readonly day: string | undefined;
  /** When it was placed, in the shop's own time, to the minute; undefined where the shop does not list it. */
  readonly created: Temporal.PlainDateTime | undefined;
};

/**
 * Tells the orders that the next sweep is to see to anyway, so that a difference of theirs is none of what is verified:
 * those of days that are due, and those that were placed after their day was last verified.
 *
 * @param ledger oldest day first
 */
export function createSweepExpectation(
  ledger: readonly LedgerDay[],
  { freshness: policy, timezone }: Pick<ShopSettings, 'freshness' | 'timezone'>,
  now: Temporal.Instant,
): (order: Dated) => boolean {
  const today = now.toZonedDateTimeISO(timezone).toPlainDate();
  return ({ day, created }) => {
    if (day === undefined) return false;
    // A day without a row was verified together with the next one that has one.
    const row = ledger.find((known) => Temporal.PlainDate.compare(known.day, day) >= 0);
    if (row?.verifiedAt === undefined) return true;
    const ageDays = row.day.until(today).total('days');
    if (isDue(row.verifiedAt, ageDays, { by: 'policy', policy }, now)) return true;
    // The shop shows minutes: it may have been placed at the end of one.
    const placed = created?.add({ minutes: 1 }).toZonedDateTime(timezone).toInstant();
    return placed !== undefined && Temporal.Instant.compare(placed, row.verifiedAt) > 0;
  };
}
