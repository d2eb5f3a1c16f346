import { type ShopZone, shownTwice } from '../../../normalize/local-time.ts';
import { createdMinute } from '../../../normalize/order.ts';
import type { DueRun } from '../../../plan/days/due-days.ts';
import {
  afterSplit,
  afterWhole,
  countMinutes,
  DAY_MINUTES,
  nextWindow,
  planRun,
  skipTo,
} from '../../../plan/windows/window-plan.ts';
import { FARTHEST, isWidest } from '../../../shop-api/endpoints/list-orders.ts';
import { pageCapacity } from '../../../shop-api/paging/request-page.ts';
import { readList } from '../../../shop-api/paging/list.ts';
import { proveWindow, type WalkDeps } from '../../../shop-api/paging/prove.ts';
import type { FinalReading, UnprovenWindow } from '../../../shop-api/paging/reading.ts';
import {
  isInWindow,
  isOpenAbove,
  maxTime,
  minTime,
  minutesBetween,
  type Window,
  windowText,
} from '../../../model/window.ts';
import type { SeenOrders } from './seen-orders.ts';

export type ReadDeps = Omit<WalkDeps, 'readCreated' | 'shownTwice' | 'witnesses'> & {
  readonly shop: ShopZone;
  /** Takes the rows of each page as it comes, whether or not anything is proven by it. */
  readonly seen: SeenOrders;
  /** Called with the number of orders that the shop states. @default not called */
  readonly onTotal?: ((total: number) => void) | undefined;
};

/** Most requests without a proven day in between, in all and for one day. After that, nothing more is tried. */
const MAX_WASTED = { requests: 300, ofDay: 100 };
/** Lists, and pages of each, of what is left of a day that cannot be proven. */
const MOST_LISTED = { lists: 60, pages: 100 };

/**
 * Reads a run of due days, newest first, in windows of a few pages each.
 *
 * @param today the last day to expect orders of, where the run is open-ended
 * @param hasTimeLeft whether the time budget allows another window; one that was started is split until it can be read, or the
 *   next sweep would only start it again
 * @throws TerminalError, TransientError when the shop cannot be read at all
 */
export async function* readWindows(
  deps: ReadDeps,
  run: DueRun,
  today: Temporal.PlainDate,
  hasTimeLeft: () => boolean | Promise<boolean>,
): AsyncGenerator<FinalReading> {
  const { seen } = deps;
  const asked = { requests: 0 };
  const walk = makeWalk(deps, asked);
  seen.begin(run.window);
  let plan = planRun(run.window, run.days, today);
  let isSplit = false;
  const wasted = { requests: 0, why: '' };
  /** The day that could not be proven last. */
  let tried = { day: '', requests: 0, isListed: false };
  while (wasted.requests < MAX_WASTED.requests) {
    deps.signal?.throwIfAborted();
    const window = nextWindow(plan, pageCapacity(deps.book.profile));
    if (window === undefined || (!isSplit && !(await hasTimeLeft()))) return;
    asked.requests = 0;
    const minutes = countMinutes(plan, window);
    const reading = await proveWindow(walk, { window, lowest: run.window.from, minutes });
    if (reading.kind === 'whole') {
      plan = afterWhole(plan, reading.window, reading.rows.length);
      isSplit = false;
      if (minutes >= DAY_MINUTES) Object.assign(wasted, { requests: 0, why: '' });
      yield seen.settle(reading);
      continue;
    }
    const isOdd = reading.kind === 'unproven' || reading.cause !== 'long';
    const isOfDay = isOdd && minutes <= DAY_MINUTES;
    // The first one is likely the cause of those that follow.
    if (isOdd) wasted.why ||= reading.kind === 'split' ? reading.why : reading.reason;
    // A day of which a part cannot be proven is not verified now: what else it holds is only listed, once.
    const left = withRestOfDay(run, window, reading.kind === 'unproven');
    const day = left.from.toPlainDate().toString();
    if (day !== tried.day) tried = { day, requests: 0, isListed: false };
    if (isOfDay) tried.requests += asked.requests;
    const listed = isOfDay && !tried.isListed ? await listAll(walk, left, plan.latest) : undefined;
    tried.isListed ||= isOfDay;
    if (isOdd) wasted.requests += asked.requests;
    const isDayGivenUp = isOdd && tried.requests >= MAX_WASTED.ofDay;
    const isGivenUp = isDayGivenUp || wasted.requests >= MAX_WASTED.requests;
    isSplit = reading.kind === 'split' && !isGivenUp && listed?.failure === undefined;
    if (reading.kind === 'split' && isSplit) {
      plan = afterSplit(plan, window, reading.created);
      continue;
    }
    seen.pass(listed?.created ?? []);
    plan = skipTo(plan, left.from);
    const unproven = reading.kind === 'unproven' ? reading : describeGivenUp(left, wasted.why);
    yield { ...unproven, window: left, reason: listed?.failure ?? unproven.reason };
  }
}

