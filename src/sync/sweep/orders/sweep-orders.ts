import type { ShopZone } from '../../../normalize/local-time.ts';
import { createdMinute } from '../../../normalize/order.ts';
import { dayPartOf } from '../../../plan/day-part.ts';
import { addWindow } from '../../../plan/day-progress.ts';
import { type DueDay, type DueRun, dueRuns } from '../../../plan/due-days.ts';
import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import { dropParts, recordDayFailure } from '../../../warehouse/ops/ledger.ts';
import { readOrdersById } from '../../../warehouse/orders/stored-orders.ts';
import { isInWindow, isOpenAbove, isOpenBelow, type Window } from '../../../window.ts';
import type { Needs, Sweep, SweepState } from '../../run/context.ts';
import { findStoredOrders } from './known-orders.ts';
import { loadListed } from './load-window.ts';
import { createOrderLoader } from './order-loader.ts';
import type { WholeWindow, WindowReading } from '../../../shop-api/paging/window-reading.ts';
import { readWindows } from './read-windows.ts';
import { resumeRun } from './resume-run.ts';
import { today } from '../../run/shop-day.ts';

/**
 * Verifies due days, newest first: while one window is read, contents of earlier ones are fetched. They are written in
 * list order, so that of two observations of an order the later one wins.
 *
 * @param mayAsk whether the time budget allows another window
 * @returns whether all due days were requested within the time budget
 * @throws the first error that ends the sweep; what was written before is kept
 */
export async function sweepOrders(
  given: Sweep,
  due: readonly DueDay[],
  mayAsk: () => boolean,
): Promise<boolean> {
  // An error that ends one window ends all: refused credentials must not be tried a hundred more times.
  const failed = new AbortController();
  const signal = AbortSignal.any([given.ports.signal, failed.signal]);
  const sweep: Sweep = { ports: { ...given.ports, signal }, state: given.state };
  const loader = createOrderLoader(sweep, (error) => failed.abort(error));
  let isFinished = true;
  const unproven: ListRow[] = [];
  const mayAskNext = () => (isFinished &&= mayAsk());
  const readAll = async (days: readonly DueDay[]) => {
    for (const dueRun of dueRuns(days, today(sweep.ports))) {
      if (dueRun.days[0]?.part !== undefined) await loader.finish();
      const resumed = await resumeRun(sweep, dueRun);
      const { run } = resumed;
      let { progress } = resumed;
      const asked = new Set(run.days.map(({ day }) => day.toString()));
      for await (const reading of readRun(sweep, run, mayAskNext, unproven)) {
        const { window, isOldest, askedAt } = reading;
        const read = { window, isOldest, askedAt, ordersByDay: ordersByDay(reading, sweep.ports.shop) };
        const added = addWindow(progress, read, asked, today(sweep.ports));
        progress = added.progress;
        const begun = dayPartOf(progress, window, today(sweep.ports));
        await loader.add(reading, { whole: added.whole, begun });
      }
    }
    await loader.finish();
    await loadUnproven(sweep, unproven.splice(0));
  };
  try {
    await readAll(due);
    await readAll(unconfirmedDays(sweep.state));
    // If there was no time to read them again, they are like any other day that is still due.
    if (isFinished) await recordUnconfirmed(sweep);
    return isFinished;
  } finally {
    await Promise.allSettled([loader.finish()]);
  }
}

function unconfirmedDays({ days }: Pick<SweepState, 'days'>): readonly DueDay[] {
  return [...days.unconfirmed]
    .toSorted()
    .toReversed()
    .map((text) => {
      const day = Temporal.PlainDate.from(text);
      return { day, since: day, expected: undefined };
    });
}

