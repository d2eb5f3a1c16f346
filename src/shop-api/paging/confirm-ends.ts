import { byTime, isBefore } from '../../window.ts';
import type { ListRow } from '../endpoints/list-orders.ts';
import { askPage } from './ask-page.ts';
import type { Dates } from './dates.ts';
import type { PagingDeps, WalkDeps } from './paging-deps.ts';
import type { Matching } from './matching.ts';
import { pageCapacity } from './page-profile.ts';
import { readMatching } from './read-matching.ts';

type Complete = Extract<Matching, { kind: 'complete' }>;
type Side = 'below' | 'above';

/** Rows at an end that a second response must show again; one that holds any of them can be trusted. */
const SHARED_ROWS = 4;
const MAX_PAGES = 400;
/** Orders that may be deleted between two requests. */
const FEW = 3;

/**
 * Some shops serve a list up to some position, and nothing beyond it, which looks like its end. Where that would leave
 * out rows that no row beyond the window speaks for, the rows at the end and all that lies beyond are asked for once
 * more, by dates that few rows match: nothing else may come.
 *
 * @returns the answer, or `cut` where more exists, or `moved` where the rows at the end changed
 */
export async function confirmEnds(deps: WalkDeps, dates: Dates, answer: Complete): Promise<Matching> {
  const received = answer.rows.length + answer.malformed.length;
  const isContradicted = answer.total !== undefined && answer.total > received;
  // A single page as long as the reported total can be trusted; its last row was probed.
  if (answer.pages < 2 && answer.total === received) return answer;
  const { sides, isInOrder } = findOpenEnds(deps, dates, answer.rows);
  // In the order of time, rows beyond both ends of the dates prove all between them.
  if (isInOrder && sides.length === 0) return answer;
  if (isContradicted && (await isTotalOfDates(deps, answer))) {
    return { ...answer, kind: 'cut', isStartIgnored: false };
  }
  for (const side of sides) {
    const verdict = await confirmSide(deps, dates, answer, side);
    if (verdict === 'cut') return { ...answer, kind: 'cut', isStartIgnored: false };
    if (verdict === 'moved') return { kind: 'moved', pages: answer.pages };
  }
  return answer;
}

/** The list's last end where it is open; of a list that is in no order of time, every open end. */
function findOpenEnds({ readCreated }: PagingDeps, dates: Dates, rows: readonly ListRow[]) {
  const created = rows.flatMap((row) => readCreated(row) ?? []);
  const isSorted = (step: number) =>
    created.every((time, index) => index === 0 || byTime(created[index - 1] ?? time, time) * step <= 0);
  const [isAscending, isDescending] = [isSorted(1), isSorted(-1)];
  const sides: readonly Side[] = [
    ...(dates.from === undefined && !isAscending ? (['below'] as const) : []),
    ...(dates.to === undefined && !isDescending ? (['above'] as const) : []),
  ];
  return { sides, isInOrder: isAscending || isDescending };
}

async function confirmSide(
  deps: PagingDeps,
  dates: Dates,
  { rows }: Complete,
  side: Side,
): Promise<'same' | 'cut' | 'moved'> {
  const created = rows.flatMap((row) => deps.readCreated(row) ?? []).toSorted(byTime);
  if (side === 'above') created.reverse();
  const [last] = created;
  // A crowded minute at the end may fill the page that comes, and show nothing of what lies beyond it.
  const beforeLast = created.slice(SHARED_ROWS - 1).find((time) => last && !time.equals(last));
  const pivot = beforeLast ?? created.at(-1);
  if (pivot === undefined) return 'same';
  const datesTo = (padding: Temporal.DurationLike): Dates =>
    side === 'below'
      ? { from: dates.from, to: pivot.add(padding) }
      : { from: pivot.subtract(padding), to: dates.to };
  const page = await askPage(deps, datesTo({ minutes: 1 }), 0);
  if (page === 'unfiltered') return 'moved';
  const isBeyond = (row: ListRow) => {
    const time = deps.readCreated(row);
    return time !== undefined && (side === 'below' ? isBefore(time, pivot) : isBefore(pivot, time));
  };
  const expected = toIds(rows.filter(isBeyond));
  const isNew = ({ orderId }: ListRow) => !expected.has(orderId);
  const found = page.rows.filter(isBeyond);
  if (found.some(isNew)) return 'cut';
  // A full page, or one that may come short, may end there by chance.
  const { profile } = deps.book;
  const isAll = page.received > 0 && page.received < pageCapacity(profile) && !profile.isUneven;
  if (isAll && toIds(found).size === expected.size) return 'same';
  // A crowded minute may fill the page, and a filter in another zone leave rows out.
  const all = await readMatching(deps, datesTo({ days: 2 }), MAX_PAGES);
  if (all.kind !== 'complete') return all.kind === 'cut' ? 'cut' : 'moved';
  const beyond = all.rows.filter(isBeyond);
  if (beyond.some(isNew)) return 'cut';
  return toIds(beyond).size === expected.size ? 'same' : 'moved';
}

/**
 * Whether a total that says more than came counts what matches the dates, as it shows by saying less of other dates. Of
 * one that counts all orders, or none in particular, nothing follows.
 */
async function isTotalOfDates(deps: WalkDeps, { rows, total = 0 }: Complete): Promise<boolean> {
  const created = rows.flatMap((row) => deps.readCreated(row) ?? []).toSorted(byTime);
  const [oldest, newest] = [created[0], created.at(-1)];
  if (oldest === undefined || newest === undefined) return false;
  const isOneMinute = oldest.equals(newest);
  const other = isOneMinute ? await deps.known.after(newest.add({ minutes: 1 }), 1) : newest;
  if (other === undefined) return false;
  // An empty page may be a passing fault, or that of a filter in another zone.
  for (const padding of [{ minutes: 1 }, { minutes: 1 }, { days: 2 }, { days: 2 }]) {
    const page = await askPage(deps, { from: other.subtract(padding), to: other.add(padding) }, 0);
    if (page === 'unfiltered' || page.received === 0 || page.total === undefined) continue;
    if (page.total < total && (page.total === page.received || page.total < total - FEW)) return true;
    break;
  }
  const none = await askPage(deps, NO_ORDERS, 0);
  return none !== 'unfiltered' && none.received === 0 && none.total === 0;
}

/** No shop of the platform is that old. */
const NO_ORDERS: Dates = {
  from: Temporal.PlainDateTime.from('1971-01-01T00:00'),
  to: Temporal.PlainDateTime.from('1971-01-02T00:00'),
};

const toIds = (rows: readonly ListRow[]): ReadonlySet<string> => new Set(rows.map(({ orderId }) => orderId));
