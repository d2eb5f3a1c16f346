import { createdMinute } from '../../normalize/order.ts';
import { auditDue, isTotalApart } from '../../plan/days/audit-due.ts';
import type { OrdersPage } from '../../shop-api/endpoints/list-orders.ts';
import type { ListEnds, Placed } from '../../shop-api/paging/list-ends.ts';
import {
  isOutOfTime,
  type KeptProgress,
  type ListEnd,
  type ListProgress,
  readShopList,
} from '../../shop-api/paging/read-shop-list.ts';
import { toQuery } from '../../shop-api/paging/request-page.ts';
import { parseInstant } from '../../warehouse/db/instant.ts';
import { dropAuditParts, readAuditParts, saveAuditPart } from '../../warehouse/ops/stored-shop-state.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { makeDue } from '../../warehouse/ops/ledger.ts';
import {
  countLiveOrders,
  holdsUndated,
  isUndatedConfirmable,
  isOrderNumber,
  readUnlisted,
} from '../../warehouse/orders/live-orders.ts';
import { markDeleted, markMissing } from '../../warehouse/orders/missing-marks.ts';
import { type HeldOrder, readOrdersById, readUndatedOrders } from '../../warehouse/orders/stored-orders.ts';
import type { ListEndsRecord } from '../../warehouse/schema/ops.ts';
import { EVER } from '../../window.ts';
import { foreignPageReason } from '../ask/recognize-shop.ts';
import { attempt } from '../ask/record-faults.ts';
import type { Run, Sweep } from '../run/context.ts';
import { judgeMissing } from './orders/judge-missing.ts';
import { loadListed } from './orders/write-orders.ts';

/**
 * Whether an audit is due now. If orders without a date are stored, which no window shows, the shop's total is checked
 * between two audits. One of them that the list lacked is looked for once more.
 */
export async function isAuditDue({ ports, state: { audit, profile } }: Sweep): Promise<boolean> {
  const { api, db, lease, now, signal } = ports;
  const due = auditDue(audit, now());
  if (await isUndatedConfirmable(db, lease.shopId, now())) return true;
  if (due !== 'by total' || audit === undefined) return due === 'now';
  if (!(await holdsUndated(db, lease.shopId))) return false;
  const query = { ...toQuery({ from: undefined, to: undefined }, 0, profile), limit: 1 };
  const page = await attempt(api.listOrders(query, signal), signal);
  if (page?.total === undefined) return false;
  return isTotalApart(audit, page.total, await countLiveOrders(db, lease.shopId));
}

/** The list without date filters, as an audit read it. */
export type AuditedList = ListEnd & {
  readonly began: Temporal.Instant;
  /** Days of orders that the warehouse lacked. */
  readonly due: Set<string>;
};

/**
 * Reads the list without date filters, and so finds orders that no date filter reaches. Loads orders that the warehouse
 * lacks, and notes their days.
 *
 * @param mayResume whether it may go on where the last audit was interrupted
 */
export async function readForAudit(
  sweep: Sweep,
  underway: ReadonlySetLike<string>,
  mayResume: boolean,
): Promise<AuditedList> {
  const { ports, state } = sweep;
  const { db, lease, shop } = ports;
  const { began, ...kept } = await openAudit(sweep, mayResume);
  const due = new Set<string>();
  let isRecognized = false;
  const takePage = async (given: OrdersPage) => {
    const page = { ...given, rows: given.rows.filter(({ orderId }) => !underway.has(orderId)) };
    const ids = page.rows.map(({ orderId }) => orderId);
    const held = await readOrdersById(db, lease.shopId, ids);
    const known = held.size + given.rows.length - page.rows.length;
    const foreign = isRecognized ? undefined : await foreignPageReason(sweep, known);
    isRecognized = true;
    if (foreign === undefined) await loadUnknown(sweep, page, held, due);
    return foreign;
  };
  const end = await readShopList(
    { ...ports, book: state, readCreated: ({ raw }) => createdMinute(raw, shop) },
    underway.size + (await countLiveOrders(db, lease.shopId)),
    takePage,
    ports.mayAsk,
    kept,
  );
  return { ...end, began, due };
}

const ALL_DAYS = { from: undefined, to: undefined };

/**
 * Compares what is stored with the list: the days of orders that only one of the two holds are due again. Orders without a
 * date that are not listed are judged here, since no window covers them. All orders that were listed before must be written.
 */
export async function concludeAudit(sweep: Sweep, { began, due, ...end }: AuditedList): Promise<void> {
  const { ports, state } = sweep;
  const { db, lease, logger, now, shop } = ports;
  // Of a shop that never shows all of its list, an audit cannot show more.
  if (end.problem === undefined || end.isPartial) {
    if (!end.isPartial) {
      // An order that was first seen since then may be newer than the list.
      const unlisted = await readUnlisted(db, lease.shopId, end.ids, ALL_DAYS, began);
      for (const { day, missingSince } of unlisted)
        if (day !== undefined && missingSince === undefined) due.add(day);
    }
    await judgeUndated(sweep, end, began);
    const held = await countLiveOrders(db, lease.shopId);
    state.audit = { finishedAt: now(), orders: end.ids.size, total: end.total, live: held };
  } else if (ports.mayAsk())
    state.problems.push(`the order list could not be read to the end: ${end.problem}`);
  await fenced(db, lease, async (tx) => {
    await makeDue(tx, lease.shopId, [...due]);
    if (!isOutOfTime(end)) await dropAuditParts(tx, lease.shopId);
  });
  if (due.size > 0)
    state.problems.push(`the order list without dates differs from the warehouse on ${due.size} days`);
  logger.info({ shop: shop.shopKey, orders: end.ids.size, days: due.size }, 'list audited');
}

