import { TransientError } from '../../errors.ts';
import { isOpenBelow, nextMidnight, type Window, windowText } from '../../window.ts';
import type { ListRow } from '../endpoints/list-orders.ts';
import { askPage } from './ask-page.ts';
import { type Asked, type Dates, datesFor, FARTHEST } from './asked-dates.ts';
import { confirmBelow } from './confirm-below.ts';
import { readToEnds } from './confirm-ends.ts';
import { FilterFault, readUpdated } from './date-filter.ts';
import { addRows, isBeyond, NO_ENDS, placeRows, type Side } from './list-ends.ts';
import type { Contradiction } from './list-state.ts';
import { closeDates } from './look-beyond.ts';
import { isProvenByHalves } from './prove-by-halves.ts';
import { type Matching, readMatching } from './read-list.ts';
import { PageFault, type PagingDeps, toQuery, unlessFault, type WalkDeps } from './request-page.ts';
import {
  afterList,
  type Bounded,
  MAX_PAGES,
  maxPages,
  type Progress,
  START,
  toUnproven,
  toWhole,
  type WindowReading,
} from './window-reading.ts';

/** A request of the window fails; and the rows that came for nearer dates, if any were asked for. */
export type Faulty = {
  readonly kind: 'faulty';
  readonly fault: PageFault;
  readonly rows: readonly ListRow[] | undefined;
};

type Read = WindowReading | Bounded | Faulty;

const UNDATED: Dates = { from: undefined, to: undefined };

/**
 * Reads a window with the proof that it was read whole, by the answers to these very requests. Where dates do not select
 * by the time of creation, the whole list is read instead, if it is short.
 *
 * @throws FilterFault when such a list is too long
 */
export async function readWindow(deps: WalkDeps, asked: Asked): Promise<Read> {
  const { dateFilter } = deps.book;
  if (dateFilter === 'updated' || dateFilter === 'ignored') {
    return readUndated(deps, asked, new FilterFault(dateFilter));
  }
  try {
    return await readDated(deps, asked);
  } catch (error) {
    if (error instanceof FilterFault) return readUndated(deps, asked, error);
    throw error;
  }
}

async function readDated(deps: WalkDeps, asked: Asked): Promise<Read> {
  for (let at = START; ;) {
    const dates = await datesFor(asked, deps.known, at.reach, at.shown);
    // The bounds of what may be asked for leave no more.
    const isAsFar =
      String(dates.from) === String(at.tried?.from) && String(dates.to) === String(at.tried?.to);
    if (asked.bounds && at.tried && isAsFar) return { kind: 'bounded' };
    const list = await unlessFault(readProven(deps, asked, dates, at));
    if (list instanceof PageFault) return { kind: 'faulty', fault: list, rows: at.rows };
    const step = afterList(
      deps,
      asked,
      at,
      { dates, proof: await proofDates(deps, asked, dates, list) },
      list,
    );
    if (step.kind === 'proven') return wholeDays(deps, asked, step.part, dates, list);
    if (step.kind === 'twice') {
      const query = toQuery(dates, 0, deps.book.profile);
      const error = new TransientError('an order came twice');
      return { kind: 'faulty', fault: new PageFault(error, query, undefined), rows: undefined };
    }
    if (step.kind !== 'ask') return step;
    at = step;
  }
}

/**
 * What the rows prove where an end was left open: all that lies beyond them, or, like a date that is far off, nothing. That
 * is so where orders are known to lie beyond the window, or this run was shown several beyond these rows.
 */
async function proofDates(deps: WalkDeps, { window }: Asked, dates: Dates, list: Matching): Promise<Dates> {
  if (dates.from === undefined && dates.to === undefined) return dates;
  const { known, book } = deps;
  const ends = addRows(NO_ENDS, placeRows(deps, list.rows));
  const isShort = (side: Side) => {
    const [end, shown] = [ends[side][0]?.time, book.ends?.[side].at(-1)?.time];
    return end !== undefined && shown !== undefined && isBeyond(side, shown, end);
  };
  const mustReachBelow = async () =>
    isShort('below') || (!isOpenBelow(window) && (await known.before(window.from, 1)) !== undefined);
  return {
    from: dates.from ?? ((await mustReachBelow()) ? FARTHEST.from : undefined),
    to: dates.to ?? (isShort('above') ? FARTHEST.to : undefined),
  };
}

/** The window, of the list of all orders: its ends are confirmed by the dates that the shop does filter by. */
async function readUndated(deps: WalkDeps, { window, lowest }: Asked, fault: FilterFault): Promise<Read> {
  const list = await unlessFault(readAllOrders(deps, fault));
  if (list instanceof PageFault) return { kind: 'faulty', fault: list, rows: undefined };
  if (list?.verdict === 'complete') return toWhole(deps, window, lowest, UNDATED, list);
  if (list?.verdict === 'cut' && fault.filter !== 'unclear') throw fault;
  const reason = `${windowText(window)} cannot be proven complete: ${fault.message}`;
  return toUnproven(window, reason);
}

