/** What the dates of a list request select by: the time of creation, as they should, or something else. */
import { TerminalError } from '../../model/errors.ts';
import { isBefore, isInWindow, mayBeAllDay, minutesBetween, type Window } from '../../model/window.ts';
import type { ListRow, OrdersPage } from '../endpoints/list-orders.ts';
import { type Dates, NO_ORDERS, widen } from './asked-dates.ts';
import { type DateFilter, PageFault, type PagingDeps, requestPage, toQuery } from './request-page.ts';

/** The dates of a request select by something else than creation, or that could not be ruled out. */
export class FilterFault extends TerminalError {
  override readonly name = 'FilterFault';
  readonly filter: Exclude<DateFilter, 'created'>;
  constructor(filter: Exclude<DateFilter, 'created'>) {
    super(`the shop ${MEANING[filter]}; ask the platform which date the filter uses`);
    this.filter = filter;
  }
}

const MEANING = {
  updated: 'filters orders by the date of their last change, so that they cannot be synced by day',
  ignored: 'ignores date_from and date_to, so that its orders cannot be synced by day',
  unclear:
    'lists orders outside of the dates that were asked for, and none of them shows which date it filters by',
};

/** A larger share of rows far outside what was asked for is no oddity of single orders. */
const MAX_FAR_SHARE = 0.05;
/** No filter by whole days, or in another zone, is off by more. */
const MOST_SHIFT = { hours: 26 };
/** Further apart, the two times of an order cannot be taken for one another by such a filter. */
const APART_MINUTES = 3 * 24 * 60;
/** The times of an order that tell a filter to the minute. */
const NEAR_MINUTES = 4;
/** Orders asked for, and how many of them must say the same: one may show a time that was never its own. */
const MAX_CONTROLS = 4;
const AGREEING = 2;
/** Orders of which all were changed as long after they were placed. */
const MANY = 20;

/** Why the rows of a page make one doubt that the dates select by creation; undefined where they do not. */
export function doubtFilter(
  deps: PagingDeps,
  dates: Dates,
  page: OrdersPage,
): 'far off' | 'updated' | undefined {
  if (deps.book.dateFilter === 'created') return undefined;
  const far = countOutside(deps, widen(dates, { days: 2 }), page);
  if (far > 1 && far > page.rows.length * MAX_FAR_SHARE) return 'far off';
  const asked = widen(dates, { minutes: 1 }, { minutes: 2 });
  if (countOutside(deps, asked, page) === 0) return undefined;
  const isUpdatedWithin = page.rows.every((row) => {
    const updated = readUpdated(row);
    return updated !== undefined && isInWindow(asked, updated);
  });
  return isUpdatedWithin ? 'updated' : undefined;
}

/**
 * What the dates select by, found out once in a run. Rows outside of the dates do not show it: an order may show another
 * time than it is filtered by. What does is one whose two times lie far apart, asked for by each of them.
 *
 * @param rows among which such an order may be
 */
export async function findDateFilter(deps: PagingDeps, rows: readonly ListRow[]): Promise<DateFilter> {
  const { book } = deps;
  return (book.dateFilter ??= await identifyFilter(deps, rows));
}

/**
 * @param accepted what is accepted besides the time of creation
 * @throws FilterFault where the dates select by anything else
 */
export async function assertFiltersByCreation(
  deps: PagingDeps,
  rows: readonly ListRow[],
  accepted: DateFilter = 'created',
): Promise<void> {
  const filter = await findDateFilter(deps, rows);
  if (filter !== 'created' && filter !== accepted) throw new FilterFault(filter);
}

/** The result; undefined where the shop fails at the request, or filters by another date. @throws all else */
export async function unlessRefused<Result>(asked: Promise<Result>): Promise<Result | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof PageFault || error instanceof FilterFault) return undefined;
    throw error;
  }
}

