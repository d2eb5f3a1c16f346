import { byTime, minutesBetween } from '../../window.ts';
import { type ListRow, type OrdersPage, rowKey } from '../endpoints/list-orders.ts';
import { askPage } from './ask-page.ts';
import { PageFault, type PagingDeps, unlessFault } from './request-page.ts';
import type { Dates } from './asked-dates.ts';
import { addRows, NO_ENDS, placeRows } from './list-ends.ts';
import { lookBeyond } from './look-beyond.ts';
import { hasDuplicates } from './list-state.ts';

/**
 * A page that holds so many rows less than another was not cut, even where pages are cut by their size: the order that
 * did not fit would be as large as these rows together.
 */
const SPARE_ROWS = 3;

/**
 * Proves an answer of a shop that ignores `start`, and so cannot be asked from its last row: both halves of the time,
 * each clearly less than the whole, together hold just what the whole held, and holds still. A truncated page would gain
 * rows that way. A half that is hardly less is halved again.
 *
 * @param rows the answer to these dates
 * @returns false where it is not proven, or where all rows lie in one minute
 */
export async function isProvenByHalves(
  deps: PagingDeps,
  dates: Dates,
  rows: readonly ListRow[],
): Promise<boolean> {
  // Where pages come short at random, so may each of these, and agree by chance.
  if (deps.book.profile.isUneven) return false;
  const keys = rows.map(rowKey);
  if (await isMoreBeyond(deps, dates, rows)) return false;
  const pages = await readHalves(deps, dates, { rows, keys }, rows.length);
  if (pages === undefined) return false;
  const again = await askPage(deps, dates, 0);
  return !hasDuplicates(again) && !isContradicted([...pages, again]) && holdsSame(keys, again.keys);
}

/** Whether dates show other rows beyond an open end, as of a list that is taken for that of some days. */
async function isMoreBeyond(deps: PagingDeps, dates: Dates, rows: readonly ListRow[]): Promise<boolean> {
  const { book } = deps;
  const ends = addRows(NO_ENDS, placeRows(deps, rows));
  for (const side of ['below', 'above'] as const) {
    if ((side === 'below' ? dates.from : dates.to) !== undefined) continue;
    const look = await unlessFault(lookBeyond(deps, dates, { side, end: ends[side], isAll: () => true }));
    if (look instanceof PageFault || look === 'nothing' || look === 'changed') continue;
    if (side === 'below') book.profile = { ...book.profile, isUndatedPartial: true };
    return true;
  }
  return false;
}

/**
 * The pages of both halves, and of theirs where those are too long.
 *
 * @param most rows that were served at once
 * @returns undefined where they do not hold just the same
 */
async function readHalves(
  deps: PagingDeps,
  dates: Dates,
  whole: Pick<OrdersPage, 'keys' | 'rows'>,
  most: number,
): Promise<readonly OrdersPage[] | undefined> {
  const middle = middleMinute(deps, whole.rows);
  if (middle === undefined) return undefined;
  const pages: OrdersPage[] = [];
  for (const half of [
    { from: dates.from, to: middle.add({ minutes: 1 }) },
    { from: middle.subtract({ minutes: 1 }), to: dates.to },
  ]) {
    const page = await askPage(deps, half, 0);
    if (hasDuplicates(page) || page.received >= whole.keys.length) return undefined;
    const isShort = page.received <= Math.max(1, most - SPARE_ROWS);
    const parts = isShort ? [] : await readHalves(deps, half, page, most);
    if (parts === undefined) return undefined;
    pages.push(page, ...parts);
  }
  const keys = pages.flatMap((page) => page.keys);
  return holdsSame(whole.keys, keys) ? pages : undefined;
}

function holdsSame(one: readonly string[], other: readonly string[]): boolean {
  return new Set(one).symmetricDifference(new Set(other)).size === 0;
}

/** The totals are not one number for all dates, and so count matches, and more of them than came. */
function isContradicted(pages: readonly OrdersPage[]): boolean {
  const totals = new Set(pages.map(({ total }) => total));
  return totals.size > 1 && pages.some(({ total = 0, received }) => total > received);
}

/** A minute with rows on both sides of it, near the median; undefined where there is none. */
function middleMinute(
  { readCreated }: PagingDeps,
  rows: readonly ListRow[],
): Temporal.PlainDateTime | undefined {
  const sorted = rows.flatMap((row) => readCreated(row) ?? []).toSorted(byTime);
  const [oldest, newest] = [sorted[0], sorted.at(-1)];
  if (oldest === undefined || newest === undefined) return undefined;
  const inside = sorted.filter((time) => !time.equals(oldest) && !time.equals(newest));
  const minutes = Math.floor(minutesBetween(oldest, newest) / 2);
  // The halves overlap by a minute on either side.
  return inside[Math.floor(inside.length / 2)] ?? (minutes > 2 ? oldest.add({ minutes }) : undefined);
}
