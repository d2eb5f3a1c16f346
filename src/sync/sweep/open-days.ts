import { type DueDay, type DueRange, isWithin } from '../../plan/due-days.ts';
import { readUnverified } from '../../warehouse/ops/ledger.ts';
import type { Needs } from '../run/context.ts';

export type OpenDays = {
  /** Days that are still due. */
  readonly open: number;
  /** One of them stands for all that lies before it: the shop's first order is not reached yet. */
  readonly isBeginningDue: boolean;
  /** The oldest day that the ledger names. */
  readonly first: Temporal.PlainDate | undefined;
};

/**
 * What a sweep leaves to do: the days of its range that are unverified now, and those that were due and are as they were.
 *
 * @param due what was due when it began
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
