/** What a sweep is going to do, and what it did, for people. */
import { clock, counted, grouped } from '../../model/amount-text.ts';
import { nextStep } from '../../model/next-step.ts';
import { paceText } from '../../sync/report/shown-figures.ts';
import { currentThrottle, throttleColumns, throttleJson } from '../../sync/run/throttle-state.ts';
import type { SweepEstimate } from '../../sync/sweep/sweep-request.ts';
import type { SweepResult } from '../../sync/sweep/sweep-shop.ts';
import { describeLoad } from './describe-load.ts';

export function estimateText(
  shop: string,
  estimate: SweepEstimate,
  { maxRps }: Pick<SweepResult['health'], 'maxRps'>,
): string {
  const { orders, listed } = estimate;
  const known = listed > orders ? `, ${grouped(listed - orders)} to compare` : '';
  return (
    `Shop ${shop}: ${grouped(orders)} orders to load by the shop's own count${known}: ${describeLoad(estimate)}, ` +
    `at up to ${maxRps} requests a second. Ctrl-C is safe: the next run continues.\n`
  );
}

export function resultText(shop: string, result: SweepResult, elapsedMs: number): string {
  const { counts, daysDue, range, health, ordersWithoutLines, lineFailures } = result;
  const done = isNothing(result)
    ? [`Shop ${shop}: nothing was due.`]
    : [
        `Shop ${shop}: ${grouped(counts.days_verified)} of ${grouped(daysDue)} due days verified ` +
          `(history ${range.from.toString()} to ${range.to.toString()}) in ${clock(elapsedMs)}.`,
        `Orders: ${grouped(counts.orders_seen)} seen, ${grouped(counts.orders_new)} new, ` +
          `${grouped(counts.orders_changed)} changed, ${grouped(counts.orders_missing)} newly missing.`,
        `Requests: ${grouped(counts.requests)} (${grouped(counts.list_requests)} lists, ` +
          `${grouped(counts.content_requests)} contents, ${grouped(counts.user_requests)} users, ` +
          `${grouped(counts.requests - counts.list_requests - counts.content_requests - counts.user_requests)} groups), ` +
          `${grouped(counts.retries)} retries.`,
        `Pace: ${paceText(throttleColumns(currentThrottle(health)))}.`,
      ];
  const doubtful = result.ordersWithDoubtfulLines;
  const contradicting =
    doubtful > 0 ? `, ${grouped(doubtful)} of them with lines that contradict their count or sum` : '';
  if (ordersWithoutLines > lineFailures) {
    const orders = `${counted(ordersWithoutLines, 'order')}${contradicting}`;
    done.push(`Without lines: ${orders}; they are retried at growing intervals.`);
  }
  const warnings = result.warnings.map((sentence) => `Warning: ${sentence}.`);
  return `${[...done, ...warnings, ...partialText(shop, result)].join('\n')}\n`;
}

/** The same for machines: a line of `--json`. @param estimate what a backfill was expected to cost */
export function resultJson(
  shop: string,
  result: SweepResult,
  elapsedMs: number,
  estimate: SweepEstimate | undefined,
) {
  const { status, counts, daysDue, problems, range, health, ordersWithoutLines, warnings } = result;
  const { orders = 0, requests = 0, seconds = 0, bytes = 0 } = estimate ?? {};
  return {
    shop,
    status,
    error: null,
    from: range.from.toString(),
    to: range.to.toString(),
    days_due: daysDue,
    ...counts,
    new_rejections: result.newRejections,
    orders_without_lines: ordersWithoutLines,
    orders_with_doubtful_lines: result.ordersWithDoubtfulLines,
    seconds: Math.round(elapsedMs / 100) / 10,
    estimate: estimate === undefined ? null : { orders, requests, seconds, bytes },
    throttle: throttleJson(currentThrottle(health), health.pausedUntil),
    problems,
    warnings,
  };
}

/** Of orders that were named. */
export function namedText(shop: string, result: SweepResult): string {
  const { orders_seen, orders_changed, orders_new } = result.counts;
  const done = `Shop ${shop}: ${counted(orders_seen, 'order')} read again with ${orders_seen === 1 ? 'its' : 'their'} lines, ${grouped(orders_changed + orders_new)} changed.`;
  const unread = result.warnings.map((sentence) => `Not read: ${sentence}.`);
  return `${[done, ...unread, ...partialText(shop, result)].join('\n')}\n`;
}

/** Figures of nothing tell nobody anything. */
function isNothing({ daysDue, counts }: SweepResult): boolean {
  return (
    daysDue + counts.orders_seen + counts.orders_new + counts.orders_changed + counts.orders_missing === 0
  );
}

function partialText(shop: string, result: SweepResult): readonly string[] {
  const { status, counts, daysDue, problems, newRejections } = result;
  if (status === 'ok') return [];
  const lines = ['Partial:'];
  const open = daysDue - counts.days_verified;
  if (open > 0) {
    const days = open === 1 ? '1 day is' : `${grouped(open)} days are`;
    const before = result.isBeginningDue ? ', and so is everything before' : '';
    const next = counts.days_verified === 0 ? 'tries them again' : 'continues with them';
    lines.push(`  - ${days} still due${before}; the next run ${next}.`);
  }
  if (newRejections > 0) {
    const listed = `${nextStep('list rejections', { shop })} lists them`;
    lines.push(
      `  - ${counted(newRejections, 'new rejection')}; ${listed}. The rest of the records is loaded.`,
    );
  }
  return [...lines, ...problems.slice(0, 5).map((sentence) => `  - ${sentence}.`)];
}
