/**
 * Whether the answers to one window prove that it was read whole. What they show proves, and what they do not show proves
 * nothing; only answers of this walk count. docs/architecture.md tells the rules.
 */
import {
  byTime,
  isBefore,
  isInWindow,
  isOpenAbove,
  maxTime,
  minTime,
  windowText,
} from '../../model/window.ts';
import { type Answer, DAY_MINUTES, isWhole, maxPages, odd, split } from './answer.ts';
import { showBeyond, type SideShown } from './beyond.ts';
import { checkList, FilterFault } from './filter-check.ts';
import { confirmOrder } from './halves.ts';
import { type Neighbours, type OrderList, readList } from './list.ts';
import { isInOrder, type Placed, placeRows } from './placed-rows.ts';
import {
  type Asked,
  datesFor,
  FARTHEST_REACH,
  FIRST_REACH,
  isFarthest,
  nearer,
  NEAREST_REACH,
  OWN_REACH,
  type Reach,
  uncached,
  wider,
  type Witnesses,
} from './reach.ts';
import type { Span, UnprovenWindow, WholeWindow, WindowReading } from './reading.ts';
import { PageFault, type PagingDeps, unlessFault } from './request-page.ts';

export type WalkDeps = PagingDeps & { readonly witnesses: Witnesses };

/** How far beyond a window is reached, one time after the other, before it is split; a minute cannot be. */
const REACHES = [FIRST_REACH, NEAREST_REACH, OWN_REACH];
const TRIES_OF_MINUTE = 5;
/** Lists by farther or nearer dates, until one can be concluded from. */
const MAX_LISTS = 12;
/** Pages of all that a shop holds, where that may be little. */
const PAGES_OF_ALL = 2;
/** @throws FilterFault where dates do not select by the time of creation; TransientError where the shop is down */
export async function proveWindow(deps: WalkDeps, asked: Asked): Promise<WindowReading> {
  const { dateFilter } = deps.book;
  if (dateFilter === 'updated' || dateFilter === 'ignored') throw new FilterFault(dateFilter);
  const isMinute = asked.minutes <= 1;
  try {
    for (let tried = 0; ; tried++) {
      // What the shop fails at, or answers contradict each other in, may pass, or lie beyond the window.
      const reading = await readOnce(deps, asked, REACHES[tried] ?? OWN_REACH);
      const tries = isMinute ? TRIES_OF_MINUTE : REACHES.length;
      if (tried + 1 < tries && mayPass(asked, reading, tried)) continue;
      return isMinute && reading.kind === 'split' ? unproven(asked, reading.why) : reading;
    }
  } catch (error) {
    if (!(error instanceof FilterFault) || error.filter !== 'unclear') throw error;
    return unproven(asked, error.message);
  }
}

/** Whether to read a window once more: not where that is too much, nor where nothing was shown twice. */
function mayPass({ minutes }: Asked, reading: WindowReading, tried: number): boolean {
  if (reading.kind === 'unproven') return tried === 0;
  if (reading.kind === 'whole') return false;
  return reading.cause === 'odd' || (reading.cause === 'fault' && minutes <= DAY_MINUTES);
}

const unproven = ({ window }: Asked, why: string): UnprovenWindow => ({
  kind: 'unproven',
  window,
  reason: `the orders of ${windowText(window)} cannot be proven complete: ${why}`,
});

async function readOnce(deps: WalkDeps, asked: Asked, first: Reach): Promise<WindowReading> {
  let [reach, isLarge] = [first, false];
  for (let lists = 1; ; lists++) {
    const plain = await datesFor(asked, deps.witnesses, reach);
    const dates = uncached(plain, deps.now());
    const isAll = reach === FARTHEST_REACH;
    const rules = { maxPages: isAll ? PAGES_OF_ALL : maxPages(asked) };
    const list = await unlessFault(readList(deps, dates, rules));
    if (isWhole(list)) {
      const placed = placeRows(deps, list.rows);
      if (placed.length > 0) return concludeList(deps, asked, { dates, list, placed });
      if (isFarthest('below', plain) && isFarthest('above', plain)) return describeNothing(asked, list);
      // Nothing, though there is something: where all is too much, the reach grows until it shows an order.
      reach = isLarge ? wider(reach) : FARTHEST_REACH;
      continue;
    }
    const isTooMuch = list instanceof PageFault || list.kind === 'long';
    isLarge ||= isAll && isTooMuch;
    const isLong = isTooMuch && !(list instanceof PageFault);
    const next = isAll && isTooMuch ? wider(first) : isLong ? nearer(asked, reach, plain) : undefined;
    if (next === undefined || lists === MAX_LISTS)
      // Smaller windows would be answered by the same cache.
      return isOutdated(list) ? unproven(asked, list.why ?? '') : split(deps, list);
    reach = next;
  }
}

