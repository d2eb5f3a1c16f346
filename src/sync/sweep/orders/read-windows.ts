import { type ShopZone, shownTwice } from '../../../normalize/local-time.ts';
import { createdMinute } from '../../../normalize/order.ts';
import type { DueRun } from '../../../plan/days/due-days.ts';
import {
  afterCut,
  afterFault,
  afterGap,
  afterUnproven,
  afterWhole,
} from '../../../plan/windows/after-window.ts';
import { nextWindow } from '../../../plan/windows/next-window.ts';
import { chart, measureWindow, planRun, type WindowPlan } from '../../../plan/windows/window-plan.ts';
import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import { findDateFilter } from '../../../shop-api/paging/date-filter.ts';
import { findNewest } from '../../../shop-api/paging/find-newest.ts';
import { pageCapacity } from '../../../shop-api/paging/page-profile.ts';
import { watchAge } from '../../../shop-api/paging/age-watch.ts';
import { readAroundFaults } from '../../../shop-api/paging/around-faults.ts';
import type { WalkDeps } from '../../../shop-api/paging/request-page.ts';
import type { FinalReading, WholeWindow, WindowReading } from '../../../shop-api/paging/window-reading.ts';
import {
  isInWindow,
  isOpenAbove,
  isOpenBelow,
  maxTime,
  mayBeAllDay,
  minTime,
  minutesBetween,
  type Window,
  windowText,
} from '../../../model/window.ts';
import { type StoredOrders, withSeenOrders } from './known-orders.ts';
import { Effort } from './effort.ts';
import type { SeenOrders } from './seen-orders.ts';

