import { TransientError } from '../../errors.ts';
import { nextMidnight, type Window } from '../../window.ts';
import type { ListRow } from '../endpoints/list-orders.ts';
import { PageFault, type PagingDeps, toQuery, unlessFault, type WalkDeps } from './ask-page.ts';
import { type Asked, type Dates, datesFor } from './asked-dates.ts';
import { confirmBelow, readToEnds } from './confirm-ends.ts';
import { isProvenByHalves } from './prove-by-halves.ts';
import { type Matching, readMatching } from './read-list.ts';
import {
  afterList,
  type Bounded,
  maxPages,
  START,
  toUnreached,
  toWhole,
  type WindowReading,
} from './window-reading.ts';

/** A request of the window fails; and the rows that came for nearer dates, if any were asked for. */
export type Faulty = {
  readonly kind: 'faulty';
  readonly fault: PageFault;
  readonly rows: readonly ListRow[] | undefined;
};

const UNDATED: Dates = { from: undefined, to: undefined };

/**
 * Reads a window with the proof that it was read whole, by the answers to these very requests.
 *
 * @throws TerminalError when the server does not filter by the date of creation
 */
export async function readWindow(deps: WalkDeps, asked: Asked): Promise<WindowReading | Bounded | Faulty> {
  for (let at = START; ;) {
    const dates = await datesFor(asked, deps.known, at.reach);
    // The bounds of what may be asked for leave no more.
    const isAsFar =
      String(dates.from) === String(at.tried?.from) && String(dates.to) === String(at.tried?.to);
    if (asked.bounds && at.tried && isAsFar) return toUnreached(deps, asked, at.rows ?? []);
    const list = await unlessFault(readProven(deps, dates, maxPages(asked)));
    if (list instanceof PageFault) return { kind: 'faulty', fault: list, rows: at.rows };
    const step = afterList(deps, asked, at, dates, list);
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

/** Reads the list of some dates, with what else it takes to know that it is whole. */
async function readProven(deps: WalkDeps, dates: Dates, most: number): Promise<Matching> {
  const list = await readToEnds(deps, dates, most);
  const isUndated = dates.from === undefined && dates.to === undefined;
  if (list.verdict === 'few' && isUndated) return confirmSingle(deps, list);
  // A shop that ignores `start` shows one page only; it may hold the whole answer all the same.
  if (list.verdict !== 'start ignored' || list.malformed.length > 0) return list;
  if (await isProvenByHalves(deps, dates, list.rows)) return { ...list, verdict: 'complete' };
  // Two rows also come back unchanged when an order was placed before them meanwhile.
  return list.rows.length > 2 ? list : { ...list, verdict: 'shifted' };
}

/** The whole list seems to hold one order, or none: the same one must come again, and nothing beyond it. */
async function confirmSingle(deps: PagingDeps, list: Matching): Promise<Matching> {
  const again = await readMatching(deps, UNDATED, { maxPages: 1, mayBeSingle: true });
  const isSame = again.rows.length === 1 && again.rows[0]?.orderId === list.rows[0]?.orderId;
  if (again.verdict === 'complete' && isSame) return { ...list, verdict: 'complete' };
  return again.verdict === 'few' ? list : { ...list, verdict: 'shifted' };
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
  const rows = [...new Map([...below.rows, ...list.rows].map((row) => [row.orderId, row])).values()];
  const reading = toWhole(deps, window, lowest, { from: below.from, to: dates.to }, { ...list, rows });
  return { ...reading, isUndated: false };
}
