/** What lies beyond the two ends of a window, which only a row there shows, or that nothing comes by the farthest dates. */
import {
  isBefore,
  isInWindow,
  isOpenAbove,
  isOpenBelow,
  minutesBetween,
  type Window,
} from '../../model/window.ts';
import { checkFilter, widen } from './filter-check.ts';
import { type Ending, isUncut, type ListRules, type OrderList, readList } from './list.ts';
import { isBeyond, isInOrder, isOrdered, type Placed, placeRows, type Side } from './placed-rows.ts';
import { datesBeyond, uncached } from './reach.ts';
import type { PagingDeps } from './request-page.ts';

const DAY_MINUTES = 24 * 60;
const LIMITS = { maxLists: 8, maxPages: 30 };
/** What lies beyond a window is looked for so far from it first. */
const FIRST_MINUTES = 8 * DAY_MINUTES;
const LONGEST_MINUTES = 60 * 365 * DAY_MINUTES;
/** How an order is asked for by when it was placed: a filter by whole days, or in another zone, is off by less. */
const MARGINS: readonly Temporal.DurationLike[] = [{ minutes: 1 }, { days: 2 }];
/** No shop cuts the newest orders off a list that begins with them and reaches so little into the past. */
const RECENT_MINUTES = 14 * DAY_MINUTES;

const NOT_SHOWN = 'no answer shows what lies beyond it';

/** One list, and where its rows lie. */
export type PlacedList = {
  readonly dates: Window;
  readonly list: OrderList;
  readonly placed: readonly Placed[];
};

/** What answers showed on one side of a window. */
export type SideShown = {
  /** Rows beyond the window; of none it is known that nothing lies there. */
  readonly outer: readonly Placed[];
  /** Lists that reach farther than the window's own. */
  readonly lists: readonly OrderList[];
};

/**
 * Reads the list of some dates. One in no order of time may be cut anywhere, so it counts as too long unless the shop is
 * known to serve longer ones.
 */
export async function readPlacedList(deps: PagingDeps, plain: Window, rules: ListRules): Promise<PlacedList> {
  const dates = uncached(plain, deps.now());
  const list = await readList(deps, dates, rules);
  await checkFilter(deps, dates, list.rows);
  const placed = placeRows(deps, list.rows);
  const isBelieved = list.kind !== 'whole' || isOrdered(placed) || (await isUncut(deps, list));
  if (isBelieved) return { dates, list, placed };
  const why =
    'its list is not sorted by time and may be cut, since the shop has shown no list with more rows';
  return { dates, list: { ...list, kind: 'long', why }, placed };
}

type SearchLimits = {
  readonly maxLists: number;
  /** Of each list. */
  readonly maxPages: number;
  readonly first?: number;
};

/**
 * Lists by farther and nearer dates, by bisection, until a list can be read to its end and shows what is looked for, or reaches as far
 * as dates can. If `maxLists` lists do not suffice, the result is a list that is not whole.
 *
 * @param datesOf dates that reach so many minutes beyond a window, `Infinity` for the farthest
 */
export async function searchBeyond(
  deps: PagingDeps,
  window: Window,
  datesOf: (minutes: number) => Window,
  isFound: (answer: PlacedList) => boolean,
  { maxLists, maxPages, first = FIRST_MINUTES }: SearchLimits,
): Promise<PlacedList> {
  let [nothing, minutes, tooMuch] = [1, first, Infinity];
  let ending: Exclude<Ending, { readonly kind: 'whole' }> = { kind: 'odd', why: NOT_SHOWN };
  for (let lists = 1; ; lists++) {
    const answer = await readPlacedList(deps, datesOf(minutes), { maxPages });
    const isWhole = answer.list.kind === 'whole';
    if (isWhole && (minutes === Infinity || isFound(answer))) return answer;
    if (answer.list.kind !== 'whole') ending = { kind: answer.list.kind, why: answer.list.why };
    if (isWhole) nothing = minutes;
    else tooMuch = Math.min(minutes, LONGEST_MINUTES);
    // After days without any order there is likely nothing at all.
    if (tooMuch === Infinity) minutes = minutes < FIRST_MINUTES ? FIRST_MINUTES : Infinity;
    else {
      const middle = isWhole ? 0 : middleDistance(window, answer);
      const isNearer = middle > nothing && middle < tooMuch;
      minutes = Math.floor(isNearer ? middle : Math.sqrt(nothing * tooMuch));
    }
    if (lists === maxLists || minutes <= nothing) return { ...answer, list: { ...answer.list, ...ending } };
  }
}

