import { dueDays } from '../plan/due-days.ts';
import type { FreshnessPolicy } from '../plan/freshness.ts';
import type { Db } from '../warehouse/database.ts';
import { readLedger } from '../warehouse/ledger.ts';
import { recall } from './api-memory.ts';

const EVER = { from: Temporal.PlainDate.from('1970-01-01'), to: Temporal.PlainDate.from('2200-01-01') };

/**
 * Days of a shop that are due now, from its first day, as far as that is known, to today.
 *
 * @returns undefined for a shop that was never swept
 */
export async function countDueDays(
  db: Db,
  shopId: number,
  timezone: string,
  policy: FreshnessPolicy,
  now: Temporal.Instant,
): Promise<number | undefined> {
  const ledger = await readLedger(db, shopId, EVER.from, EVER.to);
  const { historyFrom } = await recall(db, shopId, 1);
  const days = ledger.map(({ day }) => day);
  const first = [...days, ...(historyFrom ? [historyFrom] : [])].toSorted((a, b) =>
    Temporal.PlainDate.compare(a, b),
  )[0];
  if (first === undefined) return undefined;
  const range = { from: first, to: now.toZonedDateTimeISO(timezone).toPlainDate() };
  return dueDays(ledger, range, { by: 'policy', policy }, now, timezone).length;
}
