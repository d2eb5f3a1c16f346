import { isConfirmable, missingOrder } from '../../model/missing-orders.ts';
import { createdMinute } from '../../normalize/order.ts';
import { isAuditDue } from '../../plan/days/audit-due.ts';
import { mayMarkMissing } from '../../plan/orders/unlisted.ts';
import { FARTHEST, type ListRow, type OrdersPage } from '../../shop-api/endpoints/list-orders.ts';
import { countOrders } from '../../shop-api/count-orders.ts';
import { isEndless, isLastPage, readListPage } from '../../shop-api/paging/read-shop-list.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { makeDue } from '../../warehouse/ops/ledger.ts';
import { countLiveOrders } from '../../warehouse/orders/live-orders.ts';
import { markOrders } from '../../warehouse/orders/missing-marks.ts';
import {
  type DifferingOrder,
  type StoredOrder,
  isDeleted,
  readUndatedOrders,
} from '../../warehouse/orders/stored-orders.ts';
import { isInWindow } from '../../model/window.ts';
import { attempt } from '../ask/record-faults.ts';
import type { Sweep } from '../run/context.ts';
import { compareListed, loadListed } from './orders/compare-listed.ts';
import type { AuditPosition } from '../run/shop-state.ts';
import { judgeMissing } from './orders/judge-missing.ts';
import { OrderQueue } from './orders/order-queue.ts';

/** A list of a million orders takes a night. */
const PAGES_A_SWEEP = 20;
/** One that was read, and one that was not. */
const FEWEST_ROWS = 2;
/** By so much fewer rows are asked for after a page that fails. */
const FEWER = 5;

/** What one sweep reads of the list. */
type Reading = {
  /** Rows to ask for. */
  limit: number;
  /** Live orders that the warehouse stored before. */
  readonly live: number;
  /** Those that no window reaches: without a date, or with one beyond the farthest. */
  readonly undated: readonly StoredOrder[];
  /** Days of orders that the warehouse lacked. */
  readonly due: Set<string>;
};

/**
 * Goes on with reading the list without date filters, and so finds orders that no date filter reaches: some pages a sweep,
 * from when it is due until the list ends. Orders that the warehouse lacks are loaded, and their days become due. It proves
 * nothing, and what it misses where rows shift is found by the next one.
 *
 * @param isWhole reads all of it now, even if it is not due
 */
export async function auditShop(sweep: Sweep, isWhole: boolean): Promise<void> {
  const { ports, state } = sweep;
  const { db, lease, logger, hasTimeLeft, now, shop } = ports;
  const undated = (await readUndatedOrders(db, lease.shopId, FARTHEST.to)).filter(
    (order) => !isDeleted(order),
  );
  // A deletion is confirmed by a second look.
  const isLookDue = undated.some(({ missingSince }) => {
    const missing = missingOrder(missingSince);
    return missing !== undefined && isConfirmable(missing.confirmedAt, now());
  });
  const isDue = isLookDue || isAuditDue(state.audit, undated.length > 0, now());
  if (isWhole || (state.auditPosition === undefined && isDue))
    state.auditPosition = { start: 0, began: now(), undated: [] };
  if (state.auditPosition === undefined) return;
  const live = await countLiveOrders(db, lease.shopId);
  if (!isWhole && state.audit === undefined && (await isAllCounted(sweep, live))) {
    state.audit = { finishedAt: state.auditPosition.began, orders: live, total: live };
    state.auditPosition = undefined;
    return;
  }
  const reading = { limit: state.profile.limit, live, undated, due: new Set<string>() };
  // The first one belongs to the first load.
  let [isOpen, left] = [true, isWhole || state.audit === undefined ? Infinity : PAGES_A_SWEEP];
  for (; isOpen && left > 0 && hasTimeLeft(); left--)
    isOpen = await readPage(sweep, state.auditPosition, reading);
  const days = reading.due.size;
  if (days > 0)
    state.problems.push(`the order list without dates differs from the warehouse on ${days} days`);
  logger.debug({ shop: shop.shopKey, start: state.auditPosition?.start, days }, 'list audited');
}

/**
 * Whether the shop counts as many orders as are stored after a first load: then its list is read without dates by and by. The
 * count proves nothing, and only saves a load the second reading of all its pages.
 */
async function isAllCounted({ ports }: Sweep, live: number): Promise<boolean> {
  const { api, signal } = ports;
  return live > 0 && (await attempt(countOrders(api, {}, signal), signal)) === live;
}

