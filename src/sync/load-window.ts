import { isJsonObject, type JsonValue } from '../json.ts';
import { fingerprint } from '../normalize/fingerprint.ts';
import { createdMinute } from '../normalize/order.ts';
import { excerpt, type Rejection } from '../normalize/rejection.ts';
import { daysOf } from '../plan/day-coverage.ts';
import { diffWindow, type WindowDiff } from '../plan/diff.ts';
import { mayMarkMissing } from '../plan/missing-verdict.ts';
import { fenced } from '../warehouse/lease.ts';
import { markVerified, recordDayFailure, type VerifiedDay } from '../warehouse/ledger.ts';
import { clearMissing, loadOrders, markMissing } from '../warehouse/load-orders.ts';
import { recordRejections } from '../warehouse/rejections.ts';
import { type HeldOrder, readHeldOrders } from '../warehouse/stored-orders.ts';
import type { SweepDeps } from './deps.ts';
import { type Listed, type Prepared, prepareOrder } from './prepare-order.ts';
import type { WindowReading } from './read-windows.ts';

type WholeWindow = Extract<WindowReading, { kind: 'whole' }>;

/** A day of which every minute was read, and since when. */
export type CompletedDay = Omit<VerifiedDay, 'isChanged'>;

/** Orders of one transaction. */
const CHUNK = 100;
/** Pause before lines that failed are asked for again; it doubles with each failure. */
const LINES_RETRY_MS = 60_000;

/**
 * Brings the warehouse's orders of a window to what the walk returned: new and changed ones with their lines, marks on
 * those that are missing, and with the last transaction the verdict on the days that are now complete.
 *
 * @param completed days that this window completes
 * @param turn settles when the windows asked before this one are written, so that the later observation wins
 */
export async function loadWindow(
  deps: SweepDeps,
  reading: WholeWindow,
  completed: readonly CompletedDay[],
  turn: Promise<void>,
): Promise<void> {
  const listed = reading.rows.map((row): Listed => ({ row, fingerprint: fingerprint(row.raw) }));
  const { db, lease, shop } = deps;
  const ids = listed.map(({ row }) => row.orderId);
  const held = new Map(
    (await readHeldOrders(db, lease.shopId, reading.window, ids)).map((order) => [order.orderId, order]),
  );
  const lines = { maxAgeMs: shop.linesMaxAgeMs, retryMs: LINES_RETRY_MS };
  const diff = diffWindow(listed.map(toListed), [...held.values()], lines, deps.now());
  const wanted = new Set([...diff.added, ...diff.changed, ...diff.linesDue]);
  const toLoad = listed.filter(({ row }) => wanted.has(row.orderId));
  let isWritten = Promise.resolve();
  for (let start = 0; start < toLoad.length; start += CHUNK) {
    const chunk = toLoad.slice(start, start + CHUNK);
    const prepared = await Promise.all(
      chunk.map((order) => prepareOrder(deps, order, held.get(order.row.orderId), reading.askedAt)),
    );
    await turn;
    await isWritten;
    isWritten = writeChunk(deps, prepared);
    // A rejection is met at the next await of it; this keeps it from counting as unhandled until then.
    isWritten.catch(() => undefined);
  }
  await turn;
  await isWritten;
  await finishWindow(deps, reading, diff, [...held.values()], completed);
  count(deps, reading, diff);
}

function toListed({ row, fingerprint }: Listed) {
  return { orderId: row.orderId, fingerprint };
}

async function writeChunk({ db, lease, tally }: SweepDeps, prepared: readonly Prepared[]): Promise<void> {
  const orders = prepared.flatMap(({ order }) => order ?? []);
  const rejections = prepared.flatMap((order) => order.rejections);
  const keys = (found: typeof orders) => found.map(({ row }) => row.order_id);
  const fetched = orders.filter(({ lines }) => lines.kind === 'fetched');
  tally.newRejections += await fenced(db, lease, async (tx) => {
    await loadOrders(tx, lease.shopId, orders);
    const normalized = [
      { resource: 'order' as const, sourceKeys: keys(orders) },
      { resource: 'content' as const, sourceKeys: keys(fetched) },
    ];
    return recordRejections(tx, lease.shopId, normalized, rejections);
  });
  tally.rejections += rejections.length;
  tally.shortfalls.push(...prepared.flatMap(({ failure }) => failure ?? []));
}

/** The last transaction of a window: what is missing or came back, and the ledger. */
async function finishWindow(
  deps: SweepDeps,
  reading: WholeWindow,
  diff: WindowDiff,
  held: readonly HeldOrder[],
  completed: readonly CompletedDay[],
): Promise<void> {
  const { db, lease, tally, days } = deps;
  const live = held.filter((order) => order.isInWindow && !order.isMarked).length;
  const mayMark = mayMarkMissing(live, diff.missing.length);
  const windowDays = daysOf(reading.window);
  noteDays(deps, reading, diff, mayMark);
  const verified = completed
    .filter(({ day }) => !days.doubtful.has(day))
    .map((day) => ({ ...day, isChanged: days.changed.has(day.day) }));
  const malformed = reading.malformed.map(malformedRejection);
  const newRejections = await fenced(db, lease, async (tx) => {
    await clearMissing(tx, lease.shopId, diff.returned);
    await markVerified(tx, lease.shopId, verified);
    if (mayMark) await markMissing(tx, lease.shopId, diff.missing, reading.askedAt);
    else await recordDayFailure(tx, lease.shopId, windowDays, vanishedSentence(diff.missing.length, live));
    return recordRejections(tx, lease.shopId, [], malformed);
  });
  tally.newRejections += newRejections;
  tally.rejections += malformed.length;
  tally.days_verified += verified.length;
  if (mayMark) tally.orders_missing += diff.missing.length;
  else tally.shortfalls.push(vanishedSentence(diff.missing.length, live));
}

/** Keeps which days changed and which are in doubt, since the verdict on a day may come with a later window of it. */
function noteDays({ days }: SweepDeps, reading: WholeWindow, diff: WindowDiff, mayMark: boolean): void {
  const changed = new Set([...diff.added, ...diff.changed, ...diff.returned]);
  for (const row of reading.rows) {
    const day = changed.has(row.orderId) ? createdMinute(row.raw)?.toPlainDate().toString() : undefined;
    if (day !== undefined) days.changed.add(day);
  }
  if (diff.missing.length === 0) return;
  for (const day of daysOf(reading.window)) (mayMark ? days.changed : days.doubtful).add(day.toString());
}

function vanishedSentence(missing: number, live: number): string {
  return (
    `${missing} of ${live} orders vanished from the shop's list at once, which looks like a fault of the shop: ` +
    'none was marked, and the days stay due'
  );
}

function malformedRejection(value: JsonValue): Rejection {
  const reason = isJsonObject(value) ? 'the element has no usable order_id' : 'the element is not an object';
  return { resource: 'order', sourceKey: null, field: null, reason, value: excerpt(value) };
}

function count({ tally }: SweepDeps, reading: WholeWindow, diff: WindowDiff): void {
  tally.orders_seen += reading.rows.length;
  tally.orders_new += diff.added.length;
  tally.orders_changed += diff.changed.length;
}