/** @returns undefined where that cannot be proven to be all */
async function readAllOrders(deps: WalkDeps, { filter }: FilterFault): Promise<Matching | undefined> {
  const most = MAX_PAGES.longer;
  if (filter === 'ignored') {
    const list = await readMatching(deps, UNDATED, { maxPages: most });
    const isCounted = list.total === list.rows.length + list.malformed.length;
    return list.verdict === 'complete' && !isCounted ? undefined : list;
  }
  try {
    return await readToEnds(
      filter === 'updated' ? { ...deps, readCreated: readUpdated } : deps,
      UNDATED,
      most,
    );
  } catch (error) {
    if (error instanceof FilterFault && error.filter === 'unclear') return undefined;
    throw error;
  }
}

/** Reads the list of some dates, with what else it takes to know that it is whole. */
async function readProven(deps: WalkDeps, asked: Asked, dates: Dates, at: Progress): Promise<Matching> {
  const list = await readUnlessOdd(deps, asked, dates, at);
  const isUndated = dates.from === undefined && dates.to === undefined;
  if (list.verdict === 'few' && isUndated) return confirmSingle(deps, list);
  // A shop that ignores `start` shows one page only; it may hold the whole answer all the same.
  if (list.verdict !== 'start ignored' || list.malformed.length > 0) return list;
  if (await isProvenByHalves(deps, dates, list.rows)) return { ...list, verdict: 'complete' };
  // Two rows also come back unchanged when an order was placed before them meanwhile.
  return list.rows.length > 2 ? list : { ...list, verdict: 'shifted' };
}

/** Of a shop that does not count `start` by rows from zero, the first page, like that of one that ignores `start`. */
async function readUnlessOdd(deps: WalkDeps, asked: Asked, dates: Dates, at: Progress): Promise<Matching> {
  const { book } = deps;
  if (book.isStartOdd !== true) {
    const list = await readToEnds(deps, dates, maxPages(asked, dates, at.reach));
    const { contradiction } = list;
    if (contradiction === undefined || at.moved !== 1) return list;
    if (!(await isStartOdd(deps, dates, contradiction))) return list;
    book.isStartOdd = true;
  }
  const list = await readMatching(deps, dates, { maxPages: 1 }, () => true);
  if (list.verdict !== 'stopped') return list;
  return { ...list, verdict: list.rows.length > 1 ? 'start ignored' : 'few' };
}

/** Whether two answers keep contradicting each other although the list stands still: `start` does not count its rows. */
async function isStartOdd(deps: WalkDeps, dates: Dates, { starts }: Contradiction): Promise<boolean> {
  const first = await askPage(deps, dates, starts[0]);
  const second = await askPage(deps, dates, starts[1]);
  // What the second one should begin with.
  const rest = first.keys.slice(starts[1] - starts[0]);
  const shared = new Set(first.keys).intersection(new Set(second.keys)).size;
  const isNext = first.isKeyed
    ? shared === rest.length
    : rest.every((key, index) => second.keys[index] === key);
  if (rest.length > 0 ? isNext : second.received === 0) return false;
  const again = await askPage(deps, dates, starts[0]);
  return new Set(first.keys).symmetricDifference(new Set(again.keys)).size === 0;
}

/** The whole list seems to hold one order, or none: the same must come once more, with dates, and nothing beyond it. */
async function confirmSingle(deps: PagingDeps, list: Matching): Promise<Matching> {
  const rules = { maxPages: 1, mayBeSingle: true };
  const dated = await readMatching(deps, closeDates(deps, {}), rules);
  if (dated.rows.length > list.rows.length) {
    deps.book.profile = { ...deps.book.profile, isUndatedPartial: true };
    return { ...list, verdict: 'cut' };
  }
  const isAnswered = dated.rows.length === list.rows.length;
  const again = isAnswered ? dated : await readMatching(deps, UNDATED, rules);
  const isSame = again.rows.length === 1 && again.rows[0]?.orderId === list.rows[0]?.orderId;
  if (again.verdict === 'complete' && isSame) return { ...list, verdict: 'complete' };
  // Nothing can be read into an element that is no order, however often it comes.
  const isNone = again.verdict === 'few' || list.malformed.length > 0;
  return isNone ? list : { ...list, verdict: 'shifted' };
}

/** A part that begins within a day is extended to the whole day where a look below it is enough. */
async function wholeDays(
  deps: WalkDeps,
  asked: Asked,
  part: Window,
  dates: Dates,
  list: Matching,
): Promise<WindowReading> {
  const { window, lowest } = asked;
  const isPartOfDay = !part.from.equals(window.from) && !part.from.equals(nextMidnight(part.from));
  const below = isPartOfDay ? await confirmBelow(deps, asked, part, list.rows) : undefined;
  if (below === undefined) return toWhole(deps, part, lowest, dates, list);
  const rows = [...new Map([...below, ...list.rows].map((row) => [row.orderId, row])).values()];
  return toWhole(deps, window, lowest, UNDATED, { ...list, rows });
}
