/** The proof that a list in no order of time is whole. */
import { byTime, isBefore, maxTime, minTime, type Window } from '../../model/window.ts';
import { type Answer, isUncut, isWhole, maxPages, split } from './answer.ts';
import { readList } from './list.ts';
import { isInOrder, type Placed } from './placed-rows.ts';
import type { Asked } from './reach.ts';
import { type PagingDeps, unlessFault } from './request-page.ts';

/**
 * Where a list is divided, counted from its middle: so far overlap its halves, which a filter may leave the ends out of; and
 * farther off, for one in another zone or by whole days.
 */
const DIVISIONS = [
  { below: { seconds: 0 }, above: { seconds: -1 } },
  { below: { minutes: 1 }, above: { minutes: 1 } },
  { below: { hours: 12 }, above: { hours: -11 } },
  { below: { hours: -11 }, above: { hours: 12 } },
  { below: { hours: 26 }, above: { hours: 26 } },
];

/**
 * A list in no order of time may be cut anywhere. Its halves, by dates, must hold its rows and no others.
 *
 * @returns what speaks against it
 */
export async function confirmOrder(
  deps: PagingDeps,
  asked: Asked,
  answer: Answer,
): Promise<string | undefined> {
  const { dates, list, placed } = answer;
  if (isInOrder(placed, -1) || isInOrder(placed, 1)) return undefined;
  if (isUncut(deps, list)) return undefined;
  const all = new Set(placed.map(({ row }) => row.orderId));
  for (const division of DIVISIONS) {
    const found = new Set<string>();
    let isDivided = true;
    for (const half of halvesOf(dates, placed, division)) {
      const part = await unlessFault(readList(deps, half, { maxPages: maxPages(asked) }));
      if (!isWhole(part)) return split(deps, part).why;
      isDivided &&= part.rows.length < list.rows.length;
      for (const { orderId } of part.rows) found.add(orderId);
    }
    if (!found.isSubsetOf(all)) return 'its two halves hold other orders than the whole';
    // Where the ends of both are left out, or are whole days, orders of the middle may be in neither.
    if (isDivided && found.size === all.size) return undefined;
  }
  return 'its list is in no order of time, and no dates divide it';
}

function halvesOf(
  dates: Window,
  placed: readonly Placed[],
  { below, above }: (typeof DIVISIONS)[number],
): readonly Window[] {
  const middle = middleOf(placed);
  return [
    { from: maxTime(dates.from, middle.subtract(below)), to: dates.to },
    { from: dates.from, to: minTime(dates.to, middle.add(above)) },
  ];
}

/** A time that divides rows: a midnight where they are of several days, since some shops filter by whole days. */
function middleOf(placed: readonly Placed[]): Temporal.PlainDateTime {
  const times = placed.map(({ time }) => time).toSorted(byTime);
  const median = times[times.length >> 1] ?? placed[0]?.time;
  const [oldest, newest] = [times[0] ?? median, times.at(-1) ?? median];
  if (median === undefined || oldest === undefined || newest === undefined)
    throw new RangeError('there are no rows');
  const midnight = median.toPlainDate().toPlainDateTime();
  const isWithin = (time: Temporal.PlainDateTime) => isBefore(oldest, time) && !isBefore(newest, time);
  return [midnight, midnight.add({ days: 1 }), median].find(isWithin) ?? median;
}
