/** What lies beyond the two ends of a window. */
import {
  isBefore,
  isInWindow,
  isOpenAbove,
  isOpenBelow,
  minutesBetween,
  type Window,
} from '../../model/window.ts';
import { checkFilter, widen } from './filter-check.ts';
import { FARTHEST } from '../endpoints/list-orders.ts';
import { isUncut, type OrderList, readList, toQuery } from './list.ts';
import { isBeyond, isInOrder, isOrdered, type Placed, placeRows, type Side } from './placed-rows.ts';
import { afterNothing, afterTooMuch, datesBeyond, type Search, startSearch, uncached } from './reach.ts';
import { type PagingDeps, requestPage } from './request-page.ts';

const DAY_MINUTES = 24 * 60;
const MAX_LOOKS = 8;
const MAX_PAGES = 30;
/** How an order is asked for by when it was placed: a filter by whole days, or in another zone, is off by less. */
const MARGINS: readonly Temporal.DurationLike[] = [{ minutes: 1 }, { days: 2 }];
/** No shop cuts the newest orders off a list that begins with them and reaches so little into the past. */
const RECENT_MINUTES = 14 * DAY_MINUTES;
/** What lies beyond a window is looked for so far from it first. */
export const FIRST_LOOK_MINUTES = 8 * DAY_MINUTES;

/** A list that was read to its end, and shows when at least one of its orders was placed. */
export type Answer = {
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

/** What speaks against an answer. `isLong`: a shorter list may be believed. */
export type Doubt = { readonly doubt: string; readonly isLong?: true };

/** A list in no order of time may be cut anywhere, unless this run was shown that the shop serves longer ones. */
export async function doubtOrder(
  deps: PagingDeps,
  { list, placed }: Omit<Answer, 'dates'>,
): Promise<Doubt | undefined> {
  if (isOrdered(placed) || isUncut(deps, list)) return undefined;
  const { length } = list.rows;
  if ((await isServedAt(deps, 2 * length)) || (await isServedAt(deps, length))) return undefined;
  return {
    doubt: 'its list is in no order of time, and no longer one shows that it is not cut',
    isLong: true,
  };
}

/** Whether the list of all orders goes on at a position: so that no shorter list is cut. */
async function isServedAt({ book, ...deps }: PagingDeps, position: number): Promise<boolean> {
  const ask = async (start: number) => requestPage({ book, ...deps }, toQuery(FARTHEST, start, 2));
  const { keys } = await ask(position);
  // A position beyond the last row may be taken for another one.
  if (keys[1] === undefined || (await ask(position + 1)).keys[0] !== keys[1]) return false;
  book.longestList = Math.max(book.longestList ?? 0, position + 1);
  return true;
}

/**
 * What lies beyond a side of a window. Whatever the dates mean, they select one interval: between two rows of it nothing is
 * missing. So where the list shows no row beyond, the side is asked for by itself, from the outermost row on: that must come
 * again, and with it either a row beyond, or, up to the farthest dates, nothing.
 */
export async function showBeyond(
  deps: PagingDeps,
  window: Window,
  { dates, list, placed }: Answer,
  side: Side,
): Promise<SideShown | Doubt> {
  // A row far outside of the dates shows another time than it is filtered by.
  const shown = placed.filter((row) => isBeyond(side, row, window) && isInWindow(widen(dates), row.time));
  const isOpen = side === 'below' ? isOpenBelow(window) : isOpenAbove(window);
  const isBegun = side === 'above' && isOpen && beginsWithNewest(deps, dates, placed);
  if (shown.length > 0 || isBegun) return { outer: shown, lists: [] };
  const own = new Set(list.rows.map(({ orderId }) => orderId));
  const lists: OrderList[] = [];
  const search = startSearch(isOpen ? Infinity : FIRST_LOOK_MINUTES);
  let look: Look = { side, window, ...fromOutermost(side, placed), search };
  let why: string | undefined;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const seen = await lookBeyond(deps, look, own);
    if ('doubt' in seen) return seen;
    if (seen.list !== undefined) {
      lists.push(seen.list);
      const isEnd = !Number.isFinite(look.search.minutes) && seen.more.length === 0;
      if (seen.outer.length > 0 || isEnd) return { outer: seen.outer, lists };
      for (const { row } of seen.more) own.add(row.orderId);
    }
    why = seen.why ?? why;
    look = nextLook(look, seen);
  }
  return { doubt: why ?? `no answer shows what lies ${side} it` };
}

