/** What lies beyond the two ends of a window. */
import {
  isBefore,
  isInWindow,
  isOpenAbove,
  isOpenBelow,
  minutesBetween,
  type Window,
} from '../../model/window.ts';
import { type Answer, DAY_MINUTES, isUncut, isWhole, odd, split } from './answer.ts';
import { widen } from './filter-check.ts';
import { confirmOrder } from './halves.ts';
import { type OrderList, readList } from './list.ts';
import { isBeyond, isInOrder, type Placed, placeRows, type Side } from './placed-rows.ts';
import { type Asked, datesBeyond, uncached } from './reach.ts';
import type { SplitWindow } from './reading.ts';
import { PageFault, type PagingDeps, unlessFault } from './request-page.ts';

/** Pages, and lists, that show what lies beyond an end of a window. */
const PAGES_BEYOND = 30;
const LISTS_BEYOND = 16;
const FIRST_LOOK_MINUTES = 8 * DAY_MINUTES;
const LONGEST_LOOK_MINUTES = 60 * 365 * DAY_MINUTES;
/** How an order is asked for by when it was placed: a filter by whole days, or in another zone, is off by less. */
const MARGINS = [{ minutes: 1 }, { days: 2 }];
/** No shop cuts the newest orders off a list that begins with them and reaches so little into the past. */
const RECENT_MINUTES = 14 * DAY_MINUTES;

/** What answers showed on one side of a window. */
export type SideShown = {
  /** Rows beyond the window; of none it is known that nothing lies there. */
  readonly outer: readonly Placed[];
  /** Lists that reach farther than the window's own. */
  readonly lists: readonly OrderList[];
};

const isSplit = (shown: object): shown is SplitWindow => 'kind' in shown && shown.kind === 'split';

/**
 * What lies beyond a side of a window. Whatever the dates mean, they select one interval: between two rows of it nothing is
 * missing. So where the list shows no row beyond, the side is asked for by itself, from the outermost row on: that must come
 * again, and with it either a row beyond, or, up to the farthest dates, nothing.
 */
export async function showBeyond(
  deps: PagingDeps,
  asked: Asked,
  answer: Answer,
  side: Side,
): Promise<SideShown | SplitWindow> {
  const { window } = asked;
  const { dates, list, placed } = answer;
  // A row far outside of the dates shows another time than it is filtered by.
  const shown = placed.filter((row) => isBeyond(side, row, window) && isInWindow(widen(dates), row.time));
  const isOpen = side === 'below' ? isOpenBelow(window) : isOpenAbove(window);
  const isBegun = side === 'above' && isOpen && beginsWithNewest(deps, dates, placed);
  if (shown.length > 0 || isBegun) return { outer: shown, lists: [] };
  const own = new Set(list.rows.map(({ orderId }) => orderId));
  const lists: OrderList[] = [];
  let look = firstLook(side, placed, isOpen);
  for (let asks = 0; asks < LISTS_BEYOND; asks++) {
    const seen = await lookBeyond(deps, asked, side, look, own);
    if (isSplit(seen)) return seen;
    if (seen.list !== undefined) {
      const { more, outer } = seen;
      lists.push(seen.list);
      const isEnd = !Number.isFinite(look.minutes) && more.length === 0;
      if (outer.length === 0 && isEnd && !isUncut(deps, seen.list))
        return odd('its list may be cut at a number of rows');
      if (outer.length > 0 || isEnd) return { outer, lists };
      for (const { row } of more) own.add(row.orderId);
    }
    look = nextLook(side, look, seen);
  }
  return odd(`no answer shows what lies ${side} it`);
}

/** One list from the outermost row of a side on. */
type Look = {
  readonly pivot: Placed;
  /** Rows that it may begin with, if that one shows another time than it is filtered by. */
  readonly others: readonly Placed[];
  /** How far before that row it begins. */
  readonly margins: readonly Temporal.DurationLike[];
  /** How far it reaches beyond the window. */
  readonly minutes: number;
  /** So far nothing lies beyond the window. */
  readonly nothing: number;
  /** So far is too much for one list; `Infinity` where all there is was not tried. */
  readonly tooMuch: number;
};

type Seen = {
  /** The list, where it holds the row that it begins with; undefined where it does not, or was not read to its end. */
  readonly list?: OrderList;
  readonly isTooMuch: boolean;
  /** Its rows that no list showed before, and those beyond the window. */
  readonly more: readonly Placed[];
  readonly outer: readonly Placed[];
};

