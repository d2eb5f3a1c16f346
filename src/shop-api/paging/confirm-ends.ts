/** What lies at the ends of a list and beyond them, asked for once more by dates that few rows match. */
import { byTime, isBefore, isInWindow } from '../../window.ts';
import { type ListRow, type OrdersPage, rowKey } from '../endpoints/list-orders.ts';
import { askPage } from './ask-page.ts';
import { type Dates, FARTHEST, NO_ORDERS, widen } from './asked-dates.ts';
import { assertFiltersByCreation } from './date-filter.ts';
import {
  addTimes,
  createdTimes,
  idsWhere,
  type ListEnds,
  NO_ENDS,
  openSides,
  type Side,
} from './list-ends.ts';
import { learnHidden, pageCapacity, type PageProfile } from './page-profile.ts';
import { type Matching, readMatching } from './read-list.ts';
import { PageFault, type PagingDeps, unlessFault, type WalkDeps } from './request-page.ts';

const MAX_PAGES = 400;
/** Orders that may be deleted between two requests. */
const FEW = 3;
type EndOfList = {
  readonly ends: ListEnds;
  readonly side: Side;
  readonly rows: readonly ListRow[];
  readonly pageRows: number;
};

/** How rows at an end are asked for: a filter in another zone leaves some out, and a shop may not know a date so far off. */
const LOOKS = [
  { padding: { minutes: 1 }, end: FARTHEST },
  { padding: { days: 2 }, end: FARTHEST },
  { padding: { days: 2 }, end: { from: undefined, to: undefined } },
];

/**
 * Reads the list of some dates, with its ends confirmed.
 *
 * @param mustReachAbove no row shows that the list begins with the newest orders: they are asked for as well
 */
export async function readToEnds(
  deps: WalkDeps,
  dates: Dates,
  maxPages: number,
  mustReachAbove = false,
): Promise<Matching> {
  const list = await readMatching(deps, dates, { maxPages });
  return list.verdict === 'complete' ? confirmEnds(deps, dates, list, mustReachAbove) : list;
}

/**
 * Some shops serve a list up to some position, and nothing beyond it, which looks like its end. Where that would leave
 * out rows that no row beyond the window speaks for, the rows at the end and all that lies beyond are asked for once
 * more: nothing else may come.
 *
 * @returns the list, as 'cut' where more exists, and 'shifted' where the rows at the end changed
 */
async function confirmEnds(
  deps: WalkDeps,
  dates: Dates,
  list: Matching,
  mustReachAbove: boolean,
): Promise<Matching> {
  const { book } = deps;
  const received = list.rows.length + list.malformed.length;
  const isAgreed = list.pages < 2 && list.total === received;
  const created = createdTimes(deps, list.rows);
  if (created.length === 0) return list;
  const inTime = addTimes(NO_ENDS, created);
  const isInOrder = inTime.isAscending || inTime.isDescending;
  const { endsAt, isUndatedPartial } = book.profile;
  // In no order of time, a list of a shop that is known to hide orders may lack any of them.
  const mayLackAny = isUndatedPartial && !isInOrder && received >= (book.confirmedRows ?? 0);
  const isSuspect = received === endsAt || mayLackAny;
  // Between audits, a single page as long as the reported total is trusted at its newest end; its last row was probed.
  const mayEndEarly = mustReachAbove && dates.to === undefined;
  const isTrusted = dates.from !== undefined && deps.confirmsEnds !== true && !isSuspect && !mayEndEarly;
  if (isTrusted && isAgreed) return list;
  const ends = isSuspect ? middleOf(created) : inTime;
  const open = isSuspect ? (['below', 'above'] as const) : openSides(ends, dates);
  const sides = new Set([...open, ...(mayEndEarly ? (['above'] as const) : [])]);
  // In the order of time, rows beyond both ends of the dates prove all between them.
  if (isInOrder && sides.size === 0 && dates.from !== undefined) return list;
  const isContradicted = list.total !== undefined && list.total > received;
  if (isContradicted && (await isTotalOfDates(deps, list))) return { ...list, verdict: 'cut' };
  // The first rows are not the oldest ones if the shop takes no date for the last few days.
  const mayBeginLate = dates.from === undefined && inTime.isAscending;
  const isMore = mayBeginLate && (await isLongerWithDates(deps, dates, list, received));
  if (isMore) return { ...list, verdict: await explainHidden(deps, dates, received) };
  const pageRows = list.pages < 2 ? received : 0;
  for (const side of sides) {
    const look = await unlessFault(lookBeyond(deps, dates, { ends, side, rows: list.rows, pageRows }));
    if (look instanceof PageFault && !isAgreed) throw look;
    const hidden = look instanceof PageFault ? undefined : look.hidden;
    // Dates that show none of the rows are of another length or place than they should be: less is asked for.
    const isNoneShown = !(look instanceof PageFault) && look.isNoneShown === true;
    // Where they show some, a single page as long as its total speaks for itself.
    if (hidden === undefined && isAgreed && !isNoneShown) continue;
    if (hidden === undefined) return { ...list, verdict: isNoneShown ? 'cut' : 'shifted' };
    if (hidden.length === 0) continue;
    return { ...list, verdict: await explainHidden(deps, dates, received) };
  }
  if (deps.confirmsEnds === true && dates.from === undefined && (await isAnyOlder(deps, inTime))) {
    return { ...list, verdict: await explainHidden(deps, dates, received) };
  }
  if (sides.size === 2) book.confirmedRows = Math.max(received, book.confirmedRows ?? 0);
  return list;
}

