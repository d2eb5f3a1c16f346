/** What lies at an end of a list and beyond it, asked for once more by dates that few rows match. */
import { isBefore, isInWindow } from '../../model/window.ts';
import type { ListRow, OrdersPage } from '../endpoints/list-orders.ts';
import { askPage } from './ask-page.ts';
import { type Dates, FARTHEST, widen } from './asked-dates.ts';
import { assertFiltersByCreation } from './date-filter.ts';
import { idsWhere, isBeyond, type Placed, placeRows, type Side } from './list-ends.ts';
import { pageCapacity, type PageProfile } from './page-profile.ts';
import { readMatching } from './read-list.ts';
import { PageFault, type PagingDeps, unlessFault } from './request-page.ts';

export type Look =
  /** The rows at the end came again, and nothing beyond them. */
  | 'nothing'
  /** Some of them did not come, and nothing else: they changed meanwhile, or show another time than they are filtered by. */
  | 'changed'
  /** None of them came: these dates are of another length or place than they should be. */
  | 'absent'
  /** Rows that the list lacks. */
  | { readonly hidden: readonly ListRow[] };

export type EndOfList = {
  readonly side: Side;
  /** Orders from the end inwards: nothing but those before the last of them may come. */
  readonly end: readonly Placed[];
  /** Of the pages that come, whether one is enough. */
  readonly isAll: (page: OrdersPage) => boolean;
  /** Identifiers that several orders of the list share: one of these comes alone where the dates leave out the others. */
  readonly shared?: ReadonlySet<string>;
};

const MAX_PAGES = 400;
/** How rows at an end are asked for: a filter in another zone leaves some out, and some shops fail at a long span. */
const LOOKS = [
  { padding: { minutes: 1 }, isFar: true },
  { padding: { days: 2 }, isFar: true },
  { padding: { days: 2 }, isFar: false },
];

/**
 * @param dates of the list
 * @throws PageFault where the shop fails at all that could be asked
 * @throws FilterFault where rows do not come by the time of their creation
 */
export async function lookBeyond(
  deps: PagingDeps,
  dates: Dates,
  { side, end, isAll, shared = new Set() }: EndOfList,
): Promise<Look> {
  const pivot = end.at(-1)?.time;
  if (pivot === undefined) return 'nothing';
  const isOut = (time: Temporal.PlainDateTime) => isBeyond(side, time, pivot);
  const askable = widen(closeDates(deps, {}), { days: 0 });
  const expected = idsWhere(end, (time) => isOut(time) && isInWindow(askable, time));
  let [hasFailed, isAbsent, rows]: [boolean, boolean, readonly ListRow[]] = [false, expected.size > 0, []];
  for (const { padding, isFar } of LOOKS) {
    if (!isFar && !hasFailed) break;
    const far = isFar ? closeDates(deps, dates) : dates;
    const at =
      side === 'below'
        ? { from: far.from, to: pivot.add(padding) }
        : { from: pivot.subtract(padding), to: far.to };
    const list = await unlessFault(readMatching(deps, at, { maxPages: MAX_PAGES }, isAll));
    if (list instanceof PageFault) {
      if (!isFar) throw list;
      hasFailed = true;
      continue;
    }
    const found = idsWhere(placeRows(deps, list.rows), isOut).difference(shared);
    isAbsent &&= found.size === 0;
    rows = list.rows;
    const hidden = found.difference(expected);
    if (list.verdict === 'cut' || list.verdict === 'start ignored') return { hidden: list.rows };
    if (hidden.size > 0) return { hidden: list.rows.filter(({ orderId }) => hidden.has(orderId)) };
    const isRead = list.verdict === 'complete' || list.verdict === 'stopped';
    if (isRead && found.size === expected.size) return 'nothing';
  }
  // Rows that exist are missing from the list of their own time.
  await assertFiltersByCreation(deps, rows, 'unclear');
  return isAbsent ? 'absent' : 'changed';
}

/** Whether orders come that are older than the whole list, where nothing of it is asked for: an archive, which others leave out. */
export async function isAnyOlder(deps: PagingDeps, oldest: Temporal.PlainDateTime): Promise<boolean> {
  const dates = { from: closeDates(deps, {}).from, to: oldest.subtract({ days: 2 }) };
  const page = await unlessFault(askPage(deps, dates, 0));
  if (page instanceof PageFault) return false;
  return placeRows(deps, page.rows).some(({ time }) => isBefore(time, oldest));
}

/** Far dates for those that leave an end open. */
export function closeDates({ book }: PagingDeps, { from, to }: Partial<Dates>): Dates {
  const farthest = { ...FARTHEST, ...book.farthest };
  return { from: from ?? farthest.from, to: to ?? farthest.to };
}

/**
 * Whether a page ends its list: a full one, or one that may come short, may end there by chance.
 *
 * @param pageRows rows that one page is known to hold; 0 where that is not known
 */
export function isLastPage(profile: PageProfile, { received, total }: OrdersPage, pageRows: number): boolean {
  const isShort = received < pageRows || profile.pageRows > 1 || total === received;
  const isEven = !profile.isUneven && received < Math.max(pageRows, pageCapacity(profile));
  return isEven && isShort && received > 0 && received !== profile.endsAt;
}
