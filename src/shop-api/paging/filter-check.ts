/** What the dates of a list request select by: the time of creation, as they should, or something else. */
import { TerminalError } from '../../model/errors.ts';
import { isBefore, isInWindow, minutesBetween, type Window } from '../../model/window.ts';
import type { ListRow } from '../endpoints/list-orders.ts';
import { toQuery } from './list.ts';
import { mayBeAllDay } from './placed-rows.ts';
import { type PagingDeps, requestPage, unlessFault } from './request-page.ts';

/** The dates of a request select by something else than creation, or that could not be ruled out. */
export class FilterFault extends TerminalError {
  override readonly name = 'FilterFault';
  readonly filter: keyof typeof MEANING;
  constructor(filter: keyof typeof MEANING) {
    super(`the shop ${MEANING[filter]}; ask the platform which date the filter uses`);
    this.filter = filter;
  }
}

const MEANING = {
  updated: 'filters orders by the date of their last change, so that they cannot be synced by day',
  ignored: 'ignores date_from and date_to, so that its orders cannot be synced by day',
  unclear: 'lists orders outside of the requested dates, and none of them shows which date it filters by',
};

/** A larger share of rows far outside what was asked for is no oddity of single orders. */
const MAX_FAR_SHARE = 0.05;
/** More than a filter by whole days, or in another zone, is off. */
const MOST_OFF = { days: 2 };
/** If the two times of an order are further apart than this, such a filter cannot confuse them. */
const APART_MINUTES = 3 * 24 * 60;
/** How far around a time is asked: to the minute, and for a filter that is off. */
const MARGINS = [{ minutes: 1 }, { hours: 26 }];
/** Orders asked for, and how many must say that it is the last change: one may show a time that was never its own. */
const MAX_CONTROLS = 4;
const AGREEING = 2;
/** No shop of the platform is that old. */
const NO_ORDERS: Window = {
  from: Temporal.PlainDateTime.from('1971-01-01T00:00'),
  to: Temporal.PlainDateTime.from('1971-01-02T00:00'),
};

/**
 * Looks at what a list shows, until that says in this run what the dates select by: an order that was changed days after it
 * was placed must be listed by when it was placed. Where the list holds one that was changed outside its dates, it is.
 *
 * @throws FilterFault where it is listed by its last change, or many rows lie far outside the dates and none says why
 */
export async function checkFilter(deps: PagingDeps, dates: Window, rows: readonly ListRow[]): Promise<void> {
  const { book } = deps;
  if (book.isByCreation === true) return;
  const isOff = areManyOutside(deps, dates, rows);
  if (isOff && (await ask(deps, NO_ORDERS)).length > 0) throw new FilterFault('ignored');
  const controls = rows.flatMap((row) => toControl(deps, row));
  const isShown = ({ created, updated }: Control) =>
    isInWindow(dates, created) && !isInWindow(widen(dates), updated);
  book.isByCreation = !isOff && controls.some(isShown);
  for (let [asked, changed] = [0, 0]; asked < MAX_CONTROLS && !book.isByCreation; asked++) {
    if (asked === controls.length && (changed > 0 || isOff)) {
      const others = (await ask(deps)).flatMap((row) => toControl(deps, row));
      controls.push(...others.filter((other) => controls.every(({ orderId }) => orderId !== other.orderId)));
    }
    const control = controls[asked];
    const filter = control && (await askControl(deps, control));
    book.isByCreation = filter === 'created';
    if (filter === 'updated' && ++changed === AGREEING) throw new FilterFault(filter);
  }
  if (isOff && !book.isByCreation) throw new FilterFault('unclear');
}

type Control = {
  readonly orderId: string;
  readonly created: Temporal.PlainDateTime;
  readonly updated: Temporal.PlainDateTime;
};

function toControl({ readCreated }: PagingDeps, row: ListRow): readonly Control[] {
  const [created, updated] = [readCreated(row), readUpdated(row)];
  // For an order that may lie anywhere in its day, it is unknown when it would be listed.
  if (created === undefined || updated === undefined || mayBeAllDay(created)) return [];
  const isApart = Math.abs(minutesBetween(created, updated)) >= APART_MINUTES;
  return isApart ? [{ orderId: row.orderId, created, updated }] : [];
}

/** By which of its times an order is listed, and not by the other; undefined where that is not so of one of them. */
async function askControl(deps: PagingDeps, control: Control): Promise<'created' | 'updated' | undefined> {
  for (const margin of MARGINS) {
    const isListed = async (time: Temporal.PlainDateTime) => {
      const rows = await ask(deps, { from: time.subtract(margin), to: time.add(margin) });
      return rows.some(({ orderId }) => orderId === control.orderId);
    };
    const [byCreated, byUpdated] = [await isListed(control.created), await isListed(control.updated)];
    if (byCreated !== byUpdated) return byCreated ? 'created' : 'updated';
  }
  return undefined;
}

/** The rows of the first page for some dates, or of all; none where the shop fails at it. */
async function ask(deps: PagingDeps, dates?: Window): Promise<readonly ListRow[]> {
  const { limit } = deps.book.profile;
  const query = dates === undefined ? { limit } : toQuery(dates, 0, limit);
  return (await unlessFault(requestPage(deps, query)))?.rows ?? [];
}

/** The times that dates may select, whatever they mean. */
export const widen = ({ from, to }: Window): Window => ({
  from: from.subtract(MOST_OFF),
  to: to.add(MOST_OFF),
});

function areManyOutside({ readCreated }: PagingDeps, dates: Window, rows: readonly ListRow[]): boolean {
  const { from, to } = widen(dates);
  const outside = rows
    .flatMap((row) => readCreated(row) ?? [])
    .filter((created) => {
      const latest = mayBeAllDay(created) ? created.add({ days: 1 }) : created;
      return !isBefore(created, to) || isBefore(latest, from);
    });
  return outside.length > Math.max(1, rows.length * MAX_FAR_SHARE);
}

/** When the order of a row was changed last, as documented, `YYYY-MM-DD HH:MM:SS`; undefined for anything else. */
export function readUpdated({ raw }: ListRow): Temporal.PlainDateTime | undefined {
  const text = raw['updated'];
  if (typeof text !== 'string' || !/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text)) return undefined;
  try {
    return Temporal.PlainDateTime.from(text);
  } catch {
    return undefined;
  }
}