/** Minutes from a window to the middle one of the orders that came; 0 where the list begins with the farthest ones. */
function middleDistance(window: Window, { placed }: PlacedList): number {
  if (isInOrder(placed, 1)) return 0;
  const distances = placed.map(({ time }) =>
    Math.max(minutesBetween(time, window.from), minutesBetween(window.to, time)),
  );
  return distances.toSorted((one, other) => one - other)[distances.length >> 1] ?? 0;
}

/**
 * What lies beyond a side of a window. Whatever the dates mean, they select one interval: between two rows of it nothing is
 * missing. So where the list shows no row beyond, the side is asked for by itself, from the outermost row on: that must come
 * again, and with it either a row beyond, or, up to the farthest dates, nothing.
 *
 * @returns a text that speaks against the answer, where nothing shows it
 */
export async function showBeyond(
  deps: PagingDeps,
  window: Window,
  { dates, list, placed }: PlacedList,
  side: Side,
): Promise<SideShown | string> {
  // A row far outside of the dates shows another time than it is filtered by.
  const shown = placed.filter((row) => isBeyond(side, row, window) && isInWindow(widen(dates), row.time));
  const isOpen = side === 'below' ? isOpenBelow(window) : isOpenAbove(window);
  const isBegun = side === 'above' && isOpen && beginsWithNewest(deps, dates, placed);
  if (shown.length > 0 || isBegun) return { outer: shown, lists: [] };
  const own = new Set(list.rows.map(({ orderId }) => orderId));
  const minutes = minutesBetween(window.from, window.to);
  // Below a part of a day, orders lie about as densely as in it.
  const near = side === 'below' && minutes < DAY_MINUTES ? minutes : FIRST_MINUTES;
  const first = isOpen ? Infinity : near;
  const lists: OrderList[] = [];
  for (let pivot = outermost(side, placed); lists.length < LIMITS.maxLists;) {
    const seen = await lookFrom(deps, side, window, pivot, own, first);
    if (typeof seen === 'string') return seen;
    lists.push(seen.list);
    if (seen.outer.length > 0 || seen.more.length === 0) return { outer: seen.outer, lists };
    // The list may be cut where it seems to end: what lies beyond that has to be shown as well.
    for (const { row } of seen.more) own.add(row.orderId);
    pivot = outermost(side, seen.more);
  }
  return NOT_SHOWN;
}

/** A list from the outermost row of a side on: its rows farther out than that, and those beyond the window. */
type Seen = {
  readonly list: OrderList;
  readonly more: readonly Placed[];
  readonly outer: readonly Placed[];
};

/** @param own rows that are known already */
async function lookFrom(
  deps: PagingDeps,
  side: Side,
  window: Window,
  pivot: Placed,
  own: ReadonlySet<string>,
  first: number,
): Promise<Seen | string> {
  const { orderId } = pivot.row;
  const isMore = ({ row, time }: Placed) => !own.has(row.orderId) && isFartherOut(side, time, pivot.time);
  const isOuter = (row: Placed) => isBeyond(side, row, window);
  for (const margin of MARGINS) {
    const datesOf = (minutes: number) => datesBeyond(side, window, pivot.time, margin, minutes);
    const isFound = ({ placed }: PlacedList) => placed.some((row) => isMore(row) || isOuter(row));
    const { list, placed } = await searchBeyond(deps, window, datesOf, isFound, { ...LIMITS, first });
    if (list.kind !== 'whole') return list.why;
    const [more, outer] = [placed.filter(isMore), placed.filter(isOuter)];
    const isOmitted = (row: Placed) => isInWindow(window, row.time) && !own.has(row.row.orderId);
    if (placed.some((row) => isOmitted(row) && !more.includes(row)))
      return 'requests with other dates show orders of it that are missing in its own list';
    if (!placed.some(({ row }) => row.orderId === orderId)) continue;
    const isEnd = outer.length + more.length > 0 || (await isUncut(deps, list));
    return isEnd ? { list, more, outer } : 'its list may be cut at a number of rows';
  }
  return `order ${orderId} is not listed by when it was placed`;
}

const isFartherOut = (side: Side, one: Temporal.PlainDateTime, other: Temporal.PlainDateTime) =>
  side === 'below' ? isBefore(one, other) : isBefore(other, one);

const outermost = (side: Side, placed: readonly Placed[]): Placed =>
  placed.reduce((one, other) => (isFartherOut(side, other.time, one.time) ? other : one));

/** Whether a list from the newest order on reaches so little into the past that no shop cuts off its beginning. */
function beginsWithNewest({ now }: PagingDeps, { from }: Window, placed: readonly Placed[]): boolean {
  const [first, last] = [placed[0], placed.at(-1)];
  const isDescending = first !== undefined && last !== undefined && isBefore(last.time, first.time);
  const present = now().toZonedDateTimeISO('UTC').toPlainDateTime();
  return isDescending && isInOrder(placed, -1) && minutesBetween(from, present) <= RECENT_MINUTES;
}