const firstLook = (side: Side, placed: readonly Placed[], isOpen: boolean): Look => ({
  ...fromOutermost(side, placed),
  margins: MARGINS,
  minutes: isOpen ? Number.POSITIVE_INFINITY : FIRST_LOOK_MINUTES,
  nothing: 0,
  tooMuch: Number.POSITIVE_INFINITY,
});

function fromOutermost(side: Side, placed: readonly Placed[]): Pick<Look, 'pivot' | 'others'> {
  const pivot = placed.reduce((one, other) => (isFartherOut(side, other, one) ? other : one));
  return { pivot, others: placed.filter((row) => row !== pivot) };
}

async function lookBeyond(
  deps: PagingDeps,
  asked: Asked,
  side: Side,
  { pivot, margins: [margin], minutes }: Look,
  own: ReadonlySet<string>,
): Promise<Seen | SplitWindow> {
  const { window } = asked;
  if (margin === undefined) return odd(`order ${pivot.row.orderId} is not listed by when it was placed`);
  const dates = uncached(datesBeyond(side, window, pivot.time, margin, minutes), deps.now());
  const list = await unlessFault(readList(deps, dates, { maxPages: PAGES_BEYOND }));
  const isLong = !(list instanceof PageFault) && list.kind === 'long';
  // What it fails at, or is odd, may lie farther out.
  if (!isLong && !Number.isFinite(minutes) && !isWhole(list)) return split(deps, list);
  if (!isWhole(list)) return { isTooMuch: true, more: [], outer: [] };
  const placed = placeRows(deps, list.rows);
  const others = placed.filter(({ row }) => !own.has(row.orderId));
  const more = others.filter((row) => !isFartherOut(side, pivot, row));
  if (others.some((row) => isInWindow(window, row.time) && !more.includes(row)))
    return odd('other dates show orders of it that its own list lacks');
  const isPivotShown = placed.some(({ row }) => row.orderId === pivot.row.orderId);
  if (!isPivotShown) return { isTooMuch: false, more: [], outer: [] };
  const why = await confirmOrder(deps, asked, { dates, list, placed });
  if (why !== undefined) return odd(why);
  return { list, isTooMuch: false, more, outer: placed.filter((row) => isBeyond(side, row, window)) };
}

function nextLook(side: Side, look: Look, { list, isTooMuch, more }: Seen): Look {
  const { margins, minutes, nothing, tooMuch } = look;
  if (isTooMuch)
    return { ...look, tooMuch: minutes, minutes: between(nothing, Math.min(minutes, LONGEST_LOOK_MINUTES)) };
  if (list === undefined && margins.length > 1) return { ...look, margins: margins.slice(1) };
  if (list === undefined)
    return look.others.length === 0
      ? { ...look, margins: [] }
      : { ...look, ...fromOutermost(side, look.others), margins: MARGINS };
  // The list may be cut where it seems to end: what lies beyond that has to be shown as well.
  const next = more.length === 0 ? look : { ...look, ...fromOutermost(side, [look.pivot, ...more]) };
  if (!Number.isFinite(minutes)) return next;
  // After days without any order there is likely nothing at all.
  const isFirst = nothing === 0 && !Number.isFinite(tooMuch);
  const farther = isFirst ? tooMuch : between(minutes, Math.min(tooMuch, LONGEST_LOOK_MINUTES));
  return { ...next, nothing: minutes, minutes: farther };
}

/** A distance between two others, nearer to the shorter one. */
const between = (short: number, long: number) =>
  Math.floor(short === 0 ? long / 4 : Math.min(short * 4, (short + long) / 2));

const isFartherOut = (side: Side, one: Placed, other: Placed) =>
  side === 'below' ? isBefore(one.time, other.time) : isBefore(other.time, one.time);

/** Whether a list from the newest order on reaches so little into the past that no shop cuts off its beginning. */
function beginsWithNewest({ now }: PagingDeps, { from }: Window, placed: readonly Placed[]): boolean {
  const [first, last] = [placed[0], placed.at(-1)];
  const isDescending = first !== undefined && last !== undefined && isBefore(last.time, first.time);
  const present = now().toZonedDateTimeISO('UTC').toPlainDateTime();
  return isDescending && isInOrder(placed, -1) && minutesBetween(from, present) <= RECENT_MINUTES;
}
