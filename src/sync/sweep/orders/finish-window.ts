import { isJsonObject, type JsonValue } from '../../../json.ts';
import { createdMinute } from '../../../normalize/order.ts';
import { excerpt, type Rejection } from '../../../normalize/rejection.ts';
import type { DayPart } from '../../../plan/day-part.ts';
import type { ReadDay } from '../../../plan/day-progress.ts';
import type { WindowDiff } from '../../../plan/diff.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import {
  announceDay,
  dropParts,
  makeDue,
  markVerified,
  recordDayFailure,
  savePart,
} from '../../../warehouse/ops/ledger.ts';
import { isOpenBelow } from '../../../window.ts';
import { clearMissing, markDeleted, markMissing } from '../../../warehouse/orders/missing-marks.ts';
import { recordRejections } from '../../../warehouse/ops/record-rejections.ts';
import type { HeldOrder } from '../../../warehouse/orders/stored-orders.ts';
import type { Needs, Ports, SweepState } from '../../run/context.ts';
import type { MissingVerdicts } from './judge-missing.ts';
import type { WholeWindow } from '../../../shop-api/paging/window-reading.ts';

/** The days that a window touches. */
export type ReadDays = {
  /** Days that are now read to their beginning. */
  readonly whole: readonly ReadDay[];
  /** The oldest day, if a part of it is still to be read. */
  readonly begun: (DayPart & { readonly day: string }) | undefined;
};

type Days = Pick<SweepState, 'days'>;
type ShopDays = Needs<'shop', 'days'>;

/** The last transaction of a window: marks missing, deleted and returned orders, and updates the ledger. */
export async function finishWindow(
  sweep: Needs<'db' | 'lease' | 'recordRun' | 'shop', 'counters' | 'days' | 'findings' | 'problems'>,
  reading: WholeWindow,
  diff: WindowDiff,
  verdicts: MissingVerdicts,
  held: ReadonlyMap<string, HeldOrder>,
  { whole: completed, begun }: ReadDays,
): Promise<void> {
  const { ports, state } = sweep;
  const { db, lease } = ports;
  const { counters, days, problems } = state;
  recordChangedDays(sweep, reading, diff, verdicts, held);
  const touched = begun === undefined ? completed : [...completed, begun];
  if (verdicts.doubt !== undefined) for (const { day } of touched) days.doubtful.add(day);
  recordRestlessDays(sweep, reading, diff, held);
  recordUnconfirmedDays(state, completed);
  const verified = completed
    .filter(({ day }) => !days.doubtful.has(day) && !days.unconfirmed.has(day))
    .map((day) => ({ ...day, isChanged: days.changed.has(day.day) }));
  const isVerified = new Set(verified.map(({ day }) => day));
  const unverified = completed.map(({ day }) => day).filter((day) => !isVerified.has(day));
  // A list that lost so many orders may lack any others too.
  const failed =
    verdicts.doubt === undefined
      ? []
      : [...completed.map(({ day }) => day), ...storedDays(diff.missing, held)];
  const malformed = reading.malformed.map(malformedRejection);
  const next = dayBelow(ports, reading);
  const entered = enteredDays(sweep, verdicts);
  if (diff.returned.length + verdicts.mark.length + verdicts.delete.length > 0) await ports.recordRun();
  const newRejections = await fenced(db, lease, async (tx) => {
    await clearMissing(tx, lease.shopId, diff.returned);
    await markMissing(tx, lease.shopId, verdicts.mark, reading.askedAt);
    await markDeleted(tx, lease.shopId, verdicts.delete, reading.askedAt);
    await makeDue(tx, lease.shopId, entered);
    await markVerified(tx, lease.shopId, verified);
    // Days that were not verified are read again from their end.
    await dropParts(tx, lease.shopId, unverified);
    if (begun !== undefined)
      await savePart(tx, lease.shopId, begun.day, { ...begun, isRestless: isRestless(state, begun.day) });
    if (next !== undefined) await announceDay(tx, lease.shopId, next);
    if (verdicts.doubt !== undefined) {
      const days = [...new Set(failed)].map((day) => Temporal.PlainDate.from(day));
      await recordDayFailure(tx, lease.shopId, days, verdicts.doubt);
    }
    return recordRejections(tx, lease.shopId, [], malformed);
  });
  for (const day of entered) {
    days.verified.delete(day);
    days.unconfirmed.add(day);
  }
  for (const { day } of verified) days.verified.add(day);
  counters.newRejections += newRejections;
  counters.rejections += malformed.length;
  counters.days_verified += verified.length - entered.length;
  counters.orders_missing += verdicts.mark.length;
  if (verdicts.doubt !== undefined) {
    problems.push(verdicts.doubt);
    state.findings.set('deletions', verdicts.doubt);
  }
}

