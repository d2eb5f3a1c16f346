import { createdMinute } from '../normalize/order.ts';
import { cover, type DayCoverage, daysOf } from '../plan/day-coverage.ts';
import { type DueDay, dueRuns } from '../plan/due-days.ts';
import { fenced } from '../warehouse/lease.ts';
import { recordDayFailure } from '../warehouse/ledger.ts';
import type { SweepDeps } from './deps.ts';
import type { CompletedDay } from './finish-window.ts';
import { loadWindow } from './load-window.ts';
import { readWindows, type WindowReading } from './read-windows.ts';

/** Windows that are read, but not yet wholly written: bounds the memory, and keeps every request slot busy. */
const WINDOWS_IN_FLIGHT = 3;

type WholeWindow = Extract<WindowReading, { kind: 'whole' }>;

/**
 * Verifies due days, newest first: windows are read one after another, loaded side by side, and written in the order in
 * which they were read, so that of two observations of one order the later one wins.
 *
 * @param mayAsk whether the time budget allows another window
 * @throws the first error that ends the sweep; what was written before it stays
 */
export async function sweepOrders(
  given: SweepDeps,
  due: readonly DueDay[],
  mayAsk: () => boolean,
): Promise<void> {
  // What ends one window ends all: refused credentials are not to be tried a hundred times more.
  const failed = new AbortController();
  const deps = { ...given, signal: AbortSignal.any([given.signal, failed.signal]) };
  const inFlight: Promise<void>[] = [];
  let coverage: DayCoverage = new Map();
  let turn = Promise.resolve();
  try {
    for (const run of dueRuns(due)) {
      for await (const reading of readRun(deps, run, mayAsk)) {
        coverage = cover(coverage, reading.window, ordersByDay(reading), reading.askedAt);
        turn = loadWindow(deps, reading, completed(coverage, reading), turn);
        inFlight.push(turn);
        turn.catch((error: unknown) => failed.abort(error));
        if (inFlight.length >= WINDOWS_IN_FLIGHT) await inFlight.shift();
      }
    }
    await Promise.all(inFlight);
  } finally {
    await Promise.allSettled(inFlight);
  }
}

/** The windows of a run that were read whole; those that were not are put down in the ledger. */
async function* readRun(
  deps: SweepDeps,
  run: ReturnType<typeof dueRuns>[number],
  mayAsk: () => boolean,
): AsyncGenerator<WholeWindow> {
  for await (const reading of readWindows(deps, run, mayAsk)) {
    if (reading.kind === 'whole') {
      deps.tally.windowsProven++;
      yield reading;
    } else {
      deps.tally.windowsUnproven++;
      const { shopId } = deps.lease;
      deps.tally.shortfalls.push(reading.reason);
      deps.logger.warn(
        { shop: deps.shop.shopKey, from: reading.window.from.toString() },
        'window not proven',
      );
      const days = daysOf(reading.window);
      await fenced(deps.db, deps.lease, (tx) => recordDayFailure(tx, shopId, days, reading.reason));
    }
  }
}

function ordersByDay(reading: WholeWindow): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const row of reading.rows) {
    const day = createdMinute(row.raw)?.toPlainDate().toString();
    if (day !== undefined) counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  return counts;
}

function completed(coverage: DayCoverage, reading: WholeWindow): readonly CompletedDay[] {
  return daysOf(reading.window).flatMap((date) => {
    const day = date.toString();
    const progress = coverage.get(day);
    if (progress === undefined || progress.minutesLeft > 0) return [];
    return [{ day, verifiedAt: progress.since, orders: progress.orders }];
  });
}
