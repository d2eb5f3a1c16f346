import { isJsonObject, type JsonValue } from '../json.ts';
import { createdMinute } from '../normalize/order.ts';
import { excerpt, type Rejection } from '../normalize/rejection.ts';
import { daysOf } from '../plan/day-coverage.ts';
import type { WindowDiff } from '../plan/diff.ts';
import { fenced } from '../warehouse/lease.ts';
import { markVerified, recordDayFailure, type VerifiedDay } from '../warehouse/ledger.ts';
import { clearMissing, markDeleted, markMissing } from '../warehouse/missing-marks.ts';
import { recordRejections, resolveUnlisted } from '../warehouse/rejections.ts';
import type { SweepDeps } from './deps.ts';
import type { MissingVerdicts } from './judge-missing.ts';
import type { WindowReading } from './read-windows.ts';

type WholeWindow = Extract<WindowReading, { kind: 'whole' }>;

/** A day of which every minute was read, and since when. */
export type CompletedDay = Omit<VerifiedDay, 'isChanged'>;

/** The last transaction of a window: what is missing, deleted or came back, and the ledger. */
export async function finishWindow(
  deps: SweepDeps,
  reading: WholeWindow,
  diff: WindowDiff,
  verdicts: MissingVerdicts,
  completed: readonly CompletedDay[],
): Promise<void> {
  const { db, lease, tally, days } = deps;
  noteDays(deps, reading, diff, verdicts);
  const verified = completed
    .filter(({ day }) => !days.doubtful.has(day))
    .map((day) => ({ ...day, isChanged: days.changed.has(day.day) }));
  const malformed = reading.malformed.map(malformedRejection);
  const newRejections = await fenced(db, lease, async (tx) => {
    await clearMissing(tx, lease.shopId, diff.returned);
    await markMissing(tx, lease.shopId, verdicts.mark, reading.askedAt);
    await markDeleted(tx, lease.shopId, verdicts.delete, reading.askedAt);
    await markVerified(tx, lease.shopId, verified);
    if (verdicts.doubt !== undefined) {
      await recordDayFailure(tx, lease.shopId, daysOf(reading.window), verdicts.doubt);
    }
    const fresh = await recordRejections(tx, lease.shopId, [], malformed);
    await resolveUnlisted(tx, lease.shopId);
    return fresh;
  });
  tally.newRejections += newRejections;
  tally.rejections += malformed.length;
  tally.days_verified += verified.length;
  tally.orders_missing += verdicts.mark.length;
  if (verdicts.doubt !== undefined) tally.shortfalls.push(verdicts.doubt);
}

/** Keeps which days changed and which are in doubt, since the verdict on a day may come with a later window of it. */
function noteDays(
  { days }: SweepDeps,
  reading: WholeWindow,
  diff: WindowDiff,
  verdicts: MissingVerdicts,
): void {
  const changed = new Set([...diff.added, ...diff.changed, ...diff.returned]);
  for (const row of reading.rows) {
    const day = changed.has(row.orderId) ? createdMinute(row.raw)?.toPlainDate().toString() : undefined;
    if (day !== undefined) days.changed.add(day);
  }
  const isReduced = verdicts.mark.length + verdicts.delete.length + verdicts.moved.length > 0;
  for (const date of daysOf(reading.window)) {
    if (isReduced) days.changed.add(date.toString());
    if (verdicts.doubt !== undefined) days.doubtful.add(date.toString());
  }
}

function malformedRejection(value: JsonValue): Rejection {
  const reason = isJsonObject(value) ? 'the element has no usable order_id' : 'the element is not an object';
  return { resource: 'order', sourceKey: null, field: null, reason, value: excerpt(value) };
}
