import { minutesBetween, type Window } from '../../window.ts';
import type { ListRow } from '../endpoints/list-orders.ts';
import { askPage } from './ask-page.ts';
import { type Dates, FARTHEST } from './dates.ts';
import type { PagingDeps } from './paging-deps.ts';
import type { FaultSpan } from './faults.ts';
import { type PageFault, unlessFault } from './page-fault.ts';
import { hasDuplicates } from './page-overlap.ts';

/** Hardly any shop of the platform holds orders that are older. */
const NOTHING_BEFORE = Temporal.PlainDateTime.from('2000-01-01T00:00');

/**
 * Finds the minute at which the shop fails, or at which it lists an order twice, by halving the dates that this happened at.
 *
 * @returns undefined where it happens at no single minute
 */
export async function isolateFault(deps: PagingDeps, fault: PageFault): Promise<FaultSpan | undefined> {
  const { from = FARTHEST.from, to = FARTHEST.to } = fault.dates;
  let span = { from: wholeMinute(from), to: wholeMinute(to).add({ minutes: 1 }) };
  for (;;) {
    const minutes = minutesBetween(span.from, span.to);
    if (minutes <= 1) break;
    const middle = span.from.add({ minutes: Math.floor(minutes / 2) });
    const newer = { from: middle, to: span.to };
    const isNewer = (await failureAt(deps, widened(newer), fault.end)) !== undefined;
    span = isNewer ? newer : { from: span.from, to: middle };
  }
  const reason = fault.answered && fault.message;
  const inside = { from: span.from, to: span.to.subtract({ seconds: 1 }) };
  const rows = await failureAt(deps, inside, fault.end);
  if (rows !== undefined) return { ...span, reason, rows };
  // A filter may leave its ends out, or count by them.
  const around = await failureAt(deps, widened(span), fault.end);
  if (around === undefined) return undefined;
  const minute = { minutes: 1 };
  return { from: span.from.subtract(minute), to: span.to.add(minute), reason, rows: around };
}

/** Length of the dates of a request; of open ones, more than any. */
export function measureDates({ dates: { from, to } }: PageFault, now: Temporal.Instant): number {
  if (from === undefined) return Number.POSITIVE_INFINITY;
  return Math.floor(minutesBetween(from, to ?? now.toZonedDateTimeISO('UTC').toPlainDateTime()));
}

/** Whether the shop fails at a span of this length even where no order lies. */
export async function isOfLength(deps: PagingDeps, minutes: number): Promise<boolean> {
  const isOpen = minutes > minutesBetween(FARTHEST.from, NOTHING_BEFORE);
  const dates = { from: isOpen ? undefined : NOTHING_BEFORE.subtract({ minutes }), to: NOTHING_BEFORE };
  return (await unlessFault(askPage(deps, dates, 0))) === 'fault';
}

const wholeMinute = (time: Temporal.PlainDateTime) =>
  time.round({ smallestUnit: 'minute', roundingMode: 'floor' });

const widened = ({ from, to }: Window): Dates => ({ from: from.subtract({ seconds: 1 }), to });

/**
 * The rows that came all the same, where the shop fails at these dates, and undefined where it does not. What it failed at
 * comes no later in a part of a list than in the whole.
 */
async function failureAt(
  deps: PagingDeps,
  dates: Dates,
  end: number,
): Promise<readonly ListRow[] | undefined> {
  const seen = new Set<string>();
  for (let start = 0; start < end;) {
    const page = await unlessFault(askPage(deps, dates, start));
    if (page === 'fault') return [];
    if (page === 'unfiltered') continue;
    if (hasDuplicates(page)) return page.rows;
    // Nothing follows, or the shop repeats itself wherever it is asked to start.
    if (page.keys.every((key) => seen.has(key))) return undefined;
    for (const key of page.keys) seen.add(key);
    start += page.received;
  }
  return undefined;
}
