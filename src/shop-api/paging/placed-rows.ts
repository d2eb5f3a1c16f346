/** Where the rows of a list lie in time, as far as they say. Pure. */
import { isBefore, type Window } from '../../model/window.ts';
import type { ListRow } from '../endpoints/list-orders.ts';
import type { PagingDeps } from './request-page.ts';

/** A row and when its order was placed: at `time`, as far as it says, and surely within `span`. */
export type Placed = {
  readonly row: ListRow;
  readonly time: Temporal.PlainDateTime;
  readonly span: Window;
};

export type Side = 'below' | 'above';

/**
 * The rows that say when they were placed, in the order of the list. One without a readable time of day shows its midnight,
 * and may be of any time of its day; one within an hour that comes twice, of any time of that hour.
 */
export function placeRows(
  { readCreated, shownTwice }: Pick<PagingDeps, 'readCreated' | 'shownTwice'>,
  rows: readonly ListRow[],
): readonly Placed[] {
  return rows.flatMap((row) => {
    const time = readCreated(row);
    if (time === undefined) return [];
    const minute = { from: time, to: time.add({ minutes: 1 }) };
    const day = { from: time, to: time.add({ days: 1 }) };
    return [{ row, time, span: mayBeAllDay(time) ? day : (shownTwice?.(time) ?? minute) }];
  });
}

/** Whether an order was placed beyond a window, whenever in its span that was. */
export function isBeyond(side: Side, { span }: Placed, window: Window): boolean {
  return side === 'below' ? !isBefore(window.from, span.to) : !isBefore(span.from, window.to);
}

/** @param step 1 for times that ascend, -1 for those that descend; an order of a whole day may stand anywhere in it */
export function isInOrder(placed: readonly Placed[], step: 1 | -1): boolean {
  const timed = placed.filter(({ time }) => !mayBeAllDay(time));
  const days = placed.map(({ time }) => time.toPlainDate().toPlainDateTime());
  return [timed.map(({ time }) => time), days].every((times) =>
    times.every((time, index) => {
      const last = times[index - 1] ?? time;
      return step === 1 ? !isBefore(time, last) : !isBefore(last, time);
    }),
  );
}

export const isOrdered = (placed: readonly Placed[]): boolean =>
  isInOrder(placed, -1) || isInOrder(placed, 1);

/** A row without a readable time of day shows its midnight, so that any row at midnight may be of any time of its day. */
export function mayBeAllDay(time: Temporal.PlainDateTime): boolean {
  return time.hour === 0 && time.minute === 0;
}