/** Reads the page at a position and advances it. @returns whether this sweep may continue */
async function readPage(sweep: Sweep, position: AuditPosition, reading: Reading): Promise<boolean> {
  const { ports, state } = sweep;
  const { shop, signal } = ports;
  const { limit } = reading;
  const page = await attempt(readListPage({ ...ports, book: state }, position.start, { limit }), signal);
  if (page === undefined) return isolateFault(sweep, position, reading);
  // By mistake; or all of them are gone, which the windows show.
  if (position.start === 0 && page.received === 0 && reading.live > 0) return false;
  if (isEndless(position.start, Math.max(reading.live, page.total ?? 0))) {
    reportUnread(sweep, 'it does not end');
    state.auditPosition = undefined;
    return false;
  }
  await loadUnknown(sweep, page, reading.due);
  const known = new Set(reading.undated.map(({ orderId }) => orderId));
  const isUndated = ({ orderId, raw }: ListRow) => known.has(orderId) || !isReached(createdMinute(raw, shop));
  const undated = [...position.undated, ...page.rows.filter(isUndated).map(({ orderId }) => orderId)];
  const read = { ...position, undated: [...new Set(undated)] };
  if (!isLastPage(page, position.last)) {
    const start = position.start + page.received - 1;
    state.auditPosition = { ...read, start, last: page.rows.at(-1)?.orderId };
    return true;
  }
  state.auditPosition = undefined;
  state.audit = { finishedAt: ports.now(), orders: position.start + page.received, total: page.total };
  await judgeUndated(sweep, read, state.audit.orders, reading);
  return false;
}

function reportUnread({ state }: Sweep, reason: string): void {
  state.problems.push(`the order list could not be read to the end: ${reason}`);
}

/** After a page that fails: fewer rows, and then what is behind the row that it must be, by the next sweep. */
function isolateFault(sweep: Sweep, position: AuditPosition, reading: Reading): boolean {
  if (reading.limit > FEWEST_ROWS) {
    reading.limit = Math.max(FEWEST_ROWS, Math.floor(reading.limit / FEWER));
    return true;
  }
  reportUnread(sweep, `the shop fails on the page after ${position.start + 1} orders`);
  // The first of the two was read with the page before.
  const start = position.start + (position.last === undefined ? 1 : 2);
  sweep.state.auditPosition = { ...position, start, last: undefined };
  return false;
}

/** Whether a window may hold what was placed then. */
const isReached = (created: Temporal.PlainDateTime | undefined) =>
  created !== undefined && isInWindow(FARTHEST, created);

/** Loads a page's orders that are not stored, and changed ones that no window would load. */
async function loadUnknown(sweep: Sweep, page: OrdersPage, due: Set<string>): Promise<void> {
  const { db, lease, now, shop } = sweep.ports;
  const days = new Set<string>();
  const rows = [...new Map(page.rows.map((row) => [row.orderId, row])).values()];
  const { differing, toLoad } = await compareListed(sweep, rows, now());
  const places = new Map(rows.map(({ orderId, raw }) => [orderId, createdMinute(raw, shop)]));
  const isWanted = ({ orderId, stored }: Pick<DifferingOrder, 'orderId' | 'stored'>) => {
    const created = places.get(orderId);
    const day = created?.toPlainDate();
    if (day && shop.historyFrom && Temporal.PlainDate.compare(day, shop.historyFrom) < 0) return false;
    if (stored !== undefined && !stored.isMarked) return !isReached(created);
    if (day && isReached(created)) days.add(day.toString());
    return true;
  };
  const wanted = {
    differing: differing.filter(isWanted),
    toLoad: toLoad.filter(({ stored, row }) => isWanted({ orderId: row.orderId, stored })),
  };
  // Once they are stored, nothing else would show that these days lacked them.
  if (days.size > 0) await fenced(db, lease, (tx) => makeDue(tx, lease.shopId, [...days]));
  for (const day of days) due.add(day);
  await loadListed(sweep, new OrderQueue(sweep), wanted);
}

/** Judges orders that were not listed and that no window covers. @param orders that were listed */
async function judgeUndated(
  sweep: Sweep,
  { began, undated: listed }: AuditPosition,
  orders: number,
  { live, undated }: Reading,
): Promise<void> {
  const { db, lease } = sweep.ports;
  const dated = live - undated.filter(({ isMarked }) => !isMarked).length;
  // A list that is cut says nothing of them.
  if (!mayMarkMissing(dated, dated - (orders - listed.length))) return;
  const isListed = new Set(listed);
  const older = undated.filter(
    ({ lastSeenAt, orderId }) => Temporal.Instant.compare(lastSeenAt, began) < 0 && !isListed.has(orderId),
  );
  const { marks, reason } = await judgeMissing(sweep, older, live);
  if (reason !== undefined) sweep.state.problems.push(reason);
  await fenced(db, lease, (tx) => markOrders(tx, lease.shopId, marks, began));
}
