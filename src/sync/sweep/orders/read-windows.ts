import { type ShopZone, shownTwice } from '../../../normalize/local-time.ts';
import { createdMinute } from '../../../normalize/order.ts';
import type { DueRun } from '../../../plan/days/due-days.ts';
import {
  afterFault,
  afterSplit,
  afterWhole,
  countMinutes,
  DAY_MINUTES,
  nextWindow,
  padMinutes,
  planRun,
  skipTo,
  type WindowPlan,
} from '../../../plan/windows/window-plan.ts';
import { isWidest, type ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import { pageCapacity } from '../../../shop-api/paging/page-profile.ts';
import { proveWindow, type WalkDeps } from '../../../shop-api/paging/prove.ts';
import type { FinalReading, UnprovenWindow } from '../../../shop-api/paging/reading.ts';
import {
  isBefore,
  isInWindow,
  isOpenAbove,
  isOpenBelow,
  maxTime,
  minTime,
  minutesBetween,
  type Window,
  windowText,
} from '../../../model/window.ts';
import { DayBudget } from './day-budget.ts';
import { type StoredOrders, withSeenOrders } from './known-orders.ts';
import { listAround } from './list-around.ts';
import type { SeenOrders } from './seen-orders.ts';

export type ReadDeps = Omit<WalkDeps, 'readCreated' | 'shownTwice' | 'witnesses'> & {
  /** Orders that the warehouse holds. */
  readonly stored: StoredOrders;
  readonly shop: ShopZone;
  /** Whether the time budget is left, also for a window that was started. @default it is */
  readonly isTimeLeft?: (() => boolean) | undefined;
  /** Takes the rows of each page as it comes, whether or not anything is proven by it. */
  readonly seen: SeenOrders;
  /**
   * Called for each page with its rows of the window that is being read, and with how many orders the shop says it has;
   * undefined where only some were asked for, or this page alone is counted. @default nobody is
   */
  readonly onListed?: ((own: readonly ListRow[], total: number | undefined) => void) | undefined;
};

/** Unproven windows in a row that end the reading. */
const MAX_IN_A_ROW = 5;
/** Stored orders that show how densely those lie that are still to be read. */
const SAMPLE_ROWS = 50;
/** As long as no order is known, none is expected to be older. */
const OLDEST_EXPECTED = Temporal.PlainDateTime.from('2005-01-01T00:00');

/**
 * Reads a run of due days, newest first, in windows of a few pages each.
 *
 * @param today the last day to expect orders of, where the run is open-ended
 * @param mayAsk whether the time budget allows another window; one that was started is split until it can be read, or the
 *   next sweep would only start it again
 * @throws TerminalError, TransientError when the shop cannot be read at all
 */
export async function* readWindows(
  deps: ReadDeps,
  run: DueRun,
  today: Temporal.PlainDate,
  mayAsk: () => boolean | Promise<boolean>,
): AsyncGenerator<FinalReading> {
  const witnesses = withSeenOrders(deps.stored);
  const readCreated = (row: ListRow) => createdMinute(row.raw, deps.shop);
  const day = new DayBudget();
  let asked: Window | undefined;
  const walk = makeWalk({ ...deps, readCreated, witnesses }, day, () => asked);
  deps.seen.begin(run.window);
  let plan = await firstPlan(deps, run, today);
  let [inARow, isSplit] = [0, false];
  while (inARow < MAX_IN_A_ROW && !day.isHopeless) {
    deps.signal?.throwIfAborted();
    const window = nextWindow(plan, pageCapacity(deps.book.profile));
    if (window === undefined) return;
    if (!isSplit && !(await mayAsk())) return;
    // Where answers contradict each other, splitting may take any number of them.
    if (isSplit && day.isOdd && deps.isTimeLeft?.() === false) {
      yield outOfTime(window);
      return;
    }
    asked = window;
    const minutes = countMinutes(plan, window);
    day.begin(window, pageCapacity(deps.book.profile));
    const given = { window, lowest: run.window.from, minutes, padMinutes: padMinutes(plan) };
    const reading = day.isSpent ? day.giveUp(window) : await proveWindow(walk, given);
    isSplit = reading.kind === 'split';
    if (reading.kind === 'whole') {
      witnesses.see(reading.rows.flatMap((row) => readCreated(row) ?? []));
      plan = afterWhole(plan, reading.window, reading.rows.length);
      day.noteWhole(reading.rows.length, minutes);
      if (minutes >= DAY_MINUTES) inARow = 0;
      yield deps.seen.settle(reading);
      continue;
    }
    day.noteVain();
    if (reading.kind === 'split') day.noteSplit(reading, minutes);
    // A day of which a part cannot be proven is not verified now: what else it holds is only listed.
    const rest = restOfDay(run, window);
    const isListed = reading.kind === 'unproven' || reading.cause === 'fault';
    const listed = rest !== undefined && isListed ? await listAround(walk, rest) : undefined;
    const reason = reading.kind === 'unproven' ? reading.reason : listed?.failure;
    if (reading.kind === 'split' && reason === undefined) {
      plan =
        reading.cause === 'fault'
          ? afterFault(plan, window)
          : afterSplit(plan, window, reading.sample, reading.total);
      continue;
    }
    witnesses.see(listed?.created ?? []);
    const left = rest ?? window;
    plan = skipTo(plan, left.from);
    inARow++;
    isSplit = false;
    yield { ...reading, kind: 'unproven', window: left, reason: listed?.failure ?? reason ?? '' };
  }
}

/** What is left of the day that a window ends in; undefined where the window is longer. */
function restOfDay({ window: { from: lowest } }: DueRun, { from, to }: Window): Window | undefined {
  const midnight = to.subtract({ minutes: 1 }).toPlainDate().toPlainDateTime();
  return isBefore(from, midnight) || isOpenAbove({ from, to })
    ? undefined
    : { from: maxTime(lowest, midnight), to };
}

async function firstPlan(
  { stored }: Pick<ReadDeps, 'stored'>,
  run: DueRun,
  today: Temporal.PlainDate,
): Promise<WindowPlan> {
  const begun = isBegun(run);
  const oldest = begun ? undefined : await stored.oldest();
  const density = begun ? await storedDensity(stored, run.window) : undefined;
  return planRun(run.window, run.days, findHorizon(run, today, oldest), density);
}

function outOfTime(window: Window): UnprovenWindow {
  const reason = `the time budget ran out before ${windowText(window)} could be proven complete`;
  return { kind: 'unproven', window, reason };
}

/** @param asked the window that is being read */
function makeWalk(deps: ReadDeps & WalkDeps, day: DayBudget, asked: () => Window | undefined): WalkDeps {
  const isOwn = (row: ListRow) => {
    const [window, created] = [asked(), deps.readCreated(row)];
    return window !== undefined && created !== undefined && isInWindow(window, created);
  };
  const listOrders: typeof deps.api.listOrders = async (query, ...rest) => {
    day.noteRequest();
    const page = await deps.api.listOrders(query, ...rest);
    const { rows, received, total = 0 } = page;
    day.notePage(query.start ?? 0, received);
    deps.seen.note(page);
    deps.onListed?.(rows.filter(isOwn), isWidest(query) && total > received ? total : undefined);
    return page;
  };
  return { ...deps, api: { listOrders }, shownTwice: (time) => shownTwice(time, deps.shop) };
}

/** Whether a history was not read to its beginning: it goes on below what is stored of it. */
function isBegun({ window, days }: DueRun): boolean {
  const first = days.at(-1);
  return isOpenBelow(window) && first?.expected === undefined;
}

/** Orders per minute of those that are stored next to the end of a window, below it or above; undefined where there are few. */
async function storedDensity(stored: StoredOrders, { to }: Window): Promise<number | undefined> {
  for (const side of ['before', 'after'] as const) {
    const [near, far] = [await stored[side](to, SAMPLE_ROWS / 2), await stored[side](to, SAMPLE_ROWS)];
    if (near && far && !near.equals(far)) return SAMPLE_ROWS / Math.abs(minutesBetween(to, far));
  }
  return undefined;
}

/** Where to expect orders: used to size windows only. */
function findHorizon(
  run: DueRun,
  today: Temporal.PlainDate,
  oldest: Temporal.PlainDateTime | undefined,
): Window {
  const end = today.add({ days: 1 }).toPlainDateTime();
  const to = isOpenAbove(run.window) ? maxTime(end, run.window.from) : run.window.to;
  if (!isOpenBelow(run.window)) return { from: run.window.from, to };
  const counted = run.days.at(-1)?.day.toPlainDateTime() ?? to;
  return { from: oldest ? minTime(oldest, counted) : OLDEST_EXPECTED, to };
}
