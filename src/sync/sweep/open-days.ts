import { type DueDay, type DueRange, isWithin } from '../../plan/due-days.ts';
import { readLedger } from '../../warehouse/ops/ledger.ts';
import type { RunDeps } from '../run/run-shop.ts';

export type OpenDays = {
  /** Days that are still due. */
  readonly open: number;
  /** One of them stands for all that lies before it: the shop's first order is not reached yet. */
  readonly isBeginningDue: boolean;
};

/**
 * What a sweep leaves to do: the days of its range that are unverified now, and those that were due and are as they were.
 *
 * @param due what was due when it began
 */
export async function readOpenDays(
  { db, days, lease }: RunDeps,
  due: readonly DueDay[],
  range: DueRange,
): Promise<OpenDays> {
  const left = due.map(({ day }) => day.toString()).filter((day) => !days.verified.has(day));
  const ledger = await readLedger(db, lease.shopId);
  const unverified = ledger
    .filter(({ day, verifiedAt }) => verifiedAt === undefined && isWithin(range, day))
    .map(({ day }) => day.toString());
  const [first] = ledger;
  const isBeginningDue = range.from === undefined && first !== undefined && first.verifiedAt === undefined;
  return { open: new Set([...left, ...unverified]).size, isBeginningDue };
}
