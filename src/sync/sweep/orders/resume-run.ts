import { expectedOrders, isResumable, progressFrom } from '../../../plan/day-part.ts';
import type { DayProgress } from '../../../plan/day-progress.ts';
import type { DueRun } from '../../../plan/due-days.ts';
import { readHeldDigest } from '../../../warehouse/ops/ledger.ts';
import type { Needs } from '../../run/context.ts';

/**
 * The run as it must be read now: its newest day continues below the part that an earlier sweep read, or starts over if
 * the stored orders no longer match that part.
 *
 * Call it when all earlier windows are written.
 */
export async function resumeRun(
  { ports: { db, lease }, state: { days } }: Needs<'db' | 'lease', 'days'>,
  run: DueRun,
): Promise<{ readonly run: DueRun; readonly progress: DayProgress }> {
  const [newest, ...older] = run.days;
  const part = newest?.part;
  if (newest === undefined || part === undefined) return { run, progress: new Map() };
  const { day } = newest;
  if (!isResumable(part, await readHeldDigest(db, lease.shopId, day.toString()))) {
    const window = { ...run.window, to: day.add({ days: 1 }).toPlainDateTime() };
    return { run: { window, days: [{ ...newest, part: undefined }, ...older] }, progress: new Map() };
  }
  if (part.isRestless) days.restless.add(day.toString());
  const expected = newest.expected ?? expectedOrders(part);
  return { run: { ...run, days: [{ ...newest, expected }, ...older] }, progress: progressFrom(day, part) };
}
