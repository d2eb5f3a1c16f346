/** Where a list begins and ends in time, by its rows in the order in which they came. Pure. */
import { byTime, isBefore } from '../../model/window.ts';
import type { ListRow } from '../endpoints/list-orders.ts';
import type { Dates } from './asked-dates.ts';

export type Side = 'below' | 'above';

/** An order and the minute at which it was created. */
export type Placed = { readonly orderId: string; readonly time: Temporal.PlainDateTime };

export type ListEnds = {
  /** Orders from an end inwards: a few, and one that is not of the first one's minute. */
  readonly below: readonly Placed[];
  readonly above: readonly Placed[];
  readonly last: Temporal.PlainDateTime | undefined;
  readonly isAscending: boolean;
  readonly isDescending: boolean;
};

export const NO_ENDS: ListEnds = {
  below: [],
  above: [],
  last: undefined,
  isAscending: true,
  isDescending: true,
};

/** Rows at an end that a second response must show again; one that holds any of them can be trusted. */
export const SHARED_ROWS = 4;

/** Whether a time lies farther out on a side than another. */
export function isBeyond(side: Side, time: Temporal.PlainDateTime, other: Temporal.PlainDateTime): boolean {
  return side === 'below' ? isBefore(time, other) : isBefore(other, time);
}

/** @param rows the next ones, in the order of the list */
export function addRows(ends: ListEnds, rows: readonly Placed[]): ListEnds {
  const times = [...(ends.last ? [ends.last] : []), ...rows.map(({ time }) => time)];
  return {
    below: outermost([...ends.below, ...rows].toSorted((one, other) => byTime(one.time, other.time))),
    above: outermost([...ends.above, ...rows].toSorted((one, other) => byTime(other.time, one.time))),
    last: times.at(-1),
    isAscending: ends.isAscending && isSorted(times, 1),
    isDescending: ends.isDescending && isSorted(times, -1),
  };
}

/** Both halves of a list, each as what lies beyond its middle. */
export function splitAtMiddle(rows: readonly Placed[]): Pick<ListEnds, Side> {
  const sorted = rows.toSorted((one, other) => byTime(one.time, other.time));
  const [oldest, newest] = [sorted[0], sorted.at(-1)];
  // With the minute of an end in both, one half would be the whole.
  const inside = sorted.flatMap(({ time }, at) =>
    oldest && newest && isBefore(oldest.time, time) && isBefore(time, newest.time) ? [at] : [],
  );
  const middle = inside[inside.length >> 1] ?? sorted.length >> 1;
  return { below: sorted.slice(0, middle + 1), above: sorted.slice(middle).toReversed() };
}

/** @param step 1 for times that ascend, -1 for those that descend */
export function isSorted(times: readonly Temporal.PlainDateTime[], step: 1 | -1): boolean {
  return times.every((time, index) => byTime(times[index - 1] ?? time, time) * step <= 0);
}

/** Whether times are in no order: a few odd ones among them leave the others in theirs. */
export function isShuffled(times: readonly Temporal.PlainDateTime[]): boolean {
  const steps = times.slice(1).map((time, index) => byTime(times[index] ?? time, time));
  const against = Math.min(steps.filter((step) => step < 0).length, steps.filter((step) => step > 0).length);
  return against > Math.max(1, times.length / 10);
}

/** A crowded minute at the end may fill a page, and show nothing of what lies beyond it: one more belongs to the end. */
function outermost(sorted: readonly Placed[]): readonly Placed[] {
  const [first] = sorted;
  const index = sorted.findIndex(
    ({ time }, at) => at >= SHARED_ROWS - 1 && first && !time.equals(first.time),
  );
  return index === -1 ? sorted : sorted.slice(0, index + 1);
}

/** The open ends at which rows may be hidden: the last one of a list in order of time, every one of any other list. */
export function openSides({ isAscending, isDescending }: ListEnds, { from, to }: Dates): readonly Side[] {
  return [
    ...(from === undefined && !isAscending ? (['below'] as const) : []),
    ...(to === undefined && !isDescending ? (['above'] as const) : []),
  ];
}

/** The orders of rows that say when they were created. */
export function placeRows(
  { readCreated }: { readonly readCreated: (row: ListRow) => Temporal.PlainDateTime | undefined },
  rows: readonly ListRow[],
): readonly Placed[] {
  return rows.flatMap((row) => {
    const time = readCreated(row);
    return time === undefined ? [] : [{ orderId: row.orderId, time }];
  });
}

export function idsWhere(
  placed: readonly Placed[],
  isWanted: (created: Temporal.PlainDateTime) => boolean,
): ReadonlySet<string> {
  return new Set(placed.flatMap(({ orderId, time }) => (isWanted(time) ? [orderId] : [])));
}