/**
 * The newest day below the window. The ledger must name it, or the days up to it would count as verified together with
 * the day after them. Undefined where no older day is left to load.
 */
function dayBelow(
  { shop }: Pick<Ports, 'shop'>,
  { window, isOldest }: WholeWindow,
): Temporal.PlainDate | undefined {
  if (isOldest || isOpenBelow(window)) return undefined;
  const day = window.from.subtract({ minutes: 1 }).toPlainDate();
  const isHeld = shop.historyFrom === undefined || Temporal.PlainDate.compare(day, shop.historyFrom) >= 0;
  return isHeld ? day : undefined;
}

/** Records which days changed or are doubtful, since a later window may complete the day. */
function recordChangedDays(
  { ports: { shop }, state: { days } }: ShopDays,
  reading: WholeWindow,
  diff: WindowDiff,
  verdicts: MissingVerdicts,
  held: ReadonlyMap<string, HeldOrder>,
): void {
  const changed = new Set([...diff.added, ...diff.changed, ...diff.returned]);
  for (const row of [...reading.rows.filter(({ orderId }) => changed.has(orderId)), ...verdicts.moved]) {
    const day = createdMinute(row.raw, shop)?.toPlainDate().toString();
    if (day !== undefined) days.changed.add(day);
  }
  const gone = [...verdicts.mark, ...verdicts.delete, ...verdicts.moved.map(({ orderId }) => orderId)];
  for (const day of storedDays(gone, held)) days.changed.add(day);
  if (verdicts.doubt === undefined) return;
  for (const day of storedDays(diff.missing, held)) days.doubtful.add(day);
}

/**
 * Windows of one day are read at different moments: an order that moved from an unread part to one already read would
 * be in none of them. Only if all parts matched the stored orders did the day stand still in between.
 */
function recordUnconfirmedDays({ days }: Days, completed: readonly ReadDay[]): void {
  for (const { day, parts } of completed) {
    if (parts > 1 && days.restless.has(day)) days.unconfirmed.add(day);
    else days.unconfirmed.delete(day);
    days.restless.delete(day);
  }
}

/** Whether the parts read of a day cannot verify it. */
function isRestless({ days }: Days, day: string): boolean {
  return days.restless.has(day) || days.doubtful.has(day);
}

/** Records the days whose orders, or their minutes, differ from the stored ones. */
function recordRestlessDays(
  { ports: { shop }, state: { days } }: ShopDays,
  reading: WholeWindow,
  diff: WindowDiff,
  held: ReadonlyMap<string, HeldOrder>,
): void {
  const returned = new Set(diff.returned);
  for (const row of reading.rows) {
    const order = held.get(row.orderId);
    const created = createdMinute(row.raw, shop);
    const minute = created?.toString({ smallestUnit: 'minute' });
    if (order?.createdMinute === minute && !order?.isMarked && !returned.has(row.orderId)) continue;
    if (created !== undefined) days.restless.add(created.toPlainDate().toString());
    if (order?.createdOn !== undefined) days.restless.add(order.createdOn);
  }
  for (const day of storedDays(diff.missing, held)) days.restless.add(day);
}

/** Days verified earlier in this sweep that an order has since moved into: they must be read again. */
function enteredDays(
  { ports: { shop }, state: { days } }: ShopDays,
  { moved }: MissingVerdicts,
): readonly string[] {
  const into = moved.flatMap((row) => createdMinute(row.raw, shop)?.toPlainDate().toString() ?? []);
  return [...new Set(into)].filter((day) => days.verified.has(day));
}

/** The days that orders are stored under. */
function storedDays(ids: readonly string[], held: ReadonlyMap<string, HeldOrder>): readonly string[] {
  return [...new Set(ids.flatMap((id) => held.get(id)?.createdOn ?? []))];
}

function malformedRejection(value: JsonValue): Rejection {
  const reason = isJsonObject(value) ? 'the element has no usable order_id' : 'the element is not an object';
  return { resource: 'order', sourceKey: null, field: null, reason, value: excerpt(value) };
}
