import { minutesBetween, type Window } from '../../model/window.ts';
import type { OrdersQuery } from '../endpoints/list-orders.ts';
import { askPage } from './ask-page.ts';
import { PageFault, type PagingDeps, unlessFault } from './request-page.ts';
import { type Dates, FARTHEST } from './asked-dates.ts';
import type { FaultSpan } from './faults.ts';
import { readList } from './read-list.ts';

/** Hardly any shop of the platform holds orders that are older. */
const NOTHING_BEFORE = Temporal.PlainDateTime.from('2000-01-01T00:00');

/**
 * Finds the minute at which the shop fails, or at which it lists an order twice, by halving the dates that this happened at.
 *
 * @returns undefined where it happens at no single minute
 */
export async function isolateFault(deps: PagingDeps, fault: PageFault): Promise<FaultSpan | undefined> {
  const { dateFrom = FARTHEST.from, dateTo = FARTHEST.to, start = 0, limit = 0 } = fault.query;
  const failsAtDates = async (dates: Dates) => failsAt(deps, dates, start + limit);
  let span = { from: wholeMinute(dateFrom), to: wholeMinute(dateTo).add({ minutes: 1 }) };
  for (let minutes; (minutes = minutesBetween(span.from, span.to)) > 1;) {
    const middle = span.from.add({ minutes: Math.floor(minutes / 2) });
    const newer = { from: middle, to: span.to };
    span = (await failsAtDates(widened(newer))) ? newer : { from: span.from, to: middle };
  }
  const reason = fault.answered && fault.message;
  if (await failsAtDates({ from: span.from, to: span.to.subtract({ seconds: 1 }) }))
    return { ...span, reason };
  // A filter may leave its ends out, or count by them.
  if (!(await failsAtDates(widened(span)))) return undefined;
  const minute = { minutes: 1 };
  return { from: span.from.subtract(minute), to: span.to.add(minute), reason };
}

/** Minutes between the dates of a request; of open ones, more than any. */
export function measureDates({ dateFrom, dateTo }: OrdersQuery, now: Temporal.Instant): number {
  if (dateFrom === undefined) return Number.POSITIVE_INFINITY;
  return Math.floor(minutesBetween(dateFrom, dateTo ?? now.toZonedDateTimeISO('UTC').toPlainDateTime()));
}

/** Whether the shop fails at a span of this length even where no order lies. */
export async function isOfLength(deps: PagingDeps, minutes: number): Promise<boolean> {
  const isOpen = minutes > minutesBetween(FARTHEST.from, NOTHING_BEFORE);
  const dates = { from: isOpen ? undefined : NOTHING_BEFORE.subtract({ minutes }), to: NOTHING_BEFORE };
  return (await unlessFault(askPage(deps, dates, 0))) instanceof PageFault;
}

const wholeMinute = (time: Temporal.PlainDateTime) =>
  time.round({ smallestUnit: 'minute', roundingMode: 'floor' });

const widened = ({ from, to }: Window): Dates => ({ from: from.subtract({ seconds: 1 }), to });

/** @param end what the shop failed at comes no later in a part of a list than in the whole */
async function failsAt(deps: PagingDeps, dates: Dates, end: number): Promise<boolean> {
  const { verdict } = await readList(
    async (start) => askPage(deps, dates, start),
    { profile: deps.book.profile, maxPages: Number.POSITIVE_INFINITY },
    (_page, { start }) => start + 1 >= end,
  );
  return verdict === 'twice' || verdict === 'faulty';
}