/** Days that were read twice in parts, with different results, stay due. */
async function recordUnconfirmed({
  ports,
  state,
}: Needs<'db' | 'lease', 'days' | 'problems'>): Promise<void> {
  const { db, lease } = ports;
  const { days, problems } = state;
  if (days.unconfirmed.size === 0) return;
  const reason = 'the day was read in several parts, and its orders changed in between';
  problems.push(reason);
  const open = [...days.unconfirmed].map((day) => Temporal.PlainDate.from(day));
  await fenced(db, lease, (tx) => recordDayFailure(tx, lease.shopId, open, reason));
}

/** Loads orders of windows that were not proven: their days stay due. */
async function loadUnproven(sweep: Sweep, rows: readonly ListRow[]): Promise<void> {
  const { db, lease, now, privacy } = sweep.ports;
  const ids = rows.map(({ orderId }) => orderId);
  const stored = await readOrdersById(db, lease.shopId, ids);
  const held = new Map(stored.map((order) => [order.orderId, order]));
  const unique = new Map(rows.map((row) => [row.orderId, row]));
  const wanted = [...unique.values()].filter((row) => {
    const order = held.get(row.orderId);
    return order === undefined || order.isMarked || order.fingerprint !== privacy.fingerprint(row.raw);
  });
  await loadListed(sweep, wanted, held, now());
}

/**
 * Yields the windows of a run that were read whole, and records the others in the ledger.
 *
 * @param unproven collects the orders of the others, to be loaded after all windows
 */
async function* readRun(
  sweep: Sweep,
  run: DueRun,
  mayAsk: () => boolean,
  unproven: ListRow[],
): AsyncGenerator<WholeWindow> {
  const { ports, state } = sweep;
  const { api, now, shop, signal } = ports;
  const reads = {
    api,
    now,
    shop,
    signal,
    book: state,
    stored: findStoredOrders(ports.db, ports.lease.shopId),
  };
  for await (const reading of readWindows(reads, run, today(ports), mayAsk)) {
    if (reading.kind === 'whole') {
      state.counters.windowsProven++;
      yield reading;
    } else {
      unproven.push(...reading.rows);
      await recordUnproven(sweep, run, reading);
    }
  }
}

async function recordUnproven(
  { ports, state }: Sweep,
  run: DueRun,
  { window, reason }: Extract<WindowReading, { kind: 'unproven' }>,
): Promise<void> {
  const { db, lease, logger, shop } = ports;
  state.counters.windowsUnproven++;
  state.problems.push(reason);
  logger.warn({ shop: shop.shopKey, from: window.from.toString() }, 'window not proven');
  const days = unprovenDays(ports, window, run.days);
  const [newest] = run.days;
  await fenced(db, lease, async (tx) => {
    await recordDayFailure(tx, lease.shopId, days, reason);
    // Drop the part that was read, or it would grow stale above a part that cannot be read.
    const isStuck = newest?.part !== undefined && newest.part.readFrom.equals(window.to);
    if (isStuck) await dropParts(tx, lease.shopId, [newest.day.toString()]);
  });
}

/** Due days of a window, and the day it ends in, which stands for all days before it. */
function unprovenDays(
  ports: Pick<Sweep['ports'], 'now' | 'shop'>,
  window: Window,
  due: readonly DueDay[],
): readonly Temporal.PlainDate[] {
  const touched = due.flatMap(({ day }) => {
    const [start, end] = [day.toPlainDateTime(), day.toPlainDateTime('23:59')];
    return isInWindow(window, start) || isInWindow(window, end) || isInDay(window, day) ? [day] : [];
  });
  const last = isOpenAbove(window) ? today(ports) : window.to.subtract({ minutes: 1 }).toPlainDate();
  return touched.some((day) => day.equals(last)) ? touched : [...touched, last];
}

function isInDay(window: Window, day: Temporal.PlainDate): boolean {
  return !isOpenBelow(window) && window.from.toPlainDate().equals(day);
}

function ordersByDay(reading: WholeWindow, shop: ShopZone): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const row of reading.rows) {
    const day = createdMinute(row.raw, shop)?.toPlainDate().toString();
    if (day !== undefined) counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  return counts;
}