/** One list from the outermost row of a side on. */
type Look = {
  readonly side: Side;
  readonly window: Window;
  readonly pivot: Placed;
  /** Rows that it may begin with, if that one shows another time than it is filtered by. */
  readonly others: readonly Placed[];
  /** How far before that row it may begin. */
  readonly margins: readonly Temporal.DurationLike[];
  readonly search: Search;
};

type Seen = {
  /** Undefined where it does not hold the row that it begins with, or was not read to its end. */
  readonly list?: OrderList;
  readonly isTooMuch: boolean;
  /** What it contradicts itself in, or fails at. */
  readonly why?: string;
  /** Its rows that lie farther out than those known before, and those beyond the window. */
  readonly more: readonly Placed[];
  readonly outer: readonly Placed[];
};

async function lookBeyond(
  deps: PagingDeps,
  { side, window, pivot, margins: [margin], search }: Look,
  own: ReadonlySet<string>,
): Promise<Seen | Doubt> {
  const { orderId } = pivot.row;
  if (margin === undefined) return { doubt: `order ${orderId} is not listed by when it was placed` };
  const dates = uncached(datesBeyond(side, window, pivot.time, margin, search.minutes), deps.now());
  const list = await readList(deps, dates, { maxPages: MAX_PAGES });
  // What it fails at, or is odd, may lie farther out.
  if (list.kind !== 'whole')
    return { isTooMuch: true, more: [], outer: [], ...('why' in list && { why: list.why }) };
  await checkFilter(deps, dates, list.rows);
  const placed = placeRows(deps, list.rows);
  const others = placed.filter(({ row }) => !own.has(row.orderId));
  const more = others.filter(({ time }) => isFartherOut(side, time, pivot.time));
  if (others.some((row) => isInWindow(window, row.time) && !more.includes(row)))
    return { doubt: 'other dates show orders of it that its own list lacks' };
  if (!placed.some(({ row }) => row.orderId === orderId)) return { isTooMuch: false, more: [], outer: [] };
  const outer = placed.filter((row) => isBeyond(side, row, window));
  if (outer.length + more.length === 0 && !Number.isFinite(search.minutes) && !isUncut(deps, list))
    return { doubt: 'its list may be cut at a number of rows' };
  const doubt = await doubtOrder(deps, { list, placed });
  return doubt ?? { list, isTooMuch: false, more, outer };
}

function nextLook(look: Look, { list, isTooMuch, more }: Seen): Look {
  if (isTooMuch) return { ...look, search: afterTooMuch(look.search) };
  if (list === undefined) {
    const isNext = look.margins.length === 1 && look.others.length > 0;
    return isNext
      ? { ...look, ...fromOutermost(look.side, look.others) }
      : { ...look, margins: look.margins.slice(1) };
  }
  // The list may be cut where it seems to end: what lies beyond that has to be shown as well.
  return more.length > 0
    ? { ...look, ...fromOutermost(look.side, more) }
    : { ...look, search: afterNothing(look.search) };
}

const isFartherOut = (side: Side, one: Temporal.PlainDateTime, other: Temporal.PlainDateTime) =>
  side === 'below' ? isBefore(one, other) : isBefore(other, one);

function fromOutermost(side: Side, placed: readonly Placed[]): Pick<Look, 'pivot' | 'others' | 'margins'> {
  const pivot = placed.reduce((one, other) => (isFartherOut(side, other.time, one.time) ? other : one));
  return { pivot, others: placed.filter((row) => row !== pivot), margins: MARGINS };
}

/** Whether a list from the newest order on reaches so little into the past that no shop cuts off its beginning. */
function beginsWithNewest({ now }: PagingDeps, { from }: Window, placed: readonly Placed[]): boolean {
  const [first, last] = [placed[0], placed.at(-1)];
  const isDescending = first !== undefined && last !== undefined && isBefore(last.time, first.time);
  const present = now().toZonedDateTimeISO('UTC').toPlainDateTime();
  return isDescending && isInOrder(placed, -1) && minutesBetween(from, present) <= RECENT_MINUTES;
}
