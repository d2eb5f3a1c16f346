/** What the dates of a list request select by: the time of creation, as they should, or something else. */
import { TerminalError } from '../../model/errors.ts';
import { isBefore, isInWindow, minutesBetween, type Window } from '../../model/window.ts';
import { mayBeAllDay } from './placed-rows.ts';
import type { ListRow, OrdersPage } from '../endpoints/list-orders.ts';
import { type DateFilter, type PagingDeps, requestPage } from './request-page.ts';

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
/** More than a filter by whole days, or in another zone, is off. */
const MOST_OFF = { days: 2 };
/** Further apart, the two times of an order cannot be taken for one another by such a filter. */
const APART_MINUTES = 3 * 24 * 60;
/** The times of an order that tell a filter to the minute. */
const NEAR_MINUTES = 4;
/** Orders asked for, and how many of them must say the same: one may show a time that was never its own. */
const MAX_CONTROLS = 4;
const AGREEING = 2;
/** Orders of which all were changed as long after they were placed: one of the times is in another zone. */
const MANY = 20;
/** No shop of the platform is that old. */
const NO_ORDERS: Window = {
  from: Temporal.PlainDateTime.from('1971-01-01T00:00'),
  to: Temporal.PlainDateTime.from('1971-01-02T00:00'),
};

/**
 * Looks at the first page of a list.
 *
 * @throws FilterFault where many of its rows lie far outside the dates, and the filter turns out not to be by creation
 */
export async function checkPage(deps: PagingDeps, dates: Window, page: OrdersPage): Promise<void> {
  if (deps.book.dateFilter === 'created') return;
  const far = countOutside(deps, widen(dates), page);
  if (far <= 1 || far <= page.rows.length * MAX_FAR_SHARE) return;
  const filter = await findDateFilter(deps, page.rows);
  if (filter !== 'created') throw new FilterFault(filter);
}

/**
 * Looks at the rows of a list that is read whole, once in a run: an order that was changed days after it was placed must be
 * listed by when it was placed. Where the list itself holds one that was changed outside its dates, it is.
 *
 * @throws FilterFault where such orders are listed by their last change
 */
export async function checkList(deps: PagingDeps, dates: Window, rows: readonly ListRow[]): Promise<void> {
  const { book } = deps;
  if (book.dateFilter !== undefined) return;
  const controls = rows.flatMap((row) => toControl(deps, row)).filter(isFar);
  const isShown = controls.some(
    ({ created, updated }) => isInWindow(dates, created) && !isInWindow(widen(dates), updated),
  );
  const filter = isShown ? 'created' : await askControls(deps, controls);
  if (filter !== 'unclear') book.dateFilter = filter;
  if (filter === 'updated') throw new FilterFault(filter);
}

/** What the dates select by, found out once in a run. @param rows among which an order may be that shows it */
export async function findDateFilter(deps: PagingDeps, rows: readonly ListRow[]): Promise<DateFilter> {
  return (deps.book.dateFilter ??= await identifyFilter(deps, rows));
}

type Control = {
  readonly orderId: string;
  readonly created: Temporal.PlainDateTime;
  readonly updated: Temporal.PlainDateTime;
};

async function identifyFilter(deps: PagingDeps, rows: readonly ListRow[]): Promise<DateFilter> {
  const none = await ask(deps, NO_ORDERS);
  if (countOutside(deps, widen(NO_ORDERS), none) > 0) return 'ignored';
  const others = await requestPage(deps, { limit: deps.book.profile.limit });
  const all = [...rows, ...others.rows].flatMap((row) => toControl(deps, row));
  const unlike = new Map(all.map((control) => [Math.round(apart(control) / NEAR_MINUTES), control]));
  if (unlike.size === 1 && all.length >= MANY) return 'created';
  const sorted = [...unlike.values()].toSorted((one, other) => apart(one) - apart(other));
  // Where a time is not that of the order, the two lie further apart than in most others.
  return askControls(deps, [...sorted.filter(isFar), ...sorted.filter((one) => !isFar(one)).toReversed()]);
}

async function askControls(
  deps: PagingDeps,
  controls: readonly Control[],
): Promise<'created' | 'updated' | 'unclear'> {
  const said: string[] = [];
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
  for (const margin of isFar(control) ? [{ minutes: 1 }, { hours: 26 }] : [{ minutes: 1 }]) {
    const isListed = async (time: Temporal.PlainDateTime) => {
      const { rows } = await ask(deps, { from: time.subtract(margin), to: time.add(margin) });
      return rows.some(({ orderId }) => orderId === control.orderId);
    };
    const [byCreated, byUpdated] = [await isListed(control.created), await isListed(control.updated)];
    if (byCreated !== byUpdated) return byCreated ? 'created' : 'updated';
  }
  return undefined;
}

async function ask(deps: PagingDeps, { from, to }: Window): Promise<OrdersPage> {
  return requestPage(deps, { dateFrom: from, dateTo: to, start: 0, limit: deps.book.profile.limit });
}

/** The times that dates may select, whatever they mean. */
export const widen = ({ from, to }: Window): Window => ({
  from: from.subtract(MOST_OFF),
  to: to.add(MOST_OFF),
});

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
