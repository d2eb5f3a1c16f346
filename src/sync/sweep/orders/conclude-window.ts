import { isJsonObject, type JsonValue } from '../../../model/json.ts';
import { createdMinute } from '../../../normalize/order.ts';
import { excerpt, type Rejection } from '../../../normalize/rejection.ts';
import { dayBelow, type ReadDay } from '../../../plan/days/day-progress.ts';
import { freshnessTargetMs, retryAfterMs } from '../../../plan/days/freshness.ts';
import { elementId, type ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import type { WholeWindow } from '../../../shop-api/paging/reading.ts';
import { isOpenBelow } from '../../../model/window.ts';
import type { Tx } from '../../../warehouse/db/database.ts';
import { announceDay, markVerified, recordChanges, recordDayFailure } from '../../../warehouse/ops/ledger.ts';
import { findMiscounted } from '../../../warehouse/orders/live-orders.ts';
import { clearMissing, markDeleted, markMissing } from '../../../warehouse/orders/missing-marks.ts';
import type { Ports, Sweep } from '../../run/context.ts';
import { ledgerDays, today } from '../../run/shop-day.ts';
import { writeNormalized } from '../../run/write-normalized.ts';
import { type ComparedWindow, readStored } from './compare-window.ts';
import { judgeMissing, type MissingVerdicts } from './judge-missing.ts';

/**
 * Concludes a window whose new and changed orders are written: judges stored orders that it does not list, marks them, and
 * updates the ledger, in the window's last transaction. Earlier windows must be concluded first.
 *
 * @param whole the days that are now read to their beginning
 */
export async function concludeWindow(
  sweep: Sweep,
  compared: ComparedWindow,
  whole: readonly ReadDay[],
): Promise<void> {
  const { ports, state } = sweep;
  const { reading, diff } = compared;
  const verdicts = await judgeUnlisted(sweep, compared);
  if (diff.returned.length + verdicts.mark.length + verdicts.delete.length > 0) await ports.recordRun();
  await settleDays(sweep, compared, verdicts, whole);
  state.counters.orders_seen += reading.rows.length;
  state.counters.orders_missing += verdicts.mark.length;
  const counts = { orders: reading.rows.length, added: diff.added.length, changed: diff.changed.length };
  const from = reading.window.from.toString();
  ports.logger.debug({ shop: ports.shop.shopKey, from, ...counts }, 'window loaded');
}

async function judgeUnlisted(sweep: Sweep, { reading, stored }: ComparedWindow): Promise<MissingVerdicts> {
  const ids = [
    ...reading.rows.map(({ orderId }) => orderId),
    ...reading.malformed.flatMap((value) => elementId(value) ?? []),
  ];
  const listed = new Set(ids);
  const before = stored.filter(({ isInWindow }) => isInWindow);
  const hasUnlisted = before.some(({ orderId }) => !listed.has(orderId));
  // An order that moved into a window read before this one is stored there by now.
  const storedNow = hasUnlisted ? await readStored(sweep.ports, reading) : stored;
  // What was loaded since then does not make up for what is gone.
  const liveBefore = before.filter(({ isMarked }) => !isMarked).length;
  return judgeMissing(sweep, storedNow, listed, liveBefore);
}

/** The last transaction of a window: marks missing, deleted and returned orders, and updates the ledger. */
async function settleDays(
  sweep: Sweep,
  { reading, held, diff, unidentified }: ComparedWindow,
  { mark, delete: gone, doubt, doubts }: MissingVerdicts,
  whole: readonly ReadDay[],
): Promise<void> {
  const { ports, state, found } = sweep;
  const { counters, problems } = state;
  const malformed = reading.malformed.map(malformedRejection);
  const next = dayBelow(reading, ports.shop.historyFrom, today(ports));
  const changed = changedDays(ports, reading, diff, held, [...mark, ...gone]);
  const { window } = reading;
  const first = isOpenBelow(window) ? [] : [window.from.toPlainDate().toString()];
  const touched = [...new Set([...first, ...whole.map(({ day }) => day)])];
  // A list that lost so many orders may lack any others too.
  const lost = { reason: doubt ?? '', days: [...touched, ...storedDays(diff.missing, held)] };
  const lacking = findLacking(ports, reading);
  const reasons = doubt === undefined ? [...(doubts ? [doubts] : []), ...lacking, ...unidentified] : [lost];
  const failures = reasons.map(({ days, reason }) => ({ days: ledgerDays(ports, days), reason }));
  const failed = [...new Set(failures.flatMap(({ days }) => days))];
  // Verified earlier in this sweep, before it was seen that an order is out of reach.
  const undone = failed.filter((day) => found.verified.has(day));
  const { verified, differing } = await writeNormalized(sweep, [], malformed, async (tx, shopId) => {
    await clearMissing(tx, shopId, diff.returned);
    await markMissing(tx, shopId, mark, reading.askedAt);
    await markDeleted(tx, shopId, gone, reading.askedAt);
    for (const { days, reason } of failures) await failDays(sweep, tx, days, reason, true);
    // A day that failed is not verified by its other windows.
    const candidates = whole.filter(({ day }) => !found.failed.has(day));
    const differing = await findMiscounted(tx, shopId, countStorable(sweep, candidates));
    const verified = candidates.filter(({ day }) => !differing.includes(day));
    await markVerified(tx, shopId, verified);
    await failDays(sweep, tx, differing, DIFFERS, true);
    if (next !== undefined) await announceDay(tx, shopId, next);
    await recordChanges(tx, shopId, changed, reading.askedAt);
    return { verified, differing };
  });
  for (const { day } of verified) found.verified.add(day);
  for (const day of failed) found.verified.delete(day);
  problems.push(...[...unidentified, ...lacking].map(({ reason }) => reason));
  if (differing.length > 0) problems.push(DIFFERS);
  counters.days_verified += verified.length - undone.length;
  if (doubt === undefined) return;
  problems.push(doubt);
  found.findings.set('deletions', doubt);
}

const DIFFERS =
  'the warehouse does not hold as many orders of the day as the shop lists: one moved while it was read, or two have one order_id';

/** Days with the orders that they are to hold: of a row that cannot be read at all, only the answer is stored. */
function countStorable({ found }: Sweep, days: readonly ReadDay[]): readonly ReadDay[] {
  const unread = [...found.unread.values()];
  return days.map((read) => ({
    ...read,
    orders: read.orders - unread.filter((day) => day === read.day).length,
  }));
}

/** The days of orders that their own list lacks: each is filtered by another time than it says, or left the day meanwhile. */
function findLacking(ports: Pick<Ports, 'shop'>, { lacking = [] }: WholeWindow) {
  return lacking.map((row) => ({
    reason: `order ${row.orderId} was listed with a time of this day, but not with the orders of this day`,
    days: daysOf([row], ports),
  }));
}

/** The days that orders came to, left, or changed on. @param unlisted orders that are gone, or seem so */
function changedDays(
  ports: Pick<Ports, 'shop'>,
  reading: WholeWindow,
  diff: ComparedWindow['diff'],
  held: ComparedWindow['held'],
  unlisted: readonly string[],
): readonly string[] {
  const changed = new Set([...diff.added, ...diff.changed, ...diff.returned]);
  const rows = reading.rows.filter(({ orderId }) => changed.has(orderId));
  return [...daysOf(rows, ports), ...storedDays([...changed, ...unlisted], held)];
}

/** The days that rows were placed on, by what they say. */
function daysOf(rows: readonly ListRow[], { shop }: Pick<Ports, 'shop'>): readonly string[] {
  return [...new Set(rows.flatMap(({ raw }) => createdMinute(raw, shop)?.toPlainDate().toString() ?? []))];
}

function storedDays(ids: readonly string[], held: ComparedWindow['held']): readonly string[] {
  return [...new Set(ids.flatMap((id) => held.get(id)?.createdOn ?? []))];
}

function malformedRejection(value: JsonValue): Rejection {
  const orderId = elementId(value);
  const [own, shared] = ['the element has no usable order_id', 'a different element has the same order_id'];
  const reason = !isJsonObject(value) ? 'the element is not an object' : orderId === undefined ? own : shared;
  return { resource: 'order', sourceKey: orderId ?? null, field: null, reason, value: excerpt(value) };
}

/**
 * Records why days could not be verified, and when they are tried again: together, for one may be due to the other. Several failures of a day in one sweep are one
 * attempt.
 *
 * @param wasRead they were read whole, and their orders were loaded
 */
export async function failDays(
  { ports, found }: Sweep,
  tx: Tx,
  days: readonly string[],
  reason: string,
  wasRead: boolean,
): Promise<void> {
  const { lease, now, shop } = ports;
  const present = today(ports);
  const ages = days.map((day) => Temporal.PlainDate.from(day).until(present).total('days'));
  const targetMs = Math.min(...ages.map((age) => freshnessTargetMs(shop.freshness, age)));
  await recordDayFailure(tx, lease.shopId, days, reason, (before) => {
    const isCounted = days.some((day) => found.failed.has(day));
    const attempts = isCounted ? Math.max(1, before) : before + 1;
    const milliseconds = retryAfterMs({ attempts, ageDays: Math.min(...ages), targetMs, wasRead });
    return { attempts, retryAt: now().add({ milliseconds }) };
  });
  for (const day of days) found.failed.add(day);
}
