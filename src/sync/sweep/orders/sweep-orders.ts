import type { ShopZone } from '../../../normalize/local-time.ts';
import { createdMinute } from '../../../normalize/order.ts';
import { addWindow, type DayProgress } from '../../../plan/days/day-progress.ts';
import { type DueDay, type DueRun, dueRuns } from '../../../plan/days/due-days.ts';
import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import { FilterFault } from '../../../shop-api/paging/filter-check.ts';
import type { Witnesses } from '../../../shop-api/paging/reach.ts';
import type { UnprovenWindow, WholeWindow } from '../../../shop-api/paging/reading.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import { readNeighbours } from '../../../warehouse/orders/stored-orders.ts';
import { isBefore, isOpenAbove, type Window } from '../../../model/window.ts';
import type { Sweep } from '../../run/context.ts';
import { ledgerDays, today } from '../../run/shop-day.ts';
import { compareListed, loadListed } from './compare-listed.ts';
import { concludeWindow, failDays, spanOf } from './conclude-window.ts';
import { OrderQueue, settleAll } from './order-queue.ts';
import { readWindows } from './read-windows.ts';
import { SeenOrders } from './seen-orders.ts';

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
  queue = new OrderQueue(sweep),
): Promise<boolean> {
  const { ports, state } = sweep;
  const { api, now, shop, signal } = ports;
  let concluded = Promise.resolve();
  let [isFinished, isBegun, isAdvanced] = [true, false, false];
  const mayReadNext = async () => {
    if (!isFinished) return false;
    await queue.room();
    // With nothing to load, there is nothing to wait for but the window itself.
    if (queue.isEmpty) await concluded.catch(() => undefined);
    // A sweep ends with a day that the ledger shows, or the next one would begin where this one did.
    const mustGoOn = isBegun && !isAdvanced;
    isFinished = mustGoOn || ports.hasTimeLeft();
    isBegun ||= isFinished;
    return isFinished;
  };
  const seen = new SeenOrders(shop, storedOrders(ports));
  const onTotal = (total: number) => (state.listedOrders = total);
  const walk = { api, now, shop, signal, onTotal, book: state, seen };
  const omitted: ListRow[] = [];
  const loadSeen = async (rows: readonly ListRow[]) =>
    loadListed(sweep, queue, await compareListed(sweep, rows, now()));
  try {
    for (const run of dueRuns(due, today(ports))) {
      const asked = new Set(run.days.map(({ day }) => day.toString()));
      let progress: DayProgress = new Map();
      for await (const reading of readWindows(walk, run, today(ports), mayReadNext)) {
        // Unless it is found again that the shop lists no orders at all.
        if (state.listedOrders === 0) state.listedOrders = undefined;
        if (reading.kind !== 'whole') {
          await recordUnproven(sweep, run, reading);
          isAdvanced = true;
          continue;
        }
        state.counters.windowsProven++;
        omitted.push(...(reading.omitted ?? []));
        const read = { ...reading, ordersByDay: ordersByDay(reading, shop) };
        const added = addWindow(progress, read, asked, today(ports));
        progress = added.progress;
        isAdvanced ||= added.whole.length > 0;
        const compared = await compareListed(sweep, reading.rows, reading.requestedAt, spanOf(reading));
        state.counters.ordersRead += reading.rows.length - compared.toLoad.length;
        const loaded = queue.load(compared.toLoad);
        concluded = settleAll([concluded, loaded]).then(() =>
          concludeWindow(sweep, { ...compared, reading }, added.whole),
        );
        concluded.catch(ports.fail);
      }
    }
    await concluded;
    await loadSeen(seen.left(omitted));
    return isFinished;
  } catch (error) {
    await Promise.allSettled([concluded]);
    // Of a shop whose dates select by something else, what it lists is loaded all the same.
    if (error instanceof FilterFault) await Promise.allSettled([loadSeen(seen.left())]);
    throw error;
  }
}

/** The shop's live orders, read from the warehouse at each call. */
const storedOrders =
  ({ db, lease }: Sweep['ports']): Witnesses =>
  async (side, time, nth) => {
    const orders = await readNeighbours(db, lease.shopId, side, time, nth);
    return orders.at(-1)?.createdLocal.round({ smallestUnit: 'minute', roundingMode: 'trunc' });
  };

async function recordUnproven(
  sweep: Sweep,
  run: DueRun,
  { listed, reason, window }: UnprovenWindow,
): Promise<void> {
  const { ports, state } = sweep;
  const { db, lease, logger, shop } = ports;
  state.counters.windowsUnproven++;
  if (listed === 'nothing') state.listedOrders = 0;
  if (listed === 'unreadable') state.found.drift = reason;
  // One that is new may have none yet.
  else if (listed === 'nothing' && state.completedAt !== undefined) state.found.deletions = reason;
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