/** Loads a page's orders that are not stored, and changed ones without a date, which no window would load. */
async function loadUnknown(
  sweep: Sweep,
  page: OrdersPage,
  held: ReadonlyMap<string, HeldOrder>,
  due: Set<string>,
): Promise<void> {
  const { db, lease, now, privacy, shop } = sweep.ports;
  const days = new Set<string>();
  const rows = [...new Map(page.rows.map((row) => [row.orderId, row])).values()];
  const wanted = rows.filter((row) => {
    const order = held.get(row.orderId);
    const day = createdMinute(row.raw, shop)?.toPlainDate();
    const isBefore = day && shop.historyFrom && Temporal.PlainDate.compare(day, shop.historyFrom) < 0;
    if (isBefore === true) return false;
    if (order === undefined || order.isMarked) {
      if (day !== undefined) days.add(day.toString());
      return true;
    }
    return day === undefined && order.fingerprint !== privacy.fingerprint(row.raw);
  });
  // Once they are stored, nothing else would show that these days lacked them.
  if (days.size > 0) await fenced(db, lease, (tx) => makeDue(tx, lease.shopId, [...days]));
  for (const day of days) due.add(day);
  await loadListed(sweep, wanted, held, now());
}

/** Of all orders without a date, also those that are missing since an earlier audit: nothing else confirms that they are deleted. */
async function judgeUndated(sweep: Sweep, end: ListEnd, at: Temporal.Instant): Promise<void> {
  const { db, lease, recordRun } = sweep.ports;
  const { counters, problems } = sweep.state;
  // A list that was asked for with dates, or shown in part, says nothing of them.
  const held = end.isDated || end.isPartial ? [] : await readUndatedOrders(db, lease.shopId);
  const older = held.filter(({ lastSeenAt }) => Temporal.Instant.compare(lastSeenAt, at) < 0);
  const live = await countLiveOrders(db, lease.shopId);
  const verdicts = await judgeMissing(sweep, EVER, older, end.ids, live);
  if (verdicts.doubt !== undefined) problems.push(verdicts.doubt);
  if (verdicts.mark.length + verdicts.delete.length > 0) await recordRun();
  await fenced(db, lease, async (tx) => {
    await markMissing(tx, lease.shopId, verdicts.mark, at);
    await markDeleted(tx, lease.shopId, verdicts.delete, at);
  });
  counters.orders_missing += verdicts.mark.length;
}

/** An audit says what was listed when it began: after so long, that is old. */
const MAX_AGE_HOURS = 24;

type AuditProgress = KeptProgress & {
  /** When its first page was asked for. */
  readonly began: Temporal.Instant;
};

/** @returns where to begin, and how to store how far it came */
async function openAudit({ ports, state }: Run, mayResume: boolean): Promise<AuditProgress> {
  const { db, lease, now } = ports;
  const { shopId } = lease;
  const parts = await readAuditParts(db, shopId);
  const last = parts.at(-1);
  const since = last && parseInstant(last.began_at);
  const hours = since === undefined ? Infinity : now().since(since).total('hours');
  const isLater = since && state.audit && Temporal.Instant.compare(since, state.audit.finishedAt) <= 0;
  const isUsable = mayResume && hours >= 0 && hours < MAX_AGE_HOURS && isLater !== true;
  if (last !== undefined && !isUsable) await fenced(db, lease, (tx) => dropAuditParts(tx, shopId));
  const began = (isUsable ? since : undefined) ?? now();
  const kept = isUsable ? parts : [];
  const from = kept.at(-1);
  const keptIds = new Set(kept.flatMap(({ order_ids }) => order_ids));
  // Elements that are no orders are counted, and no part names them.
  let [read, named] = [from?.orders_read ?? 0, keptIds.size];
  const toPart = ({ start, total, ends, isDated }: ListProgress, ids: readonly string[]) => ({
    orders_read: read,
    began_at: began.toString(),
    list_start: start,
    list_total: total ?? null,
    list_ends: { ...toRecord(ends), isDated },
    order_ids: ids.filter(isOrderNumber),
  });
  return {
    began,
    from: from && {
      start: from.list_start,
      total: from.list_total ?? undefined,
      ends: toEnds(from.list_ends),
      ids: keptIds,
      isDated: from.list_ends.isDated ?? false,
    },
    async keep(progress) {
      const fresh = progress.ids.values().drop(named).toArray();
      if (fresh.length === 0) return;
      named += fresh.length;
      read += fresh.length;
      await fenced(db, lease, (tx) => saveAuditPart(tx, shopId, toPart(progress, fresh)));
    },
    async restart(progress) {
      [read, named] = [0, 0];
      await fenced(db, lease, async (tx) => {
        await dropAuditParts(tx, shopId);
        await saveAuditPart(tx, shopId, toPart(progress, []));
      });
    },
  };
}

function toRecord({ below, above, last, ...order }: ListEnds): Omit<ListEndsRecord, 'isDated'> {
  const toText = ({ orderId, time }: Placed) => ({ orderId, time: time.toString() });
  return { below: below.map(toText), above: above.map(toText), last: last?.toString(), ...order };
}

function toEnds({ below, above, last, isAscending, isDescending }: ListEndsRecord): ListEnds {
  const toPlaced = ({ orderId, time }: ListEndsRecord['below'][number]) => {
    return { orderId, time: Temporal.PlainDateTime.from(time) };
  };
  return {
    below: below.map(toPlaced),
    above: above.map(toPlaced),
    last: last === undefined ? undefined : Temporal.PlainDateTime.from(last),
    isAscending,
    isDescending,
  };
}
