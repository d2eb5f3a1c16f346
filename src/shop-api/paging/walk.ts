import { nextMidnight, type Window, windowText } from '../../window.ts';
import type { ListRow } from '../endpoints/list-orders.ts';
import { type Asked, datesFor, farther, nearer, NEAREST, type Reach } from './asked-dates.ts';
import { provenPart, provenSpan } from './conclude.ts';
import { confirmBelow } from './confirm-below.ts';
import { confirmEnds } from './confirm-ends.ts';
import type { Dates } from './dates.ts';
import type { MatchingRows, Matching } from './matching.ts';
import { PageFault } from './page-fault.ts';
import type { WalkDeps } from './paging-deps.ts';
import { isProvenByHalves } from './prove-by-halves.ts';
import { readMatching } from './read-matching.ts';
import { readSingleOrder } from './read-single-order.ts';
import {
  isSplittable,
  maxPages,
  toCut,
  toNoOrders,
  toUnreached,
  toWhole,
  type WindowReading,
} from './window-reading.ts';

const MAX_WALKS = 5;
/** Several pages are better split than read again and again. */
const MAX_LONG_WALKS = 2;
/**
 * Reads a window with the proof that it was read whole, by the answers to these very requests.
 *
 * @throws TerminalError when the server does not filter by the date of creation
 */
export async function readWindow(deps: WalkDeps, asked: Asked): Promise<WindowReading> {
  const came: { rows?: readonly ListRow[] } = {};
  try {
    return await walkWindow(deps, asked, came);
  } catch (error) {
    if (error instanceof PageFault) error.rows = came.rows;
    throw error;
  }
}

/** @param came filled with the rows of each answer */
async function walkWindow(
  deps: WalkDeps,
  asked: Asked,
  came: { rows?: readonly ListRow[] },
): Promise<WindowReading> {
  const { window } = asked;
  let reach: Reach = NEAREST;
  let isEmptyAgain = false;
  for (let walks = 1; walks <= MAX_WALKS;) {
    const dates = await datesFor(asked, deps.known, reach);
    const answer = await confirmed(deps, dates, await readMatching(deps, dates, maxPages(asked)));
    if (answer.kind === 'moved') {
      // Fewer pages may stand still; an order that is always listed twice blocks only its own minute.
      const isBetterSplit = answer.pages > 1 || answer.hasDuplicates === true;
      if (walks >= MAX_LONG_WALKS && isBetterSplit && isSplittable(asked)) {
        return {
          kind: 'cut',
          sample: [],
          total: undefined,
          duplicates: answer.hasDuplicates === true ? dates : undefined,
        };
      }
      walks++;
      continue;
    }
    if (answer.kind === 'cut') {
      const next = nearer(dates, window, reach);
      if (next === undefined) return toCut(deps, asked, answer);
      reach = next;
      continue;
    }
    if (answer.kind === 'few' && dates.from === undefined && dates.to === undefined) {
      const few = await readSingleOrder(deps, asked, answer);
      if (few !== 'moved') return few;
      walks++;
      continue;
    }
    came.rows = answer.rows;
    const created = answer.rows.flatMap((row) => deps.readCreated(row) ?? []);
    const part = provenPart(window, answer.kind === 'few' ? undefined : provenSpan(dates, created));
    if ('from' in part) return wholeDays(deps, asked, part, dates, answer);
    if (dates.from === undefined && dates.to === undefined) return toNoOrders(window, true);
    // An empty answer may be a passing fault.
    isEmptyAgain = answer.rows.length === 0 && !isEmptyAgain;
    if (isEmptyAgain) continue;
    const next = farther(reach, reachable(part, dates));
    if (next === undefined || (await isAsFar(deps, asked, next, dates))) {
      return toUnreached(asked, created, answer.rows);
    }
    reach = next;
  }
  return {
    kind: 'unproven',
    reason: `the orders of ${windowText(window)} shifted during each of ${MAX_WALKS} walks`,
  };
}

/** A part that begins within a day is extended to the whole day where a look below it is enough. */
async function wholeDays(
  deps: WalkDeps,
  asked: Asked,
  part: Window,
  dates: Dates,
  answer: MatchingRows,
): Promise<WindowReading> {
  const { window, lowest } = asked;
  const isPartOfDay = !part.from.equals(window.from) && !part.from.equals(nextMidnight(part.from));
  const below = isPartOfDay ? await confirmBelow(deps, asked, part, answer.rows) : undefined;
  if (below === undefined) return toWhole(deps, part, lowest, dates, answer);
  const rows = [...new Map([...below.rows, ...answer.rows].map((row) => [row.orderId, row])).values()];
  const reading = toWhole(deps, window, lowest, { from: below.from, to: dates.to }, { ...answer, rows });
  return { ...reading, isUndated: false };
}

/** Whether the bounds of what may be asked leave no more to be asked for. */
async function isAsFar(deps: WalkDeps, asked: Asked, reach: Reach, { from, to }: Dates): Promise<boolean> {
  if (asked.bounds === undefined) return false;
  const next = await datesFor(asked, deps.known, reach);
  return String(next.from) === String(from) && String(next.to) === String(to);
}

/** An end that is open already cannot be asked beyond. */
function reachable(part: { readonly below: boolean; readonly above: boolean }, { from, to }: Dates) {
  const sides = { below: part.below && from !== undefined, above: part.above && to !== undefined };
  return sides.below || sides.above ? sides : { below: from !== undefined, above: to !== undefined };
}

/** A shop that ignores `start` shows one page only; it may hold the whole answer all the same. */
async function confirmed(deps: WalkDeps, dates: Dates, answer: Matching): Promise<Matching> {
  if (answer.kind === 'complete') return confirmEnds(deps, dates, answer);
  if (answer.kind !== 'cut' || !answer.isStartIgnored || answer.malformed.length > 0) return answer;
  if (await isProvenByHalves(deps, dates, answer.rows)) return { ...answer, kind: 'complete', pages: 1 };
  // Two rows also come back unchanged when an order was placed before them meanwhile.
  return answer.rows.length > 2 ? answer : { kind: 'moved', pages: 1 };
}
