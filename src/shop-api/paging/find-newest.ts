import { isOpenAbove, isOpenBelow, type Window } from '../../model/window.ts';
import { askPage } from './ask-page.ts';
import { unlessRefused } from './date-filter.ts';
import { isSorted, placeRows } from './list-ends.ts';
import { pageCapacity } from './page-profile.ts';
import type { PagingDeps } from './request-page.ts';

type Times = readonly Temporal.PlainDateTime[];

/** How long ago the newest order is looked for: a shop that rests for months takes a few requests. */
const DAYS_AGO = [1, 4, 16, 64, 256, 1024, 4096];

/**
 * When the newest orders of a window were placed, about: rows of the same days may be newer. For the size of windows only.
 *
 * @param sample created minutes of the first rows of its list, in the order of the list
 * @param total its rows by the shop's own count
 * @param now shop-local, give or take a day
 * @returns those of a page; none where no request shows any, or a date bounds them already
 */
export async function findNewest(
  deps: PagingDeps,
  window: Window,
  sample: Times,
  total: number | undefined,
  now: Temporal.PlainDateTime,
): Promise<Times> {
  if (isSorted(sample, -1)) return sample;
  // Below what is stored, orders may begin at once.
  if (!isOpenAbove(window)) return [window.to];
  const ask = async (from: Temporal.PlainDateTime | undefined, start: number) => {
    const page = await unlessRefused(askPage(deps, { from, to: undefined }, start));
    return page === undefined ? [] : placeRows(deps, page.rows).map(({ time }) => time);
  };
  if (total !== undefined && isSorted(sample, 1)) {
    const from = isOpenBelow(window) ? undefined : window.from;
    const last = await ask(from, Math.max(0, total - pageCapacity(deps.book.profile)));
    if (last.length > 0 && isSorted([...sample, ...last], 1)) return last;
  }
  for (const days of DAYS_AGO) {
    const times = await ask(now.subtract({ days }), 0);
    if (times.length > 0) return times;
  }
  return [];
}
