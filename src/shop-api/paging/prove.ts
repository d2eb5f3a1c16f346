/**
 * Whether the answers to one window prove that it was read whole. What they show proves, and what they do not show proves
 * nothing; only answers of this walk count. docs/architecture.md has the rules.
 */
import {
  byTime,
  isBefore,
  isInWindow,
  isOpenAbove,
  maxTime,
  minTime,
  type Window,
  windowText,
} from '../../model/window.ts';
import type { OrdersPage } from '../endpoints/list-orders.ts';
import { type PlacedList, readPlacedList, searchBeyond, showBeyond, type SideShown } from './beyond.ts';
import { FilterFault } from './filter-check.ts';
import { FEWEST_ROWS, type OrderList } from './list.ts';
import { isOrdered, placeRows } from './placed-rows.ts';
import { type WindowToProve, datesAround, datesWithin, type Witnesses } from './reach.ts';
import type { SplitWindow, UnprovenWindow, WholeWindow, WindowReading } from './reading.ts';
import type { PagingDeps } from './request-page.ts';

export type WalkDeps = PagingDeps & { readonly witnesses: Witnesses };

const DAY_MINUTES = 24 * 60;
const TRIES_OF_MINUTE = 5;
/** Lists, and pages of each, that show where orders lie. */
const SEARCH = { maxLists: 12, maxPages: 3 };
/** Pages of one list, by the length of the window: of a longer one, more cost too much if they move. */
const MAX_PAGES = { minute: 400, day: 30, longer: 10 };

/** @throws FilterFault where dates do not select by the time of creation; TransientError where the shop is down */
export async function proveWindow(deps: WalkDeps, target: WindowToProve): Promise<WindowReading> {
  const { minutes, window } = target;
  const around = await datesAround(target, deps.witnesses);
  try {
    for (let tries = 1; ; tries++) {
      // What contradicts itself, fails or is too much may lie beyond the window, and nothing at all may be a mistake.
      const reading = await readOnce(deps, target, tries === 1 ? around : datesWithin(window, 0));
      if (reading.kind === 'whole') return reading;
      if (tries < maxTries(target, reading)) continue;
      return minutes <= 1 && reading.kind === 'split' ? unproven(window, reading.why) : reading;
    }
  } catch (error) {
    if (!(error instanceof FilterFault) || error.filter !== 'unclear') throw error;
    return unproven(window, error.message);
  }
}

function maxTries({ minutes, window }: WindowToProve, reading: SplitWindow | UnprovenWindow): number {
  if (reading.kind === 'unproven') return 2;
  if (minutes <= 1) return TRIES_OF_MINUTE;
  const middle = reading.created[reading.created.length >> 1] ?? window.from;
  if (reading.cause === 'long') return isInWindow(window, middle) ? 1 : 2;
  return minutes <= DAY_MINUTES ? 2 : 1;
}

async function readOnce(deps: WalkDeps, target: WindowToProve, dates: Window): Promise<WindowReading> {
  const isEmpty = ({ list, placed }: PlacedList) => list.kind === 'whole' && placed.length === 0;
  let answer = await readPlacedList(deps, dates, {
    maxPages: maxPages(target),
    isEnough: isEnoughToPlan(deps, target),
  });
  // Nothing, though there may be something: the reach grows until it shows an order.
  if (isEmpty(answer)) {
    const datesOf = (minutes: number) => datesWithin(target.window, minutes);
    answer = await searchBeyond(deps, target.window, datesOf, (found) => !isEmpty(found), SEARCH);
    if (isEmpty(answer)) return describeNothing(target, answer.list);
  }
  if (answer.list.kind !== 'whole') return split(deps, answer.list, answer.list.kind, answer.list.why);
  const older = await showBeyond(deps, target.window, answer, 'below');
  if (typeof older === 'string') return split(deps, answer.list, 'odd', older);
  const newer = await showBeyond(deps, target.window, answer, 'above');
  if (typeof newer === 'string') return split(deps, answer.list, 'odd', newer);
  return toWhole(deps, target, answer.list, [older, newer]);
}