const describeGivenUp = (window: Window, why: string): UnprovenWindow => ({
  kind: 'unproven',
  window,
  reason: `the orders of ${windowText(window)} cannot be proven complete: ${why}`,
});

/** What is left of the day that a window ends in, and all of the window. */
function withRestOfDay({ window: { from: lowest } }: DueRun, window: Window, isWhole: boolean): Window {
  if (isOpenAbove(window)) return window;
  const midnight = window.to.subtract({ minutes: 1 }).toPlainDate().toPlainDateTime();
  const from = maxTime(lowest, midnight);
  return { from: isWhole ? minTime(from, window.from) : from, to: window.to };
}

/**
 * Lists a window without a proof, by bisection around what fails or contradicts itself: whoever takes its pages
 * sees all other orders.
 *
 * @param latest the expected last order of an open end: what lies beyond it is a separate list
 * @returns when its orders were placed, and how the shop fails at one of its minutes, where it does
 */
async function listAll(deps: WalkDeps, whole: Window, latest: Temporal.PlainDateTime) {
  const created: Temporal.PlainDateTime[] = [];
  let failure: string | undefined;
  const present = maxTime(latest, whole.from);
  const later = { from: present, to: FARTHEST.to };
  const windows = isOpenAbove(whole) ? [{ from: whole.from, to: present }, later] : [whole];
  for (let lists = 0; lists < MOST_LISTED.lists; lists++) {
    const window = windows.pop();
    if (window === undefined) break;
    const list = await readList(deps, window, { maxPages: MOST_LISTED.pages });
    created.push(...list.rows.flatMap((row) => deps.readCreated(row) ?? []));
    const half = Math.floor(minutesBetween(window.from, window.to) / 2);
    if (list.kind !== 'whole' && half === 0) failure ??= describeFault(window, list.why);
    if (list.kind === 'whole' || half === 0) continue;
    const middle = window.from.add({ minutes: half });
    windows.push({ ...window, to: middle }, { ...window, from: middle });
  }
  return { created: created.filter((time) => isInWindow(whole, time)), failure };
}

const describeFault = ({ from }: Window, why: string) =>
  `the orders of ${from.toString({ smallestUnit: 'minute' })} cannot be read: ${why}`;

/** @param asked counts requests */
function makeWalk({ api, onTotal, seen, shop, ...deps }: ReadDeps, asked: { requests: number }): WalkDeps {
  const listOrders: typeof api.listOrders = async (query, ...rest) => {
    asked.requests++;
    const page = await api.listOrders(query, ...rest);
    const { received, total = 0 } = page;
    seen.note(page);
    // Where only some were asked for, or this page alone is counted, that says nothing of all.
    if (isWidest(query) && total > received) onTotal?.(total);
    return page;
  };
  return {
    ...deps,
    api: { listOrders },
    readCreated: ({ raw }) => createdMinute(raw, shop),
    shownTwice: (time) => shownTwice(time, shop),
    witnesses: seen.witnesses,
  };
}
