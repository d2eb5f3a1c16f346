/** Lists that were asked for to prove a window, and what is made of those that prove nothing. Pure. */
import type { Window } from '../../model/window.ts';
import type { OrderList } from './list.ts';
import type { Placed } from './placed-rows.ts';
import type { Asked } from './reach.ts';
import type { SplitWindow } from './reading.ts';
import { PageFault, type PagingDeps } from './request-page.ts';

export const DAY_MINUTES = 24 * 60;
/** Pages of one answer, by the length of the window: of a longer one, more cost too much if they move. */
const MAX_PAGES = { minute: 400, partOfDay: 100, day: 30, longer: 10 };
/** No shop cuts a list of fewer rows. */
const FEWEST_ROWS = 20;

/** A list that was read to its end, and shows when at least one of its orders was placed. */
export type Answer = {
  readonly dates: Window;
  readonly list: OrderList;
  readonly placed: readonly Placed[];
};

export function maxPages({ minutes }: Asked): number {
  if (minutes <= 1) return MAX_PAGES.minute;
  if (minutes < DAY_MINUTES) return MAX_PAGES.partOfDay;
  return minutes === DAY_MINUTES ? MAX_PAGES.day : MAX_PAGES.longer;
}

export const isWhole = (list: OrderList | PageFault): list is OrderList & { readonly kind: 'whole' } =>
  !(list instanceof PageFault) && list.kind === 'whole';

/** Whether a list is no longer than others that this run was shown, so that it was not cut at a number of rows. */
export const isUncut = ({ book }: PagingDeps, { rows }: OrderList) =>
  rows.length < Math.max(FEWEST_ROWS, book.longestList ?? 0);

/** The window is to be read in smaller ones, because of one of its lists. */
export function split({ book, readCreated }: PagingDeps, list: OrderList | PageFault): SplitWindow {
  if (list instanceof PageFault)
    return { ...NO_SAMPLE, cause: 'fault', why: `the shop fails at it (${list.message})` };
  const why = list.why ?? 'it takes too many pages';
  if (list.kind === 'odd') return odd(why);
  const total = book.profile.totalMeaning === 'other' ? undefined : list.total;
  return {
    kind: 'split',
    cause: 'long',
    why,
    sample: list.rows.flatMap((row) => readCreated(row) ?? []),
    total,
  };
}

const NO_SAMPLE = { kind: 'split', sample: [], total: undefined } as const;

export const odd = (why: string): SplitWindow => ({ ...NO_SAMPLE, cause: 'odd', why });
