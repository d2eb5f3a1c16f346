/** What a sweep is going to do, and what it did, for people. */
import { clock, counted, grouped } from '../../model/amount-text.ts';
import { nextStep } from '../../model/next-step.ts';
import { paceText } from '../../sync/report/shown-figures.ts';
import type { SweepEstimate } from '../../sync/sweep/sweep-request.ts';
import type { SweepResult } from '../../sync/sweep/sweep-shop.ts';
import { describeLoad } from './describe-load.ts';

/** @param maxRps most requests per second, by the settings */
export function estimateText(shop: string, estimate: SweepEstimate, maxRps: number): string {
  const { orders, listed } = estimate;
  const known = listed > orders ? `, ${grouped(listed - orders)} to compare` : '';
  return (
    `Shop ${shop}: ${grouped(orders)} orders to load by the shop's own count${known}: ${describeLoad(estimate)}, ` +
    `at up to ${maxRps} requests a second. Ctrl-C is safe: the next run continues.\n`
  );
}

export function resultText(result: SweepResult): string {
  const { shop, orders_without_lines: withoutLines, orders_with_doubtful_lines: doubtful } = result;
  const { requests, list_requests: lists, content_requests: contents, user_requests: users } = result;
  const done = isNothing(result)
    ? [`Shop ${shop}: nothing was due.`]
    : [
        `Shop ${shop}: ${grouped(result.days_verified)} of ${grouped(result.days_due)} due days verified ` +
          `(history ${result.from} to ${result.to}) in ${clock(result.seconds * 1000)}.`,
        `Orders: ${grouped(result.orders_seen)} seen, ${grouped(result.orders_new)} new, ` +
          `${grouped(result.orders_changed)} changed, ${grouped(result.orders_missing)} newly missing.`,
        `Requests: ${grouped(requests)} (${grouped(lists)} lists, ${grouped(contents)} contents, ` +
          `${grouped(users)} users, ${grouped(requests - lists - contents - users)} groups), ` +
          `${grouped(result.retries)} retries.`,
        `Pace: ${paceText(result.throttle)}.`,
      ];
  const contradicting =
    doubtful > 0 ? `, ${grouped(doubtful)} of them with lines that contradict their count or sum` : '';
  if (withoutLines > result.orders_with_failed_lines) {
    const orders = `${counted(withoutLines, 'order')}${contradicting}`;
    done.push(`Without lines: ${orders}; they are retried at growing intervals.`);
  }
  const warnings = result.warnings.map((sentence) => `Warning: ${sentence}.`);
  return `${[...done, ...warnings, ...partialText(result)].join('\n')}\n`;
}

/** Of orders that were named. */
export function namedText(result: SweepResult): string {
  const { shop, orders_seen, orders_changed, orders_new } = result;
  const done = `Shop ${shop}: ${counted(orders_seen, 'order')} read again with ${orders_seen === 1 ? 'its' : 'their'} lines, ${grouped(orders_changed + orders_new)} changed.`;
  const unread = result.warnings.map((sentence) => `Not read: ${sentence}.`);
  return `${[done, ...unread, ...partialText(result)].join('\n')}\n`;
}

/** Figures of nothing tell nobody anything. */
function isNothing({
  days_due,
  orders_seen,
  orders_new,
  orders_changed,
  orders_missing,
}: SweepResult): boolean {
  return days_due + orders_seen + orders_new + orders_changed + orders_missing === 0;
}

function partialText(result: SweepResult): readonly string[] {
  const { shop, status, days_verified: verified, problems, new_rejections: newRejections } = result;
  if (status === 'ok') return [];
  const lines = ['Partial:'];
  const open = result.days_due - verified;
  if (open > 0) {
    const days = open === 1 ? '1 day is' : `${grouped(open)} days are`;
    const before = result.is_beginning_due ? ', and so is everything before' : '';
    const next = verified === 0 ? 'tries them again' : 'continues with them';
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
