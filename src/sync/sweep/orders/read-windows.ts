import { type ShopZone, shownTwice } from '../../../normalize/local-time.ts';
import { createdMinute } from '../../../normalize/order.ts';
import type { DueRun } from '../../../plan/days/due-days.ts';
import {
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
import { readList } from '../../../shop-api/paging/list.ts';
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
import { type StoredOrders, withSeenOrders } from './known-orders.ts';
import type { SeenOrders } from './seen-orders.ts';

export type ReadDeps = Omit<WalkDeps, 'readCreated' | 'shownTwice' | 'witnesses'> & {
  /** Orders that the warehouse holds. */
  readonly stored: StoredOrders;
  readonly shop: ShopZone;
  /** Whether the time budget is left, also for a window that was started. @default it is */
  readonly isTimeLeft?: (() => boolean) | undefined;
  /** Takes the rows of each page as it comes, whether or not anything is proven by it. */
  readonly seen: SeenOrders;
  /** Called with how many orders the shop says it has. @default nobody is */
  readonly onTotal?: ((total: number) => void) | undefined;
};

/** Days in a row that are not proven, windows of one day that prove nothing, and requests of all such: more are in vain. */
const MOST_IN_VAIN = { days: 5, windows: 20, requests: 400 };
/** Lists, and pages of each, of what is left of a day that cannot be proven. */
const MOST_LISTED = { lists: 60, pages: 100 };
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
  const asked = { requests: 0 };
  const walk = makeWalk({ ...deps, readCreated, witnesses }, asked);
  deps.seen.begin(run.window);
  let plan = await firstPlan(deps, run, today);
  const vain = { day: '', why: '', days: 0, windows: 0, requests: 0 };
  for (let isSplit = false; vain.days < MOST_IN_VAIN.days && vain.requests < MOST_IN_VAIN.requests;) {
    deps.signal?.throwIfAborted();
    const window = nextWindow(plan, pageCapacity(deps.book.profile));
    if (window === undefined || (!isSplit && !(await mayAsk()))) return;
    const day = window.to.subtract({ minutes: 1 }).toPlainDate().toString();
    if (day !== vain.day) Object.assign(vain, { day, windows: 0 });
    // Where answers contradict each other, splitting may take any number of them.
    if (isSplit && vain.windows > 0 && deps.isTimeLeft?.() === false) {
      const reason = `the time budget ran out before ${windowText(window)} could be proven complete`;
      yield { kind: 'unproven', window, reason };
      return;
    }
    asked.requests = 0;
    const minutes = countMinutes(plan, window);
    const lowest = run.window.from;
    const reading = await proveWindow(walk, { window, lowest, minutes, padMinutes: padMinutes(plan) });
    if (reading.kind === 'whole') {
      isSplit = false;
      witnesses.see(reading.rows.flatMap((row) => readCreated(row) ?? []));
      plan = afterWhole(plan, reading.window, reading.rows.length);
      if (minutes >= DAY_MINUTES) Object.assign(vain, { why: '', days: 0, windows: 0 });
      yield deps.seen.settle(reading);
      continue;
    }
    if (reading.kind === 'unproven' || reading.cause !== 'long') {
      vain.windows++;
      vain.requests += asked.requests;
      // The first one is likely the cause of those that follow.
      vain.why ||= reading.kind === 'split' ? reading.why : reading.reason;
    }
    const isInVain = vain.windows >= MOST_IN_VAIN.windows || vain.requests >= MOST_IN_VAIN.requests;
    const isGivenUp = reading.kind === 'unproven' || isInVain;
    // A day of which a part cannot be proven is not verified now: what else it holds is only listed.
    const rest = restOfDay(run, window);
    const isOfDay = !isBefore(window.from, rest.from) && !isOpenAbove(window);
    const isListed = isOfDay && (isGivenUp || reading.cause === 'fault');
    const listed = isListed ? await listAll(walk, rest) : undefined;
    isSplit = !isGivenUp && listed?.failure === undefined;
    if (reading.kind === 'split' && isSplit) {
      plan = afterSplit(plan, window, reading.created);
      continue;
    }
    vain.days++;
    witnesses.see(listed?.created ?? []);
    const left = isOfDay || reading.kind === 'split' ? rest : window;
    plan = skipTo(plan, left.from);
    const given = reading.kind === 'unproven' ? reading : describeVain(left, vain.why);
    yield { ...given, window: left, reason: listed?.failure ?? given.reason };
  }
}

const describeVain = (window: Window, why: string): UnprovenWindow => ({
  kind: 'unproven',
  window,
  reason: `the orders of ${windowText(window)} cannot be proven complete: ${why}`,
});

/** What is left of the day that a window ends in. */
function restOfDay({ window: { from: lowest } }: DueRun, { from, to }: Window): Window {
  if (isOpenAbove({ from, to })) return { from, to };
  return { from: maxTime(lowest, to.subtract({ minutes: 1 }).toPlainDate().toPlainDateTime()), to };
}

/** What a part of a day holds, without a proof. */
type Listed = {
  /** The minutes of its orders. */
  readonly created: readonly Temporal.PlainDateTime[];
  /** How the shop fails at one of its minutes; undefined where it fails at none by itself. */
  readonly failure: string | undefined;
};

/** Lists a window, by halves around what the shop fails at: whoever takes its pages sees all other orders. */
async function listAll(deps: WalkDeps, given: Window): Promise<Listed> {
  const created: Temporal.PlainDateTime[] = [];
  let failure: string | undefined;
  let plan = planRun(given, [], given);
  for (let lists = 0; lists < MOST_LISTED.lists; lists++) {
    const window = nextWindow(plan, pageCapacity(deps.book.profile));
    if (window === undefined) break;
    const list = await readList(deps, window, { maxPages: MOST_LISTED.pages });
    created.push(...list.rows.flatMap((row) => deps.readCreated(row) ?? []));
    if (list.kind !== 'fault') plan = afterWhole(plan, window, 0);
    else if (countMinutes(plan, window) > 1) plan = afterSplit(plan, window, []);
    else {
      plan = skipTo(plan, window.from);
      const minute = window.from.toString({ smallestUnit: 'minute' });
      failure ??= `the orders of ${minute} cannot be read: ${list.why}`;
    }
  }
  return { created: created.filter((time) => isInWindow(given, time)), failure };
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

/** @param asked counts requests */
function makeWalk(deps: ReadDeps & WalkDeps, asked: { requests: number }): WalkDeps {
  const listOrders: typeof deps.api.listOrders = async (query, ...rest) => {
    asked.requests++;
    const page = await deps.api.listOrders(query, ...rest);
    const { received, total = 0 } = page;
    deps.seen.note(page);
    // Where only some were asked for, or this page alone is counted, that says nothing of all.
    if (isWidest(query) && total > received) deps.onTotal?.(total);
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
