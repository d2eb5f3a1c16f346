import { byTime, isBefore } from '../../window.ts';
import type { ListRow } from '../orders.ts';
import { askPage, type Dates, type PagingDeps } from './ask-page.ts';
import type { Matching } from './read-matching.ts';

type Complete = Extract<Matching, { kind: 'complete' }>;
type Side = 'below' | 'above';

/** Rows at an end that a second answer is to show again: one that holds any is an answer at all. */
const SHARED_ROWS = 4;

/**
 * Some shops serve a list up to some position, and nothing beyond it, which looks like its end. Where that would leave
 * out rows that no row beyond the window speaks for, the rows at the end and all that lies beyond are asked for once
 * more, by dates that few rows match: nothing else may come.
 *
 * @returns the answer, or `cut` where more exists, or `moved` where the rows at the end changed
 */
export async function confirmEnds(deps: PagingDeps, dates: Dates, answer: Complete): Promise<Matching> {
  const isContradicted = answer.total !== undefined && answer.total > answer.rows.length;
  // One page that is as long as the list is said to be may be believed; its last row was probed.
  if (answer.pages < 2 && answer.total === answer.rows.length) return answer;
  for (const side of sidesToConfirm(deps, dates, answer.rows, isContradicted)) {
    const verdict = await confirmSide(deps, dates, answer, side);
    if (verdict === 'cut') return { ...answer, kind: 'cut', isStartIgnored: false };
    if (verdict === 'moved') return { kind: 'moved', pages: answer.pages };
  }
  return answer;
}

/** The list's last end where it is open; of a list that is in no order of time, every open end, or any at all. */
function sidesToConfirm(
  { createdOf }: PagingDeps,
  dates: Dates,
  rows: readonly ListRow[],
  isContradicted: boolean,
): readonly Side[] {
  const created = rows.flatMap((row) => createdOf(row) ?? []);
  const isSorted = (step: number) =>
    created.every((time, index) => index === 0 || byTime(created[index - 1] ?? time, time) * step <= 0);
  const [isAscending, isDescending] = [isSorted(1), isSorted(-1)];
  const sides: readonly Side[] = [
    ...(dates.from === undefined && !isAscending ? (['below'] as const) : []),
    ...(dates.to === undefined && !isDescending ? (['above'] as const) : []),
  ];
  const isInOrder = isAscending || isDescending;
  return sides.length === 0 && isContradicted && !isInOrder ? ['below'] : sides;
}

async function confirmSide(
  deps: PagingDeps,
  dates: Dates,
  { rows, total }: Complete,
  side: Side,
): Promise<'same' | 'cut' | 'moved'> {
  const created = rows.flatMap((row) => deps.createdOf(row) ?? []).toSorted(byTime);
  if (side === 'above') created.reverse();
  const pivot = created[SHARED_ROWS - 1] ?? created.at(-1);
  if (pivot === undefined) return 'same';
  const narrow =
    side === 'below'
      ? { from: dates.from, to: pivot.add({ minutes: 1 }) }
      : { from: pivot.subtract({ minutes: 1 }), to: dates.to };
  const page = await askPage(deps, narrow, 0);
  if (page === 'unfiltered' || page.received === 0) return 'moved';
  // A total that counts what matches here does so there, too.
  if (page.total === page.received && total !== undefined && total > rows.length) return 'cut';
  const isBeyond = (row: ListRow) => {
    const time = deps.createdOf(row);
    return time !== undefined && (side === 'below' ? isBefore(time, pivot) : isBefore(pivot, time));
  };
  const expected = new Set(rows.filter(isBeyond).map(({ orderId }) => orderId));
  const found = new Set(page.rows.filter(isBeyond).map(({ orderId }) => orderId));
  if ([...found].some((id) => !expected.has(id))) return 'cut';
  return found.size < expected.size ? 'moved' : 'same';
}
