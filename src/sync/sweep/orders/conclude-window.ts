import { isJsonObject, type JsonValue } from '../../../model/json.ts';
import { createdMinute } from '../../../normalize/order.ts';
import { excerpt, type Rejection } from '../../../normalize/rejection.ts';
import { dayBelow, type ReadDay } from '../../../plan/days/day-progress.ts';
import { freshnessTargetMs, retryAfterMs } from '../../../plan/days/freshness.ts';
import { elementId, FARTHEST, type ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import type { WholeWindow } from '../../../shop-api/paging/reading.ts';
import { isInWindow, isOpenBelow, maxTime, minTime, type Window } from '../../../model/window.ts';
import type { Tx } from '../../../warehouse/db/database.ts';
import { announceDay, markVerified, recordChanges, recordDayFailure } from '../../../warehouse/ops/ledger.ts';
import { findMiscounted } from '../../../warehouse/orders/live-orders.ts';
import { markOrders } from '../../../warehouse/orders/missing-marks.ts';
import type { DifferingOrder, StoredOrder } from '../../../warehouse/orders/stored-orders.ts';
import { describeMalformed } from '../../ask/find-listed.ts';
import type { Ports, Sweep } from '../../run/context.ts';
import { ledgerDays, today } from '../../run/shop-day.ts';
import { writeNormalized } from '../../run/write-normalized.ts';
import { type Compared, compareListed, returnedOf } from './compare-listed.ts';
import { judgeMissing, type MissingVerdicts } from './judge-missing.ts';

/** A proven window, compared with what was stored when it came. */
export type ComparedWindow = Compared & { readonly reading: WholeWindow };

/**
 * Concludes a window whose new and changed orders are written: judges stored orders that it does not list, and marks them and updates
 * the ledger in the window's last transaction. Earlier windows must be concluded first.
 *
 * @param whole the days that are now read to their beginning
 */
export async function concludeWindow(
  sweep: Sweep,
  compared: ComparedWindow,
  whole: readonly ReadDay[],
): Promise<void> {
  const { ports, state } = sweep;
  const { counters } = state;
  const { differing, reading } = compared;
  const verdicts = await judgeUnlisted(sweep, compared);
  const { gone, isRefused, marks } = verdicts;
  const returned = returnedOf(differing);
  if (returned.length > 0) counters.hasWritten = true;
  const failures = findFailures(ports, compared, verdicts, whole);
  const next = dayBelow(reading, ports.shop.historyFrom, today(ports));
  const changed = changedDays(ports, reading, differing, gone);
  const resolved = isRefused ? [] : findResolved(differing, marks.unresolved);
  const { verified } = await writeNormalized(sweep, async (tx, shopId) => {
    await markOrders(tx, shopId, { ...marks, returned, resolved }, reading.requestedAt);
    for (const { days, reason } of failures) await failDays(sweep, tx, days, reason, true);
    // A day that failed is not verified by its other windows.
    const candidates = whole.filter(({ day }) => !state.failed.has(day));
    const miscounted = await findMiscounted(tx, shopId, candidates);
    if (miscounted.length > 0) await failDays(sweep, tx, miscounted, DIFFERS, true);
    const verified = candidates.filter(({ day }) => !miscounted.includes(day));
    await markVerified(tx, shopId, verified);
    if (next !== undefined) await announceDay(tx, shopId, next);
    await recordChanges(tx, shopId, changed, reading.requestedAt);
    return { rejections: reading.malformed.map(malformedRejection), verified };
  });
  for (const { day } of verified) state.verified.add(day);
  counters.days_verified = state.verified.size;
  counters.orders_seen += reading.rows.length;
  if (isRefused) state.found.deletions = verdicts.reason;
  const counts = Object.fromEntries(
    [...Map.groupBy(differing, ({ change }) => change)].map(([change, { length }]) => [change, length]),
  );
  const [from, { logger, shop }] = [reading.window.from.toString(), ports];
  logger.debug({ shop: shop.shopKey, from, orders: reading.rows.length, ...counts }, 'window loaded');
}

async function judgeUnlisted(sweep: Sweep, { differing, reading }: ComparedWindow): Promise<MissingVerdicts> {
  const isUnlisted = ({ change }: DifferingOrder) => change === 'unlisted';
  const first = differing.find(isUnlisted);
  // An order that moved into a window read before this one is stored there by now.
  const now = first
    ? await compareListed(sweep, reading.rows, reading.requestedAt, spanOf(reading))
    : undefined;
  const named = new Set(reading.malformed.flatMap((value) => elementId(value) ?? []));
  const unlisted = now?.differing.filter((order) => isUnlisted(order) && !named.has(order.orderId)) ?? [];
  // What was loaded since then does not make up for what is gone.
  return judgeMissing(
    sweep,
    unlisted.flatMap(({ stored }) => stored ?? []),
    first?.live ?? 0,
  );
}

/** The part of a window that lists can show. */
export function spanOf({ window }: Pick<WholeWindow, 'window'>): Window {
  return { from: maxTime(window.from, FARTHEST.from), to: minTime(window.to, FARTHEST.to) };
}

/** Why days are not verified, though what is read of them is proven. */
function findFailures(
  ports: Pick<Ports, 'now' | 'shop'>,
  { differing, reading }: ComparedWindow,
  { unresolved, isRefused, reason }: MissingVerdicts,
  whole: readonly ReadDay[],
) {
  const { window } = reading;
  const unresolvedDays = reason === undefined ? [] : [{ reason, days: storedDays(unresolved) }];
  const listed = [...unresolvedDays, ...describeOmitted(ports, reading), ...findUnidentified(ports, reading)];
  const unlisted = differing.flatMap(({ change, stored }) =>
    change === 'unlisted' && stored?.isMarked === false ? [stored] : [],
  );
  const first = isOpenBelow(window) ? [] : [window.from.toPlainDate().toString()];
  // A list that lost so many orders may lack any others too.
  const touched = [...first, ...whole.map(({ day }) => day), ...storedDays(unlisted)];
  const failures = isRefused ? unresolvedDays.map((refused) => ({ ...refused, days: touched })) : listed;
  return failures.map(({ days, reason }) => ({ days: ledgerDays(ports, days), reason }));
}

const DIFFERS =
  'the shop lists more or fewer orders of the day than the warehouse has: an order moved while the day was read, or two orders have the same order_id';

/** Of two orders under one id, one may lie in a window whose own list does not show the other. */
function findUnidentified({ shop }: Pick<Ports, 'shop'>, { malformed, window }: WholeWindow) {
  const isOwn = (value: JsonValue) => {
    const created = isJsonObject(value) ? createdMinute(value, shop) : undefined;
    return created !== undefined && isInWindow(window, created);
  };
  const own = malformed.filter((value) => elementId(value) !== undefined || isOwn(value));
  return describeMalformed(own, shop);
}

/** Orders that were unresolved and no longer are, and those unresolved since a future time, which a fast clock wrote. */
function findResolved(
  differing: readonly DifferingOrder[],
  unresolved: readonly string[],
): readonly string[] {
  const ids = new Set(unresolved);
  return differing.flatMap(({ orderId, stored }) => {
    const unresolvedMs = stored?.unresolvedMs ?? null;
    return unresolvedMs !== null && (unresolvedMs < 0 || !ids.has(orderId)) ? [orderId] : [];
  });
}

/** The days of orders that their own list lacks: each is filtered by another time than it says, or left the day meanwhile. */
function describeOmitted(ports: Pick<Ports, 'shop'>, { omitted = [] }: WholeWindow) {
  return omitted.map((row) => ({
    reason: `order ${row.orderId} was listed with a time of this day, but not with the orders of this day`,
    days: daysOf([row], ports),
  }));
}

/** The days that orders came to, left, or changed on. @param gone orders that are not listed any more */
function changedDays(
  ports: Pick<Ports, 'shop'>,
  { rows }: WholeWindow,
  differing: readonly DifferingOrder[],
  gone: readonly StoredOrder[],
): readonly string[] {
  const isChanged = ({ change, stored }: DifferingOrder) =>
    change === 'new' || change === 'changed' || (change !== 'unlisted' && stored?.isMarked === true);
  const changed = differing.filter(isChanged);
  const ids = new Set(changed.map(({ orderId }) => orderId));
  const listed = rows.filter(({ orderId }) => ids.has(orderId));
  return [
    ...daysOf(listed, ports),
    ...storedDays([...changed.flatMap(({ stored }) => stored ?? []), ...gone]),
  ];
}

/** The days that rows were placed on, by what they say. */
function daysOf(rows: readonly ListRow[], { shop }: Pick<Ports, 'shop'>): readonly string[] {
  return [...new Set(rows.flatMap(({ raw }) => createdMinute(raw, shop)?.toPlainDate().toString() ?? []))];
}

const storedDays = (stored: readonly StoredOrder[]) => [
  ...new Set(stored.flatMap(({ createdOn }) => createdOn ?? [])),
];

function malformedRejection(value: JsonValue): Rejection {
  const orderId = elementId(value);
  const [own, shared] = ['the element has no usable order_id', 'a different element has the same order_id'];
  const reason = !isJsonObject(value) ? 'the element is not an object' : orderId === undefined ? own : shared;
  return { resource: 'order', sourceKey: orderId ?? null, field: null, reason, value: excerpt(value) };
}

/**
 * Records why days could not be verified, which is a problem of the run too, and when they are tried again: together, for one may be
 * due to the other. Several failures of a day in one sweep are one attempt. A day verified earlier in the sweep is no longer verified.
 *
 * @param wasRead they were read whole, and their orders were loaded
 */
export async function failDays(
  { ports, state }: Sweep,
  tx: Tx,
  days: readonly string[],
  reason: string,
  wasRead: boolean,
): Promise<void> {
  const { lease, now, shop } = ports;
  state.problems.push(reason);
  const present = today(ports);
  const ages = days.map((day) => Temporal.PlainDate.from(day).until(present).total('days'));
  const targetMs = Math.min(...ages.map((age) => freshnessTargetMs(shop.freshness, age)));
  await recordDayFailure(tx, lease.shopId, days, reason, (before) => {
    const isCounted = days.some((day) => state.failed.has(day));
    const attempts = isCounted ? Math.max(1, before) : before + 1;
    const milliseconds = retryAfterMs({ attempts, ageDays: Math.min(...ages), targetMs, wasRead });
    return { attempts, retryAt: now().add({ milliseconds }) };
  });
  for (const day of days) {
    state.failed.add(day);
    state.verified.delete(day);
  }
  state.counters.days_verified = state.verified.size;
}