type Control = {
  readonly orderId: string;
  readonly created: Temporal.PlainDateTime;
  readonly updated: Temporal.PlainDateTime;
};

async function identifyFilter(deps: PagingDeps, rows: readonly ListRow[]): Promise<DateFilter> {
  const { profile, farthest } = deps.book;
  const none = await requestPage(deps, toQuery(NO_ORDERS, 0, profile));
  if (countOutside(deps, widen(NO_ORDERS, { days: 2 }), none) > 0) return 'ignored';
  const others = await requestPage(deps, toQuery({ from: undefined, to: undefined }, 0, profile, farthest));
  const all = [...rows, ...others.rows].flatMap((row) => toControl(deps, row));
  // Where both times of all orders are as far apart, one is in another zone, and either of them orders them alike.
  const unlike = new Map(all.map((control) => [Math.round(apart(control) / NEAR_MINUTES), control]));
  if (unlike.size === 1 && all.length >= MANY) return 'created';
  const sorted = [...unlike.values()].toSorted((one, other) => apart(one) - apart(other));
  const { far = [], near = [] } = Object.groupBy(sorted, (control) => (isFar(control) ? 'far' : 'near'));
  // Where a time is not that of the order, the two lie further apart than in most others.
  const controls = [...far, ...near.toReversed()];
  const said: DateFilter[] = [];
  for (const control of controls.slice(0, MAX_CONTROLS)) {
    const filter = await askControl(deps, control);
    if (filter === undefined) continue;
    said.push(filter);
    if (filter === 'created' && isFar(control)) return filter;
    if (said.filter((other) => other === filter).length >= AGREEING) return filter;
  }
  return 'unclear';
}

function toControl({ readCreated }: PagingDeps, row: ListRow): readonly Control[] {
  const [created, updated] = [readCreated(row), readUpdated(row)];
  // Of an order that may be of any time of its day, nobody knows when it would be listed.
  if (created === undefined || updated === undefined || mayBeAllDay(created)) return [];
  const control = { orderId: row.orderId, created, updated };
  return apart(control) < NEAR_MINUTES ? [] : [control];
}

const isFar = (control: Control) => apart(control) >= APART_MINUTES;

const apart = ({ created, updated }: Control) => Math.abs(minutesBetween(created, updated));

/** By which of its times an order is listed, and not by the other; undefined where that is not so of one of them. */
async function askControl(deps: PagingDeps, control: Control): Promise<'created' | 'updated' | undefined> {
  for (const padding of isFar(control) ? [{ minutes: 1 }, MOST_SHIFT] : [{ minutes: 1 }]) {
    const isListed = async (time: Temporal.PlainDateTime) => {
      const dates = { from: time.subtract(padding), to: time.add(padding) };
      const { rows } = await requestPage(deps, toQuery(dates, 0, deps.book.profile));
      return rows.some(({ orderId }) => orderId === control.orderId);
    };
    const [byCreated, byUpdated] = [await isListed(control.created), await isListed(control.updated)];
    if (byCreated !== byUpdated) return byCreated ? 'created' : 'updated';
  }
  return undefined;
}

function countOutside({ readCreated }: PagingDeps, window: Window, { rows }: OrdersPage): number {
  return rows.filter((row) => {
    const created = readCreated(row);
    if (created === undefined) return false;
    const isOfDay = mayBeAllDay(created) && isBefore(window.from, created.add({ days: 1 }));
    return !isInWindow(window, created) && !(isOfDay && isBefore(created, window.to));
  }).length;
}

/** When the order of a row was changed last, as documented, `YYYY-MM-DD HH:MM:SS`; undefined for anything else. */
export function readUpdated({ raw }: ListRow): Temporal.PlainDateTime | undefined {
  const text = raw['updated'];
  const isTime = typeof text === 'string' && /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text);
  try {
    return isTime ? Temporal.PlainDateTime.from(text.replace(' ', 'T')) : undefined;
  } catch {
    return undefined;
  }
}
