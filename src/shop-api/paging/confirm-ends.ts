/** Whether lists that seem to be whole are: some end at a position, or are those of the last few days. */
import { byTime } from '../../model/window.ts';
import { elementId, rowKey } from '../endpoints/list-orders.ts';
import { askPage } from './ask-page.ts';
import { type Dates, knowsFarthest, NO_ORDERS } from './asked-dates.ts';
import {
  addRows,
  isShuffled,
  NO_ENDS,
  openSides,
  type Placed,
  placeRows,
  splitAtMiddle,
} from './list-ends.ts';
import { closeDates, isAnyOlder, isLastPage, lookBeyond } from './look-beyond.ts';
import { learnBothDates, learnHidden } from './page-profile.ts';
import { type Matching, readMatching } from './read-list.ts';
import { PageFault, type PagingDeps, unlessFault, type WalkDeps } from './request-page.ts';

/** Orders that may be deleted between two requests. */
const FEW = 3;

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
  const { book } = deps;
  const placed = placeRows(deps, list.rows);
  if (placed.length === 0) return list;
  const ends = addRows(NO_ENDS, placed);
  const isInOrder = ends.isAscending || ends.isDescending;
  const received = list.rows.length + list.malformed.length;
  const isAgreed = list.pages < 2 && list.total === received;
  const isSuspect = mayLackAny(deps, received, isInOrder);
  // In no order of time rows may be hidden anywhere, as long as no longer list was confirmed: both halves must hold the same.
  const isUnconfirmed = list.pages < 2 && received >= (book.confirmedRows ?? 0);
  const isHalved = isSuspect || (isUnconfirmed && isShuffled(placed.map(({ time }) => time)));
  const mayHide = dates.from === undefined || deps.confirmsEnds === true || isSuspect;
  // Between audits, a single page as long as the reported total is trusted at its newest end; its last row was probed.
  if (isAgreed && !mayHide) return list;
  const sides = isHalved ? (['below', 'above'] as const) : openSides(ends, dates);
  // In the order of time, rows beyond both ends of the dates prove all between them.
  if (isInOrder && sides.length === 0 && dates.from !== undefined) return list;
  const isContradicted = list.total !== undefined && list.total > received;
  if (isContradicted && (await isTotalOfDates(deps, list, placed))) return { ...list, verdict: 'cut' };
  // The first rows are not the oldest ones if the shop takes no date for the last few days.
  const mayBeginLate = dates.from === undefined && ends.isAscending;
  const isLonger = mayBeginLate && (await isLongerWithDates(deps, dates, list, received));
  if (isLonger) return { ...list, verdict: await explainHidden(deps, dates, received) };
  const pageRows = list.pages < 2 ? received : 0;
  const looked = isHalved ? splitAtMiddle(placed) : ends;
  const shared = new Set(list.malformed.flatMap((element) => elementId(element) ?? []));
  for (const side of sides) {
    const isAll = (page: Parameters<typeof isLastPage>[1]) => isLastPage(book.profile, page, pageRows);
    const look = await unlessFault(lookBeyond(deps, dates, { side, end: looked[side], isAll, shared }));
    if (look instanceof PageFault && !isAgreed) throw look;
    // Where these dates show some of the rows, or are not answered, a single page as long as its total speaks for itself.
    const isUnclear = look instanceof PageFault || look === 'changed';
    if (look === 'nothing' || (isUnclear && isAgreed)) continue;
    if (isUnclear) return { ...list, verdict: 'shifted' };
    return { ...list, verdict: look === 'absent' ? 'cut' : await explainHidden(deps, dates, received) };
  }
  const oldest = mayHideOlder(deps) && dates.from === undefined ? ends.below[0] : undefined;
  if (oldest !== undefined && (await isAnyOlder(deps, oldest.time))) {
    return { ...list, verdict: await explainHidden(deps, dates, received) };
  }
  if (sides.length === 2) book.confirmedRows = Math.max(received, book.confirmedRows ?? 0);
  return list;
}

/** Whether it is worth a request what lies below the oldest row: at a backfill, and of a shop that is known to hide some. */
function mayHideOlder({ book: { profile }, confirmsEnds }: WalkDeps): boolean {
  return confirmsEnds === true || profile.isUndatedPartial || profile.endsAt !== undefined;
}

/** Whether a list is as long as one that hid orders, or in no order of time, of a shop that is known to hide some. */
function mayLackAny({ book }: PagingDeps, received: number, isInOrder: boolean): boolean {
  const { endsAt, isUndatedPartial } = book.profile;
  const isUnconfirmed = received >= (book.confirmedRows ?? 0);
  return received === endsAt || (isUndatedPartial && !isInOrder && isUnconfirmed);
}

/** Whether other rows than the last one that has a date come from its position on where both dates are sent. */
async function isLongerWithDates(
  deps: PagingDeps,
  dates: Dates,
  { rows }: Matching,
  received: number,
): Promise<boolean> {
  const ask = async (start: number) => unlessFault(askPage(deps, closeDates(deps, dates), start));
  // No dates show an order that has none.
  const dated = rows.filter((row) => deps.readCreated(row) !== undefined);
  const last = Math.max(0, received - rows.length + dated.length - 1);
  let page = await ask(last);
  if (!(page instanceof PageFault) && page.received === 0 && !knowsFarthest(deps.book.farthest)) {
    // The beginning shows whether the shop knows such dates.
    await ask(0);
    page = await ask(last);
  }
  // Nothing, where rows were just listed, contradicts them as other rows do.
  if (page instanceof PageFault) return false;
  // Of pages that are keyed, any row may be the last.
  const ends = page.isKeyed ? dated : dated.slice(-1);
  return page.received !== 1 || !ends.some((row) => rowKey(row) === page.keys[0]);
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
  const same = isOpen ? await askPage(deps, closeDates(deps, dates), Math.max(0, received - 1)) : undefined;
  const isShorter = same?.received === 0 && (dates.from ?? dates.to) !== undefined;
  book.profile = isShorter
    ? learnBothDates(book.profile)
    : learnHidden(book.profile, received, same !== undefined && same.received > 1);
  return 'cut';
}

/**
 * Whether a total that says more than came counts what matches the dates, as it shows by saying less of other dates. Of
 * one that counts all orders, or none in particular, nothing follows.
 */
async function isTotalOfDates(
  deps: WalkDeps,
  { total = 0 }: Matching,
  placed: readonly Placed[],
): Promise<boolean> {
  const created = placed.map(({ time }) => time).toSorted(byTime);
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