/**
 * Whether the first page of a run is enough to plan windows. A longer list in no order would not be believed; and where all
 * orders are wanted and the shop counts too many for one window, the page shows how densely they lie.
 */
function isEnoughToPlan(deps: PagingDeps, target: WindowToProve) {
  const isFirst = (deps.book.longestList ?? 0) === 0;
  const isAll = isOpenAbove(target.window) && target.window.from.equals(target.lowest);
  return ({ rows, received, total = 0 }: OrdersPage) => {
    if (!isFirst || received < FEWEST_ROWS) return false;
    const isLong = isAll && total > maxPages(target) * (received - 1);
    return isLong || !isOrdered(placeRows(deps, rows));
  };
}

/** Not even the widest dates show an order that can be placed. */
function describeNothing(
  { window }: WindowToProve,
  { emptyForm, malformed, rows }: OrderList,
): UnprovenWindow {
  const isNothing = malformed.length + rows.length === 0;
  const what = isNothing
    ? describeNoOrders(emptyForm)
    : 'no element that the shop lists has a usable order_id and date';
  // Of every window alike: so it is one problem, however many windows a sweep asks for.
  const reason = `${what}; that is not trusted, and the days stay due`;
  return { kind: 'unproven', window, reason, listed: isNothing ? 'nothing' : 'unreadable' };
}

/** How a shop is described that gave only empty answers, with their form if that was not an empty list. */
export function describeNoOrders(emptyForm: string | undefined): string {
  const nothing = 'the shop lists no orders at all';
  return emptyForm === undefined ? nothing : `${nothing}, and answers with ${emptyForm}`;
}

/** The window, and days without any order between it and the next one below, which are proven as well. */
function toWhole(
  deps: PagingDeps,
  { window, lowest }: WindowToProve,
  list: OrderList,
  [older, newer]: readonly [SideShown, SideShown],
): WholeWindow {
  const nearest = older.outer.map(({ span }) => span.to).reduce(maxTime, lowest);
  const whole = { ...window, from: minTime(nextMidnight(nearest), window.from) };
  const lists = [list, ...older.lists, ...newer.lists];
  const all = new Map(lists.flatMap(({ rows }) => rows.map((row) => [row.orderId, row])));
  const rows = [...all.values()].filter((row) => {
    const time = deps.readCreated(row);
    return time === undefined || isInWindow(whole, time);
  });
  const elements = lists.flatMap(({ malformed }) => malformed);
  const malformed = [...new Map(elements.map((value) => [JSON.stringify(value), value])).values()];
  const isOldest = older.outer.length === 0;
  return { kind: 'whole', window: whole, rows, malformed, isOldest, requestedAt: list.requestedAt };
}

const unproven = (window: Window, why: string): UnprovenWindow => ({
  kind: 'unproven',
  window,
  reason: `the orders of ${windowText(window)} cannot be proven complete: ${why}`,
});

/** The window must be split because of a list. */
function split(
  { readCreated }: PagingDeps,
  { rows }: OrderList,
  cause: SplitWindow['cause'],
  why: string,
): SplitWindow {
  const created = rows.flatMap((row) => readCreated(row) ?? []).toSorted(byTime);
  return { kind: 'split', cause, why, created };
}

function maxPages({ minutes }: WindowToProve): number {
  if (minutes <= 1) return MAX_PAGES.minute;
  return minutes <= DAY_MINUTES ? MAX_PAGES.day : MAX_PAGES.longer;
}

/** The midnight at or after a time. */
function nextMidnight(time: Temporal.PlainDateTime): Temporal.PlainDateTime {
  const midnight = time.toPlainDate().toPlainDateTime();
  return isBefore(midnight, time) ? midnight.add({ days: 1 }) : midnight;
}
