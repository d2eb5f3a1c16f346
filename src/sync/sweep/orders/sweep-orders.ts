import type { ShopZone } from '../../../normalize/local-time.ts';
import { createdMinute } from '../../../normalize/order.ts';
import { addWindow, type DayProgress } from '../../../plan/days/day-progress.ts';
import { type DueDay, type DueRun, dueRuns } from '../../../plan/days/due-days.ts';
import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import { FilterFault } from '../../../shop-api/paging/filter-check.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import { isBefore, isOpenAbove, type Window } from '../../../model/window.ts';
import type { FinalReading, UnprovenWindow, WholeWindow } from '../../../shop-api/paging/reading.ts';
import type { Sweep } from '../../run/context.ts';
import { ledgerDays, today } from '../../run/shop-day.ts';
import { compareListed, loadListed } from './compare-listed.ts';
import { concludeWindow, failDays, spanOf } from './conclude-window.ts';
import { findStoredOrders } from './known-orders.ts';
import { OrderQueue, settleAll } from './order-queue.ts';
import { readWindows } from './read-windows.ts';
import { SeenOrders } from './seen-orders.ts';

/** What goes on beside the orders of a sweep. */
type BesideOrders = {
  /** Called at once with the error that ends the sweep, so that nothing else is requested: what has come is still to be written. */
  readonly onFailure: (error: unknown) => void;
  /** Called when so many orders are written, or all are listed, that requests of other kinds may go beside theirs. */
  readonly onBegun?: () => void;
};

/**
 * Verifies due days, newest first: while one window is read, contents of earlier ones are fetched. A day that takes several windows is
 * verified when all of them are proven.
 *
 * @returns whether all due days were requested within the time budget
 * @throws the first error that ends the sweep; what was written before is kept
 */
export async function sweepOrders(
  sweep: Sweep,
  due: readonly DueDay[],
  { onFailure, onBegun }: BesideOrders,
): Promise<boolean> {
  const queue = new OrderQueue(sweep, onFailure);
  let concluded = Promise.resolve();
  void queue.begun.then(onBegun);
  let [isFinished, isBegun, isAdvanced] = [true, false, false];
  const mayAskNext = async () => {
    if (!isFinished) return false;
    await queue.room();
    // With nothing to load, there is nothing to wait for but the window itself.
    if (queue.isEmpty) await concluded.catch(() => undefined);
    // A sweep ends with a day that the ledger shows, or the next one would begin where this one did.
    const mustGoOn = isBegun && !isAdvanced;
    isFinished = mustGoOn || sweep.ports.mayAsk();
    isBegun ||= isFinished;
    return isFinished;
  };
  const seen = new SeenOrders(sweep.ports.shop);
  const lacking: ListRow[] = [];
  const loadSeen = async (rows: readonly ListRow[]) =>
    loadListed(sweep, queue, await compareListed(sweep, rows, sweep.ports.now()));
  try {
    for (const run of dueRuns(due, today(sweep.ports))) {
      const asked = new Set(run.days.map(({ day }) => day.toString()));
      let progress: DayProgress = new Map();
      for await (const reading of readRun(sweep, run, seen, mayAskNext)) {
        noteEmpty(sweep.state, reading);
        if (reading.kind !== 'whole') {
          await recordUnproven(sweep, run, reading);
          isAdvanced = true;
          continue;
        }
        sweep.state.counters.windowsProven++;
        lacking.push(...(reading.lacking ?? []));
        const read = { ...reading, ordersByDay: ordersByDay(reading, sweep.ports.shop) };
        const added = addWindow(progress, read, asked, today(sweep.ports));
        progress = added.progress;
        isAdvanced ||= added.whole.length > 0;
        const compared = await compareListed(sweep, reading.rows, reading.askedAt, spanOf(reading));
        sweep.state.counters.ordersRead += reading.rows.length - compared.toLoad.length;
        const loaded = queue.load(compared.toLoad);
        concluded = settleAll([concluded, loaded]).then(() =>
          concludeWindow(sweep, { ...compared, reading }, added.whole),
        );
        concluded.catch(onFailure);
      }
    }
    await concluded;
    onBegun?.();
    await loadSeen(seen.left(lacking));
    return isFinished;
  } catch (error) {
    await Promise.allSettled([concluded]);
    // Of a shop whose dates select by something else, what it lists is loaded all the same.
    if (error instanceof FilterFault) await Promise.allSettled([loadSeen(seen.left())]);
    throw error;
  }
}

function readRun(
  { ports, state }: Sweep,
  run: DueRun,
  seen: SeenOrders,
  mayAsk: () => Promise<boolean>,
): AsyncGenerator<FinalReading> {
  const { api, db, lease, now, shop, signal } = ports;
  const onTotal = (total: number) => (state.listedOrders = total);
  const stored = findStoredOrders(db, lease.shopId);
  const reads = { api, now, shop, signal, onTotal, book: state, seen, stored };
  return readWindows(reads, run, today(ports), mayAsk);
}

/** Notes that the shop lists no orders at all, or that it does now. */
function noteEmpty(state: Sweep['state'], reading: FinalReading): void {
  if (reading.kind === 'unproven' && reading.listed === 'nothing') state.listedOrders = 0;
  else if (state.listedOrders === 0) state.listedOrders = undefined;
}

async function recordUnproven(
  sweep: Sweep,
  run: DueRun,
  { listed, reason, window }: UnprovenWindow,
): Promise<void> {
  const { ports, state } = sweep;
  const { db, lease, logger, shop } = ports;
  state.counters.windowsUnproven++;
  state.problems.push(reason);
  if (listed === 'unreadable') state.causes.set('drift', reason);
  // One that is new may have none yet.
  else if (listed === 'nothing' && state.completedAt !== undefined) state.causes.set('deletions', reason);
  logger.warn({ shop: shop.shopKey, from: window.from.toString() }, 'window not proven');
  const days = unprovenDays(ports, window, run.days);
  await fenced(db, lease, (tx) => failDays(sweep, tx, days, reason, false));
}

/** Due days of a window, and the day it ends in, which stands for all days before it. */
function unprovenDays(
  ports: Pick<Sweep['ports'], 'now' | 'shop'>,
  window: Window,
  due: readonly DueDay[],
): readonly string[] {
  const touched = due.flatMap(({ day }) => {
    const [start, end] = [day.toPlainDateTime(), day.add({ days: 1 }).toPlainDateTime()];
    return isBefore(window.from, end) && isBefore(start, window.to) ? [day] : [];
  });
  const last = isOpenAbove(window) ? today(ports) : window.to.subtract({ minutes: 1 }).toPlainDate();
  return ledgerDays(ports, [...touched, last].map(String));
}

function ordersByDay({ rows }: WholeWindow, shop: ShopZone): ReadonlyMap<string, number> {
  const days = rows.flatMap(({ raw }) => createdMinute(raw, shop)?.toPlainDate().toString() ?? []);
  return new Map([...Map.groupBy(days, (day) => day)].map(([day, { length }]) => [day, length]));
}
