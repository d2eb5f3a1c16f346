/** Where a list begins and ends in time, by its rows in the order in which they came. Pure. */
import { byTime } from '../../window.ts';
import type { ListRow } from '../endpoints/list-orders.ts';
import type { Dates } from './asked-dates.ts';
import type { PagingDeps } from './request-page.ts';

export type Side = 'below' | 'above';

export type ListEnds = {
  /** Created minutes from an end inwards: those of a few rows, and one that is not the first. */
  readonly below: readonly Temporal.PlainDateTime[];
  readonly above: readonly Temporal.PlainDateTime[];
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

/** @param created minutes of the next rows, in the order of the list */
export function addTimes(ends: ListEnds, created: readonly Temporal.PlainDateTime[]): ListEnds {
  const isSorted = (step: number) =>
    created.every((time, index) => byTime(created[index - 1] ?? ends.last ?? time, time) * step <= 0);
  return {
    below: outermost([...ends.below, ...created].toSorted(byTime)),
    above: outermost([...ends.above, ...created].toSorted((one, other) => byTime(other, one))),
    last: created.at(-1) ?? ends.last,
    isAscending: ends.isAscending && isSorted(1),
    isDescending: ends.isDescending && isSorted(-1),
  };
}

/** A crowded minute at the end may fill a page, and show nothing of what lies beyond it: one more belongs to the end. */
function outermost(sorted: readonly Temporal.PlainDateTime[]): readonly Temporal.PlainDateTime[] {
  const [first] = sorted;
  const index = sorted.findIndex((time, at) => at >= SHARED_ROWS - 1 && first && !time.equals(first));
  return index === -1 ? sorted : sorted.slice(0, index + 1);
}

/** The open ends at which rows may be hidden: the last one of a list in order of time, every one of any other list. */
export function openSides({ isAscending, isDescending }: ListEnds, { from, to }: Dates): readonly Side[] {
  return [
    ...(from === undefined && !isAscending ? (['below'] as const) : []),
    ...(to === undefined && !isDescending ? (['above'] as const) : []),
  ];
}

export function createdTimes(
  { readCreated }: PagingDeps,
  rows: readonly ListRow[],
): readonly Temporal.PlainDateTime[] {
  return rows.flatMap((row) => readCreated(row) ?? []);
}

export function idsWhere(
  { readCreated }: PagingDeps,
  rows: readonly ListRow[],
  isWanted: (created: Temporal.PlainDateTime) => boolean,
): ReadonlySet<string> {
  const wanted = rows.filter((row) => {
    const created = readCreated(row);
    return created !== undefined && isWanted(created);
  });
  return new Set(wanted.map(({ orderId }) => orderId));
}
