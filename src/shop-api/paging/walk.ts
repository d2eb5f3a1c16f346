import { TransientError } from '../../model/errors.ts';
import { isOpenBelow, nextMidnight, type Window, windowText } from '../../model/window.ts';
import type { ListRow } from '../endpoints/list-orders.ts';
import { type Asked, type Dates, datesFor, FARTHEST } from './asked-dates.ts';
import { confirmBelow } from './confirm-below.ts';
import { readToEnds } from './confirm-ends.ts';
import { FilterFault } from './date-filter.ts';
import { addRows, isBeyond, NO_ENDS, placeRows, type Side } from './list-ends.ts';
import { closeDates } from './look-beyond.ts';
import { type Matching, readMatching } from './read-list.ts';
import { PageFault, type PagingDeps, toQuery, unlessFault, type WalkDeps } from './request-page.ts';
import {
  afterList,
  type Bounded,
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
 * Reads a window with the proof that it was read whole, by the answers to these very requests.
 *
 * @throws FilterFault where dates do not select by the time of creation
 */
export async function readWindow(deps: WalkDeps, asked: Asked): Promise<Read> {
  const { dateFilter } = deps.book;
  if (dateFilter === 'updated' || dateFilter === 'ignored') throw new FilterFault(dateFilter);
  try {
    return await readDated(deps, asked);
  } catch (error) {
    if (!(error instanceof FilterFault) || error.filter !== 'unclear') throw error;
    const reason = `${windowText(asked.window)} cannot be proven complete: ${error.message}`;
    return toUnproven(asked.window, reason);
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

/** Reads the list of some dates, with what else it takes to know that it is whole. */
async function readProven(deps: WalkDeps, asked: Asked, dates: Dates, at: Progress): Promise<Matching> {
  const list = await readToEnds(deps, dates, maxPages(asked, dates, at.reach));
  const isUndated = dates.from === undefined && dates.to === undefined;
  return list.verdict === 'few' && isUndated ? confirmSingle(deps, list) : list;
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
