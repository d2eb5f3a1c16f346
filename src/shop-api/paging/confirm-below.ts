import { byTime, isBefore, type Window } from '../../window.ts';
import type { ListRow } from '../endpoints/list-orders.ts';
import type { WalkDeps } from './paging-deps.ts';
import { type Asked, dateBelow } from './asked-dates.ts';
import { provenSpan } from './conclude.ts';
import { unlessFault } from './page-fault.ts';
import { readMatching } from './read-matching.ts';

/** Rows from the oldest one up that both answers are to hold. */
const SHARED_ROWS = 4;
/** Steps of the reach below the nearest one. */
const STEPS = [1, 2, 3];
const MAX_PAGES = 3;

/** Rows that reach below a window, and whether no date bounded them there. */
export type Below = { readonly rows: readonly ListRow[]; readonly from: Temporal.PlainDateTime | undefined };

/**
 * A day of which an answer proves all but its beginning is not read again for that: a second answer, of the oldest rows
 * and whatever is older, shows that nothing else lies there.
 *
 * @param rows the answer to the whole window
 * @returns undefined where that cannot be shown, or where there is something else
 */
export async function confirmBelow(
  deps: WalkDeps,
  asked: Asked,
  part: Window,
  rows: readonly ListRow[],
): Promise<Below | undefined> {
  const sorted = rows.flatMap((row) => deps.readCreated(row) ?? []).toSorted(byTime);
  const pivot = sorted[SHARED_ROWS - 1] ?? sorted.at(-1);
  if (pivot === undefined || isBefore(pivot, part.from)) return undefined;
  const isBelow = (row: ListRow) => {
    const created = deps.readCreated(row);
    return created !== undefined && !isBefore(created, asked.window.from) && isBefore(created, pivot);
  };
  const expected = new Set(rows.filter(isBelow).map(({ orderId }) => orderId));
  for (const step of STEPS) {
    const from = await dateBelow(asked, deps.known, step);
    const dates = { from, to: pivot.add({ minutes: 1 }) };
    const answer = await unlessFault(readMatching(deps, dates, MAX_PAGES));
    // Farther requests would include what the shop fails at.
    if (answer === 'fault') return undefined;
    if (answer.kind !== 'complete') continue;
    const created = answer.rows.flatMap((row) => deps.readCreated(row) ?? []);
    const span = provenSpan({ from, to: pivot }, created);
    if (span === undefined || isBefore(asked.window.from, span.from)) continue;
    const found = answer.rows.filter(isBelow);
    const isSame = found.length === expected.size && found.every(({ orderId }) => expected.has(orderId));
    return isSame && !isBefore(span.to, part.from) ? { rows: answer.rows, from } : undefined;
  }
  return undefined;
}