/** Whether orders come that are older than the whole list, where nothing of it is asked for: an archive, which others leave out. */
async function isAnyOlder(deps: PagingDeps, { below }: ListEnds): Promise<boolean> {
  const [oldest] = below;
  if (oldest === undefined) return false;
  const dates = { from: closed(deps, {}).from, to: oldest.subtract({ days: 2 }) };
  const page = await unlessFault(askPage(deps, dates, 0));
  return !(page instanceof PageFault) && createdTimes(deps, page.rows).some((time) => isBefore(time, oldest));
}

/** Both halves of a list, each as what lies beyond its middle. */
function middleOf(created: readonly Temporal.PlainDateTime[]): ListEnds {
  const middle = created
    .toSorted(byTime)
    .slice(created.length >> 1)
    .slice(0, 1);
  return { ...NO_ENDS, below: middle, above: middle, isAscending: false, isDescending: false };
}

/** Dates for those that leave an end open. */
function closed({ book }: PagingDeps, { from, to }: Partial<Dates>): Dates {
  const farthest = book.farthest ?? FARTHEST;
  return { from: from ?? farthest.from, to: to ?? farthest.to };
}

/** Whether other rows than the last one come from its position on where both dates are sent. */
async function isLongerWithDates(
  deps: PagingDeps,
  dates: Dates,
  { rows }: Matching,
  received: number,
): Promise<boolean> {
  const ask = async (start: number) => unlessFault(askPage(deps, closed(deps, dates), start));
  const last = Math.max(0, received - 1);
  let page = await ask(last);
  if (!(page instanceof PageFault) && page.received === 0 && deps.book.farthest === undefined) {
    // The beginning shows whether the shop knows such dates.
    await ask(0);
    page = await ask(last);
  }
  // Nothing, where rows were just listed, contradicts them as other rows do.
  if (page instanceof PageFault) return false;
  // Of pages that are keyed, any row may be the last.
  const ends = page.isKeyed ? rows : rows.slice(-1);
  return page.received !== 1 || !ends.some((row) => rowKey(row) === page.keys[0]);
}

/**
 * Asks once more for the rows at an end of a list, and for all beyond it.
 *
 * @param list `rows` are those at the end, at least; `pageRows` came on one page, or 0
 * @returns rows that the list lacks; undefined where those at the end changed meanwhile, or none of them came
 * @throws FilterFault where rows do not come by the time of their creation
 */
async function lookBeyond(
  deps: PagingDeps,
  dates: Dates,
  { ends, side, rows, pageRows }: EndOfList,
): Promise<{ readonly hidden: readonly ListRow[] | undefined; readonly isNoneShown?: boolean }> {
  const pivot = ends[side].at(-1);
  if (pivot === undefined) return { hidden: [] };
  const isBeyond = (time: Temporal.PlainDateTime) =>
    side === 'below' ? isBefore(time, pivot) : isBefore(pivot, time);
  const isAskable = (time: Temporal.PlainDateTime) => isInWindow(widen(closed(deps, {}), { days: 0 }), time);
  const expected = idsWhere(deps, rows, (time) => isBeyond(time) && isAskable(time));
  let hasFailed = false;
  let isNoneShown = expected.size > 0;
  const isAll = (page: OrdersPage) => isLastPage(deps.book.profile, page, pageRows);
  for (const { padding, end } of LOOKS) {
    if (end !== FARTHEST && !hasFailed) break;
    const far = end === FARTHEST ? closed(deps, {}) : end;
    const at: Dates =
      side === 'below'
        ? { from: dates.from ?? far.from, to: pivot.add(padding) }
        : { from: pivot.subtract(padding), to: dates.to ?? far.to };
    const list = await unlessFault(readMatching(deps, at, { maxPages: MAX_PAGES }, isAll));
    if (list instanceof PageFault) {
      // Some shops fail at a long span.
      if (end !== FARTHEST) throw list;
      hasFailed = true;
      continue;
    }
    const found = idsWhere(deps, list.rows, isBeyond);
    isNoneShown &&= found.size === 0;
    const isTooLong = list.verdict === 'cut' || list.verdict === 'start ignored';
    if (isTooLong || !found.isSubsetOf(expected)) {
      const hidden = found.difference(expected);
      return { hidden: list.rows.filter(({ orderId }) => isTooLong || hidden.has(orderId)) };
    }
    const isRead = list.verdict === 'complete' || list.verdict === 'stopped';
    if (isRead && found.size === expected.size) return { hidden: [] };
  }
  // Rows that exist are missing from the list of their own time.
  await assertFiltersByCreation(deps, rows, 'unclear');
  return { hidden: undefined, isNoneShown };
}

/** Whether a page ends its list: a full one, or one that may come short, may end there by chance. */
export function isLastPage(profile: PageProfile, { received, total }: OrdersPage, pageRows: number): boolean {
  const isShort = received < pageRows || profile.pageRows > 1 || total === received;
  const isEven = !profile.isUneven && received < Math.max(pageRows, pageCapacity(profile));
  return isEven && isShort && received > 0 && received !== profile.endsAt;
}

/** Learns why a list lacks rows: it ends at a position, or without both dates it is that of the last few days. */
export async function explainHidden(
  deps: PagingDeps,
  dates: Dates,
  received: number,
): Promise<'cut' | 'shifted'> {
  const { book } = deps;
  const beyond = await askPage(deps, dates, received);
  // What lies beyond the end now came while the list was read.
  if (beyond.received > 0) return 'shifted';
  const isOpen = dates.from === undefined || dates.to === undefined;
  const same = isOpen ? await askPage(deps, closed(deps, dates), Math.max(0, received - 1)) : undefined;
  book.profile = learnHidden(book.profile, received, same !== undefined && same.received > 1);
  return 'cut';
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