export type ReadDeps = Omit<WalkDeps, 'readCreated' | 'known'> & {
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

/** Unproven windows in a row that end the reading, and shifts that leave a window unproven. */
const MAX_UNPROVEN = 5;
const MAX_SHIFTS = 25;
/** Stored orders that show how densely those lie that are still to be read. */
const SAMPLE_ROWS = 50;
/** As long as no order is known, none is expected to be older. */
const OLDEST_EXPECTED = Temporal.PlainDateTime.from('2005-01-01T00:00');

/**
 * Reads a run of due days, newest first, in windows of a few pages each.
 *
 * @param today the last day to expect orders of, where the run is open-ended
 * @param mayAsk whether the time budget allows another window; a window that was started is narrowed until it can be
 *   read, or the next sweep would only start it again
 * @throws TerminalError, TransientError when the shop cannot be read at all
 */
export async function* readWindows(
  deps: ReadDeps,
  run: DueRun,
  today: Temporal.PlainDate,
  mayAsk: () => boolean | Promise<boolean>,
): AsyncGenerator<FinalReading> {
  const recent = withSeenOrders(deps.stored);
  let asked: Window | undefined;
  const effort = new Effort(deps.api);
  const readCreated = (row: ListRow) => createdMinute(row.raw, deps.shop);
  const walk = makeWalk({ ...deps, readCreated, known: recent.known, api: effort.api }, () => asked);
  const again = { ...deps, api: watchAge(effort.api) };
  deps.seen.begin(run.window);
  // What proves nothing by itself may be old.
  const controls = { ...walk, api: watchAge(walk.api) };
  let [unproven, shifts, isCut, isOdd] = [0, 0, false, false];
  let plan = await firstPlan(deps, run, today);
  for (;;) {
    deps.signal?.throwIfAborted();
    const window = nextWindow(plan, pageCapacity(deps.book.profile));
    if (window === undefined) return;
    // Where answers bring nothing, narrowing may take any number of them.
    if (isOdd && deps.isTimeLeft?.() === false) {
      yield outOfTime(window);
      return;
    }
    if (!isCut && !(await mayAsk())) return;
    asked = window;
    const measures = measureWindow(plan, window);
    const read = await readAroundFaults(walk, { window, lowest: run.window.from, ...measures });
    const reading = effort.judge(window, measures.minutes, read, pageCapacity(deps.book.profile));
    isCut = reading.kind === 'cut';
    isOdd = reading.kind === 'cut' && reading.sample.length === 0;
    if (reading.kind === 'whole') {
      const unlisted = reading.isUndated ? [] : await deps.seen.lackingIn(again, reading);
      if (await isFilteredOtherwise(controls, reading, unlisted)) continue;
      const { allDay, lacking } = partUnlisted(unlisted, readCreated);
      const whole = { ...reading, rows: [...reading.rows, ...allDay] };
      recent.setLastWindow(reading.rows.flatMap((row) => readCreated(row) ?? []));
      const late = deps.seen.above(reading.window);
      deps.seen.drop(reading);
      [unproven, shifts] = [0, 0];
      plan = afterWhole(plan, reading.window, reading.rows.length);
      yield lacking.length + late.length === 0 ? whole : { ...whole, lacking, late };
    } else if (reading.kind === 'unproven') {
      plan = reading.isGap === true ? afterGap(plan, reading.window) : afterUnproven(plan, window);
      yield reading;
      if (++unproven >= MAX_UNPROVEN) return;
    } else if (reading.isFault === true) {
      plan = afterFault(plan, window);
    } else if (reading.sample.length === 0 && ++shifts > MAX_SHIFTS) {
      yield keptMoving(window, reading.why);
      if (++unproven >= MAX_UNPROVEN) return;
      plan = afterUnproven(plan, window);
      shifts = 0;
    } else {
      recent.setSample(reading.sample);
      plan = await afterTooMany(controls, plan, window, reading, today);
    }
  }
}

async function firstPlan(
  { stored }: Pick<ReadDeps, 'stored'>,
  run: DueRun,
  today: Temporal.PlainDate,
): Promise<WindowPlan> {
  const begun = isBegun(run);
  const oldest = begun ? undefined : await stored.oldest();
  return {
    ...planRun(run.window, run.days, findHorizon(run, today, oldest), oldest !== undefined),
    density: begun ? await storedDensity(stored, run.window) : undefined,
  };
}

function outOfTime(window: Window): FinalReading {
  const reason = `the time budget ran out before ${windowText(window)} could be proven complete`;
  return { kind: 'unproven', window, reason };
}

function keptMoving(window: Window, why: string | undefined): FinalReading {
  const because = why === undefined ? '' : `: ${why}`;
  const reason = `the orders before ${minuteText(window.to)} kept moving while they were read${because}`;
  return { kind: 'unproven', window, reason };
}

/** An order of the whole day is listed with another part of it, and does not lack in this one. */
function partUnlisted(rows: readonly ListRow[], readCreated: WalkDeps['readCreated']) {
  const { allDay = [], lacking = [] } = Object.groupBy(rows, (row) => {
    const created = readCreated(row);
    return created !== undefined && mayBeAllDay(created) ? 'allDay' : 'lacking';
  });
  return { allDay, lacking };
}

/**
 * Whether dates are known not to select by creation. That is looked for where orders lack, and in shops whose lists hide some:
 * there, those that lack for another reason would not be noticed.
 */
async function isFilteredOtherwise(
  deps: WalkDeps,
  { isUndated, rows }: WholeWindow,
  lacking: readonly ListRow[],
): Promise<boolean> {
  const { endsAt, isUndatedPartial } = deps.book.profile;
  const isHiding = isUndatedPartial || endsAt !== undefined;
  if (isUndated || (lacking.length === 0 && !isHiding)) return false;
  const filter = await findDateFilter(deps, [...lacking, ...rows]);
  return filter === 'updated' || filter === 'ignored';
}

/** @param asked the window that is being read */
function makeWalk(deps: ReadDeps & WalkDeps, asked: () => Window | undefined): WalkDeps {
  const isOwn = (row: ListRow) => {
    const [window, created] = [asked(), deps.readCreated(row)];
    return window !== undefined && created !== undefined && isInWindow(window, created);
  };
  const listOrders: typeof deps.api.listOrders = async (query, ...rest) => {
    const page = await deps.api.listOrders(query, ...rest);
    deps.seen.note(query, page);
    const { rows, received, total = 0 } = page;
    const isOfAll = query.dateFrom === undefined && query.dateTo === undefined;
    deps.onListed?.(rows.filter(isOwn), isOfAll && total > received ? total : undefined);
    return page;
  };
  return { ...deps, api: { listOrders }, shownTwice: (time) => shownTwice(time, deps.shop) };
}

/** Asks for less. Where nothing is known of a history, it is found out first how far back its newest orders lie. */
async function afterTooMany(
  walk: WalkDeps,
  plan: WindowPlan,
  window: Window,
  { sample, total }: Extract<WindowReading, { kind: 'cut' }>,
  today: Temporal.PlainDate,
): Promise<WindowPlan> {
  const next = afterCut(plan, window, sample, total);
  if (plan.isCharted || plan.density !== undefined) return next;
  const newest = await findNewest(walk, window, sample, total, today.toPlainDateTime('23:59'));
  return newest.length === 0 ? next : chart(next, sample, total, newest);
}

const minuteText = (time: Temporal.PlainDateTime) => time.toString({ smallestUnit: 'minute' });

/** Whether a history was not read to its beginning: it goes on below what is stored of it. */
function isBegun({ window, days }: DueRun): boolean {
  const first = days.at(-1);
  return isOpenBelow(window) && (first?.expected === undefined || first.part !== undefined);
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
