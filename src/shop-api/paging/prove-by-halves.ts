import { byTime } from '../../window.ts';
import type { ListRow, OrdersPage } from '../endpoints/list-orders.ts';
import { askPage } from './ask-page.ts';
import type { Dates } from './dates.ts';
import type { PagingDeps } from './paging-deps.ts';

/**
 * A page that holds so many rows less than another was not cut, even where pages are cut by their size: the order that
 * did not fit would be as large as these rows together.
 */
const SPARE_ROWS = 3;

type Part = Pick<OrdersPage, 'keys' | 'received' | 'rows'>;

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
  const keys = rows.map(({ orderId }) => orderId);
  const pages = await readHalves(deps, dates, { rows, keys, received: rows.length }, rows.length);
  if (pages === undefined) return false;
  const again = await askPage(deps, dates, 0);
  if (again === 'unfiltered' || hasRepeats(again) || isContradicted([...pages, again])) return false;
  return holdsSame(keys, again.keys);
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
  whole: Part,
  most: number,
): Promise<readonly OrdersPage[] | undefined> {
  const middle = middleMinute(deps, whole.rows);
  if (middle === undefined) return undefined;
  const halves: readonly Dates[] = [
    { from: dates.from, to: middle.add({ minutes: 1 }) },
    { from: middle.subtract({ minutes: 1 }), to: dates.to },
  ];
  const pages: OrdersPage[] = [];
  const parts: OrdersPage[] = [];
  for (const half of halves) {
    const page = await askPage(deps, half, 0);
    if (page === 'unfiltered' || hasRepeats(page)) return undefined;
    if (page.received === 0 || page.received >= whole.received) return undefined;
    pages.push(page);
    if (page.received > Math.max(1, most - SPARE_ROWS)) {
      const inner = await readHalves(deps, half, page, most);
      if (inner === undefined) return undefined;
      parts.push(...inner);
    }
  }
  const isSame = holdsSame(
    whole.keys,
    [...pages, ...parts].flatMap(({ keys }) => keys),
  );
  return isSame ? [...pages, ...parts] : undefined;
}

/** An order that is listed twice takes the place of another one. */
const hasRepeats = ({ keys }: OrdersPage): boolean => new Set(keys).size < keys.length;

function holdsSame(one: readonly string[], other: readonly string[]): boolean {
  return new Set(one).symmetricDifference(new Set(other)).size === 0;
}

/** The totals are not one number for all dates, and so count matches, and more of them than came. */
function isContradicted(pages: readonly OrdersPage[]): boolean {
  const totals = new Set(pages.map(({ total }) => total));
  return totals.size > 1 && pages.some(({ total, received }) => total !== undefined && total > received);
}

/** A minute with rows on both sides of it, near the median; undefined where there is none. */
function middleMinute(
  { readCreated }: PagingDeps,
  rows: readonly ListRow[],
): Temporal.PlainDateTime | undefined {
  const sorted = rows.flatMap((row) => readCreated(row) ?? []).toSorted(byTime);
  const [oldest, newest] = [sorted[0], sorted.at(-1)];
  const inside = sorted.filter((time) => oldest && newest && !time.equals(oldest) && !time.equals(newest));
  const median = inside[Math.floor(inside.length / 2)];
  if (median !== undefined || oldest === undefined || newest === undefined) return median;
  const minutes = Math.floor(oldest.until(newest, { largestUnit: 'minutes' }).total('minutes') / 2);
  // The halves overlap by a minute on either side.
  return minutes > 2 ? oldest.add({ minutes }) : undefined;
}
