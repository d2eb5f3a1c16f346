import { minutesBetween, type Window } from '../../window.ts';
import { askPage, type Dates, FARTHEST, type PagingDeps } from './ask-page.ts';
import type { FaultSpan } from './faults.ts';
import { type PageFault, unlessFault } from './page-fault.ts';

/**
 * Finds the minute at which the shop fails, by halving the dates that it failed at.
 *
 * @returns undefined where it fails at no single minute
 */
export async function isolateFault(deps: PagingDeps, fault: PageFault): Promise<FaultSpan | undefined> {
  const { from = FARTHEST.from, to = FARTHEST.to } = fault.dates;
  let span = { from: wholeMinute(from), to: wholeMinute(to).add({ minutes: 1 }) };
  for (;;) {
    const minutes = minutesBetween(span.from, span.to);
    if (minutes <= 1) break;
    const middle = span.from.add({ minutes: Math.floor(minutes / 2) });
    const newer = { from: middle, to: span.to };
    span = (await isFailing(deps, widened(newer), fault.end)) ? newer : { from: span.from, to: middle };
  }
  const { message: reason } = fault;
  const inside = { from: span.from, to: span.to.subtract({ seconds: 1 }) };
  if (await isFailing(deps, inside, fault.end)) return { ...span, reason };
  // A filter may leave its ends out, or count by them.
  if (!(await isFailing(deps, widened(span), fault.end))) return undefined;
  return { from: span.from.subtract({ minutes: 1 }), to: span.to.add({ minutes: 1 }), reason };
}

const wholeMinute = (time: Temporal.PlainDateTime) =>
  time.round({ smallestUnit: 'minute', roundingMode: 'floor' });

const widened = ({ from, to }: Window): Dates => ({ from: from.subtract({ seconds: 1 }), to });

/** Whether the shop fails at these dates. What it failed at comes no later in a part of a list than in the whole. */
async function isFailing(deps: PagingDeps, dates: Dates, end: number): Promise<boolean> {
  for (let start = 0; start < end;) {
    const page = await unlessFault(askPage(deps, dates, start));
    if (page === 'fault') return true;
    if (page === 'unfiltered') continue;
    if (page.received === 0) return false;
    start += page.received;
  }
  return false;
}
