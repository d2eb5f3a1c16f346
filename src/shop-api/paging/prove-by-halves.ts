import { byTime } from '../../window.ts';
import type { ListRow, OrdersPage } from '../endpoints/list-orders.ts';
import { askPage } from './ask-page.ts';
import type { Dates } from './dates.ts';
import type { PagingDeps } from './paging-deps.ts';

/**
 * Proves an answer of a shop that ignores `start`, and so cannot be asked from its last row: both halves of the time,
 * each less than the whole, together hold just what the whole held, and holds still. A truncated page would gain rows
 * that way.
 *
 * @param rows the answer to these dates
 * @returns false where it is not proven, or where all rows lie in one minute
 */
export async function isProvenByHalves(
  deps: PagingDeps,
  dates: Dates,
  rows: readonly ListRow[],
): Promise<boolean> {
  const middle = middleMinute(deps, rows);
  // Where pages come short at random, so may each of these, and agree by chance.
  if (middle === undefined || deps.book.profile.isUneven) return false;
  const [older, newer, again] = [
    await askPage(deps, { from: dates.from, to: middle.add({ minutes: 1 }) }, 0),
    await askPage(deps, { from: middle.subtract({ minutes: 1 }), to: dates.to }, 0),
    await askPage(deps, dates, 0),
  ];
  if (older === 'unfiltered' || newer === 'unfiltered' || again === 'unfiltered') return false;
  const pages = [older, newer, again];
  // An order that is listed twice takes the place of another one.
  if (pages.some(({ keys }) => new Set(keys).size < keys.length) || isContradicted(pages)) return false;
  const isHalf = (received: number) => received > 0 && received < rows.length;
  if (!isHalf(older.received) || !isHalf(newer.received)) return false;
  const whole = new Set(rows.map(({ orderId }) => orderId));
  const halves = new Set([...older.keys, ...newer.keys]);
  const isWhole = (keys: ReadonlySet<string>) =>
    keys.size === whole.size && [...keys].every((key) => whole.has(key));
  return isWhole(halves) && isWhole(new Set(again.keys));
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
