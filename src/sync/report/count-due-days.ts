import { dueDays } from '../../plan/due-days.ts';
import type { FreshnessPolicy } from '../../plan/freshness.ts';
import type { LedgerEntry } from '../../warehouse/ops/ledger.ts';

/**
 * Counts the days of a shop that are due now, from its first known day to today.
 *
 * @returns undefined for a shop that was never swept
 */
export function countDueDays(
  ledger: readonly LedgerEntry[],
  timezone: string,
  policy: FreshnessPolicy,
  now: Temporal.Instant,
): number | undefined {
  if (ledger.length === 0) return undefined;
  const range = { from: undefined, to: now.toZonedDateTimeISO(timezone).toPlainDate() };
  return dueDays(ledger, range, { by: 'policy', policy }, now, timezone).length;
}
