/** Whether a day of which an answer proves all but its beginning holds nothing else there. */
import { byTime, isBefore, type Window } from '../../model/window.ts';
import type { ListRow } from '../endpoints/list-orders.ts';
import { type Asked, dateBelow } from './asked-dates.ts';
import { readToEnds } from './confirm-ends.ts';
import { idsWhere, placeRows, SHARED_ROWS } from './list-ends.ts';
import { PageFault, unlessFault, type WalkDeps } from './request-page.ts';
import { provenSpan } from './proven-span.ts';

/** Pages, and steps of the reach, of a look below a day. */
const MAX_PAGES_BELOW = 3;
const STEPS_BELOW = [1, 2, 3];

/**
 * A day of which an answer proves all but its beginning is not read again for that: a second answer, of the oldest rows
 * and whatever is older, shows that nothing else lies there.
 *
 * @param rows the answer to the whole window
 * @returns the rows of the second answer; undefined where that cannot be shown, or where there is something else
 */
export async function confirmBelow(
  deps: WalkDeps,
  asked: Asked,
  part: Window,
  rows: readonly ListRow[],
): Promise<readonly ListRow[] | undefined> {
  const placed = placeRows(deps, rows);
  const sorted = placed.map(({ time }) => time).toSorted(byTime);
  const pivot = sorted[SHARED_ROWS - 1] ?? sorted.at(-1);
  if (pivot === undefined || isBefore(pivot, part.from)) return undefined;
  const isBelow = (time: Temporal.PlainDateTime) =>
    !isBefore(time, asked.window.from) && isBefore(time, pivot);
  const expected = idsWhere(placed, isBelow);
  for (const step of STEPS_BELOW) {
    const from = await dateBelow(asked, deps.known, step);
    const dates = { from, to: pivot.add({ minutes: 1 }) };
    const list = await unlessFault(readToEnds(deps, dates, MAX_PAGES_BELOW));
    // Farther requests would include what the shop fails at.
    if (list instanceof PageFault) return undefined;
    if (list.verdict !== 'complete') continue;
    const found = placeRows(deps, list.rows);
    const times = found.map(({ time }) => time);
    const span = provenSpan({ from, to: pivot }, times, deps.shownTwice);
    if (span === undefined || isBefore(asked.window.from, span.from)) continue;
    const isSame = idsWhere(found, isBelow).symmetricDifference(expected).size === 0;
    return isSame && !isBefore(span.to, part.from) ? list.rows : undefined;
  }
  return undefined;
}
