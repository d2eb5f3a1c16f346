import { maxTime } from '../../window.ts';
import { askPage } from './ask-page.ts';
import { unlessRefused } from './date-filter.ts';
import { isSorted, placeRows } from './list-ends.ts';
import type { PagingDeps } from './request-page.ts';

/** How long ago the newest order is looked for: a shop that rests for months takes a few requests. */
const DAYS_AGO = [1, 4, 16, 64, 256, 1024, 4096];

/**
 * About when the newest order was placed: rows of the same days may be newer. For the size of windows only.
 *
 * @param sample created minutes of the first page of all orders, in the order of the list
 * @param now shop-local, give or take a day
 * @returns undefined where none of the requests shows any order
 */
export async function findNewest(
  deps: PagingDeps,
  sample: readonly Temporal.PlainDateTime[],
  now: Temporal.PlainDateTime,
): Promise<Temporal.PlainDateTime | undefined> {
  if (isSorted(sample, -1)) return sample[0];
  for (const days of DAYS_AGO) {
    const page = await unlessRefused(askPage(deps, { from: now.subtract({ days }), to: undefined }, 0));
    if (page === undefined) return undefined;
    const [first, ...others] = placeRows(deps, page.rows).map(({ time }) => time);
    if (first !== undefined) return others.reduce(maxTime, first);
  }
  return undefined;
}
