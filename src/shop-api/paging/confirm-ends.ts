/** What lies at the ends of a list and beyond them, asked for once more by dates that few rows match. */
import { byTime, isBefore, type Window } from '../../window.ts';
import type { ListRow, OrdersPage } from '../endpoints/list-orders.ts';
import { askPage, PageFault, type PagingDeps, unlessFault, type WalkDeps } from './ask-page.ts';
import { type Asked, dateBelow, type Dates } from './asked-dates.ts';
import { pageCapacity } from './page-profile.ts';
import { type Matching, readMatching } from './read-list.ts';
import { provenSpan } from './window-reading.ts';

type Side = 'below' | 'above';

/** Rows at an end that a second response must show again; one that holds any of them can be trusted. */
const SHARED_ROWS = 4;
const MAX_PAGES = 400;
/** Orders that may be deleted between two requests. */
const FEW = 3;
/** Pages, and steps of the reach, of a look below a day. */
const MAX_PAGES_BELOW = 3;
const STEPS_BELOW = [1, 2, 3];
/** No shop of the platform is that old. */
const NO_ORDERS: Dates = {
  from: Temporal.PlainDateTime.from('1971-01-01T00:00'),
  to: Temporal.PlainDateTime.from('1971-01-02T00:00'),
};

/** Reads the list of some dates, with its ends confirmed. */
export async function readToEnds(deps: WalkDeps, dates: Dates, maxPages: number): Promise<Matching> {
  const list = await readMatching(deps, dates, { maxPages });
  return list.verdict === 'complete' ? confirmEnds(deps, dates, list) : list;
}

/**
 * Some shops serve a list up to some position, and nothing beyond it, which looks like its end. Where that would leave
 * out rows that no row beyond the window speaks for, the rows at the end and all that lies beyond are asked for once
 * more: nothing else may come.
 *
 * @returns the list, as 'cut' where more exists, and 'shifted' where the rows at the end changed
 */
async function confirmEnds(deps: WalkDeps, dates: Dates, list: Matching): Promise<Matching> {
  const received = list.rows.length + list.malformed.length;
  const isContradicted = list.total !== undefined && list.total > received;
  // A single page as long as the reported total can be trusted; its last row was probed.
  if (list.pages < 2 && list.total === received) return list;
  const { sides, isInOrder } = findOpenEnds(deps, dates, list.rows);
  // In the order of time, rows beyond both ends of the dates prove all between them.
  if (isInOrder && sides.length === 0) return list;
  if (isContradicted && (await isTotalOfDates(deps, list))) return { ...list, verdict: 'cut' };
  for (const side of sides) {
    const verdict = await confirmSide(deps, dates, list, side);
    if (verdict !== 'complete') return { ...list, verdict };
  }
  return list;
}

/** The list's last end where it is open; of a list that is in no order of time, every open end. */
function findOpenEnds(deps: PagingDeps, dates: Dates, rows: readonly ListRow[]) {
  const created = createdTimes(deps, rows);
  const isSorted = (step: number) =>
    created.every((time, index) => byTime(created[index - 1] ?? time, time) * step <= 0);
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
  { rows }: Matching,
  side: Side,
): Promise<'complete' | 'cut' | 'shifted'> {
  const created = createdTimes(deps, rows).toSorted(byTime);
  if (side === 'above') created.reverse();
  const [last] = created;
  // A crowded minute at the end may fill the page that comes, and show nothing of what lies beyond it.
  const beforeLast = created.slice(SHARED_ROWS - 1).find((time) => last && !time.equals(last));
  const pivot = beforeLast ?? created.at(-1);
  if (pivot === undefined) return 'complete';
  const isBeyond = (time: Temporal.PlainDateTime) =>
    side === 'below' ? isBefore(time, pivot) : isBefore(pivot, time);
  const expected = idsWhere(deps, rows, isBeyond);
  const datesTo = (padding: Temporal.DurationLike): Dates =>
    side === 'below'
      ? { from: dates.from, to: pivot.add(padding) }
      : { from: pivot.subtract(padding), to: dates.to };
  // A full page, or one that may come short, may end there by chance.
  const isAll = ({ received, total = received }: OrdersPage) => {
    const { profile } = deps.book;
    const isEven = !profile.isUneven && (profile.pageRows > 1 || total === received);
    return isEven && received > 0 && received < pageCapacity(profile);
  };
  // A filter in another zone leaves rows out.
  for (const padding of [{ minutes: 1 }, { days: 2 }]) {
    const list = await readMatching(deps, datesTo(padding), { maxPages: MAX_PAGES }, isAll);
    const found = idsWhere(deps, list.rows, isBeyond);
    if (list.verdict === 'cut' || list.verdict === 'start ignored' || !found.isSubsetOf(expected))
      return 'cut';
    const isRead = list.verdict === 'complete' || list.verdict === 'stopped';
    if (isRead && found.size === expected.size) return 'complete';
  }
  return 'shifted';
}