const isOutdated = (list: OrderList | PageFault): list is OrderList =>
  !(list instanceof PageFault) && list.isOutdated === true;

/** Not even the widest dates show an order that can be placed. */
function describeNothing(asked: Asked, { emptyForm, malformed, rows }: OrderList): UnprovenWindow {
  const isNothing = malformed.length + rows.length === 0;
  const what = isNothing
    ? describeNoOrders(emptyForm)
    : 'no element that the shop lists has a usable order_id and date';
  const reason = `${what}; the answer for ${windowText(asked.window)} is not trusted, and its days stay due`;
  return { ...unproven(asked, what), reason, listed: isNothing ? 'nothing' : 'unreadable' };
}

/** What is said of a shop of which nothing but empty answers came, and how it puts that where not by an empty list. */
export function describeNoOrders(emptyForm: string | undefined): string {
  const nothing = 'the shop lists no orders at all';
  return emptyForm === undefined ? nothing : `${nothing}, and answers with ${emptyForm}`;
}

async function concludeList(deps: WalkDeps, asked: Asked, answer: Answer): Promise<WindowReading> {
  const { window } = asked;
  const { dates, list } = answer;
  if (!isOpenAbove(window)) await checkList(deps, dates, list.rows);
  const why = await confirmOrder(deps, asked, answer);
  if (why !== undefined) return odd(why);
  const older = await showBeyond(deps, asked, answer, 'below');
  if (!('outer' in older)) return older;
  const newer = await showBeyond(deps, asked, answer, 'above');
  if (!('outer' in newer)) return newer;
  return toWhole(deps, asked, answer, [older, newer]);
}

/** The window, and days without any order between it and the next one below, which are proven as well. */
function toWhole(
  deps: PagingDeps,
  { window, lowest }: Asked,
  { list, placed }: Answer,
  [older, newer]: readonly [SideShown, SideShown],
): WholeWindow {
  const isOldest = older.outer.length === 0;
  const nearest = older.outer
    .map(({ span }) => span.to)
    .toSorted(byTime)
    .at(-1);
  const empty = nearest === undefined ? lowest : maxTime(lowest, nextMidnight(nearest));
  const whole = { ...window, from: minTime(empty, window.from) };
  const lists = [list, ...older.lists, ...newer.lists];
  const all = new Map(lists.flatMap(({ rows }) => rows.map((row) => [row.orderId, row])));
  const rows = [...all.values()].filter((row) => {
    const time = deps.readCreated(row);
    return time === undefined || isInWindow(whole, time);
  });
  const elements = lists.flatMap(({ malformed }) =>
    malformed.map((value) => [JSON.stringify(value), value] as const),
  );
  const malformed = [...new Map(elements).values()];
  const unplaced = list.unplaced.map((beside) => toSpan(deps, beside, placed));
  return { kind: 'whole', window: whole, rows, malformed, unplaced, isOldest, askedAt: list.askedAt };
}

/** Between the rows beside an element, in a list in order of time; at any time in any other. */
function toSpan(deps: PagingDeps, { before, after }: Neighbours, placed: readonly Placed[]): Span {
  const [first, last] = [before && deps.readCreated(before), after && deps.readCreated(after)];
  if (isInOrder(placed, -1)) return { from: last, to: first };
  return isInOrder(placed, 1) ? { from: first, to: last } : { from: undefined, to: undefined };
}

/** The midnight at or after a time. */
function nextMidnight(time: Temporal.PlainDateTime): Temporal.PlainDateTime {
  const midnight = time.toPlainDate().toPlainDateTime();
  return isBefore(midnight, time) ? midnight.add({ days: 1 }) : midnight;
}
