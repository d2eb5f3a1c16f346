import { type DueDay, type DueRange, isWithin } from '../../plan/due-days.ts';
import { readUnverified } from '../../warehouse/ops/ledger.ts';
import type { Needs } from '../run/context.ts';

export type OpenDays = {
  /** Days that are still due. */
  readonly open: number;
  /** The oldest of them stands for all days before it: the shop's first order was not reached yet. */
  readonly isBeginningDue: boolean;
  /** The oldest day in the ledger. */
  readonly first: Temporal.PlainDate | undefined;
};

/**
 * Counts what a sweep leaves to do: unverified days of its range, and days that were due and were not verified.
 *
 * @param due days that were due when the sweep began
 */
export async function readOpenDays(
  { ports, state }: Needs<'db' | 'lease', 'days'>,
  due: readonly DueDay[],
  range: DueRange,
): Promise<OpenDays> {
  const left = due.map(({ day }) => day.toString()).filter((day) => !state.days.verified.has(day));
  const { first, unverified } = await readUnverified(ports.db, ports.lease.shopId);
  const open = unverified.filter((day) => isWithin(range, day)).map(String);
  const isBeginningDue = range.from === undefined && first !== undefined && !first.isVerified;
  return { open: new Set([...left, ...open]).size, isBeginningDue, first: first?.day };
}