/**
 * Whether a total that says more than came counts what matches the dates, as it shows by saying less of other dates. Of
 * one that counts all orders, or none in particular, nothing follows.
 */
async function isTotalOfDates(deps: WalkDeps, { rows, total = 0 }: Matching): Promise<boolean> {
  const created = createdTimes(deps, rows).toSorted(byTime);
  const [oldest, newest] = [created[0], created.at(-1)];
  if (oldest === undefined || newest === undefined) return false;
  const isOneMinute = oldest.equals(newest);
  const other = isOneMinute ? await deps.known.after(newest.add({ minutes: 1 }), 1) : newest;
  if (other === undefined) return false;
  // An empty page may be a passing fault, or that of a filter in another zone.
  for (const padding of [{ minutes: 1 }, { minutes: 1 }, { days: 2 }, { days: 2 }]) {
    const page = await askPage(deps, { from: other.subtract(padding), to: other.add(padding) }, 0);
    if (page.received === 0 || page.total === undefined) continue;
    if (page.total < total && (page.total === page.received || page.total < total - FEW)) return true;
    break;
  }
  const none = await askPage(deps, NO_ORDERS, 0);
  return none.received === 0 && none.total === 0;
}

/** Rows that reach below a window, and whether no date bounded them there. */
type Below = { readonly rows: readonly ListRow[]; readonly from: Temporal.PlainDateTime | undefined };

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
  const sorted = createdTimes(deps, rows).toSorted(byTime);
  const pivot = sorted[SHARED_ROWS - 1] ?? sorted.at(-1);
  if (pivot === undefined || isBefore(pivot, part.from)) return undefined;
  const isBelow = (time: Temporal.PlainDateTime) =>
    !isBefore(time, asked.window.from) && isBefore(time, pivot);
  const expected = idsWhere(deps, rows, isBelow);
  for (const step of STEPS_BELOW) {
    const from = await dateBelow(asked, deps.known, step);
    const dates = { from, to: pivot.add({ minutes: 1 }) };
    const list = await unlessFault(readToEnds(deps, dates, MAX_PAGES_BELOW));
    // Farther requests would include what the shop fails at.
    if (list instanceof PageFault) return undefined;
    if (list.verdict !== 'complete') continue;
    const span = provenSpan({ from, to: pivot }, createdTimes(deps, list.rows));
    if (span === undefined || isBefore(asked.window.from, span.from)) continue;
    const isSame = idsWhere(deps, list.rows, isBelow).symmetricDifference(expected).size === 0;
    return isSame && !isBefore(span.to, part.from) ? { rows: list.rows, from } : undefined;
  }
  return undefined;
}

function createdTimes({ readCreated }: PagingDeps, rows: readonly ListRow[]): Temporal.PlainDateTime[] {
  return rows.flatMap((row) => readCreated(row) ?? []);
}

function idsWhere(
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
