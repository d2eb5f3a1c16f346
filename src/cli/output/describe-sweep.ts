/** What a sweep or a replay is going to do, and what it did, for people. */
import { clock, counted, grouped, roughDuration } from '../../model/amount-text.ts';
import { missingText } from '../../model/missing-orders.ts';
import { nextStep } from '../../model/next-step.ts';
import type { LoadEstimate } from '../../plan/load/load-cost.ts';
import type { ReplayResult } from '../../sync/replay/replay-shop.ts';
import { paceText } from '../../sync/report/shown-figures.ts';
import type { SweepEstimate } from '../../sync/run/context.ts';
import type { SweepResult } from '../../sync/sweep/sweep-shop.ts';

type Lines = readonly string[];

/**
 * What a load takes: `about 27 min, 53 MB in the database and 16,000 requests, besides one for each user group`. More digits
 * would promise what nobody knows, and how many groups there are is not known before all of them are read.
 */
export function loadText({ seconds, requests, bytes }: LoadEstimate): string {
  const size = bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
  const roughly = grouped(Number(requests.toPrecision(2)));
  return `about ${roughDuration(seconds)}, ${size} in the database and ${roughly} requests, besides one for each user group`;
}

/** @param maxRps most requests per second, by the settings */
export function estimateText(shop: string, estimate: SweepEstimate, maxRps: number): string {
  const { orders, listed } = estimate;
  const known = listed > orders ? `, ${grouped(listed - orders)} to compare` : '';
  return (
    `Shop ${shop}: ${grouped(orders)} orders to load by the shop's own count${known}: ${loadText(estimate)}, ` +
    `at up to ${maxRps} requests a second. Ctrl-C is safe: the next run continues.`
  );
}

export function sweepText(result: SweepResult): Lines {
  const { shop, orders_without_lines: withoutLines, orders_with_doubtful_lines: doubtful } = result;
  const { requests, list_requests: lists, content_requests: contents, user_requests: users } = result;
  const done = isNothing(result)
    ? [`Shop ${shop}: nothing was due.`]
    : [
        `Shop ${shop}: ${grouped(result.days_verified)} of ${grouped(result.days_due)} due days verified ` +
          `(history ${result.from} to ${result.to}) in ${clock(result.seconds * 1000)}.`,
        `Orders: ${grouped(result.orders_seen)} seen, ${grouped(result.orders_new)} new, ` +
          `${grouped(result.orders_changed)} changed, ${grouped(result.orders_missing)} newly missing, ` +
          `${grouped(result.orders_deleted)} confirmed as deleted.`,
        `Requests: ${grouped(requests)} (${grouped(lists)} lists, ${grouped(contents)} contents, ` +
          `${grouped(users)} users, ${grouped(requests - lists - contents - users)} groups), ` +
          `${grouped(result.retries)} retries.`,
        `Pace: ${paceText(result.throttle)}.`,
      ];
  const contradicting =
    doubtful > 0 ? `, ${grouped(doubtful)} of them with lines that contradict their count or sum` : '';
  const open =
    withoutLines > result.orders_with_failed_lines
      ? [
          `Without lines: ${counted(withoutLines, 'order')}${contradicting}; they are retried at growing intervals.`,
        ]
      : [];
  const warnings = result.warnings.map((sentence) => `Warning: ${sentence}.`);
  return [...done, ...open, ...unconfirmedText(result), ...warnings, ...partialText(result)];
}

/** What deletions are still to be confirmed: those of earlier sweeps, too. */
function unconfirmedText({ orders_unconfirmed: orders, confirmed_at: at }: SweepResult): Lines {
  if (at === null) return [];
  const missing = missingText({ orders, confirmedAt: Temporal.Instant.from(at) }, Temporal.Now.instant());
  return [`${missing}. Until then ${orders === 1 ? 'its day counts' : 'their days count'} as not verified.`];
}

/** Of orders that were named. */
export function namedText(result: SweepResult): Lines {
  const { shop, orders_seen, orders_changed, orders_new } = result;
  const done = `Shop ${shop}: ${counted(orders_seen, 'order')} read again with ${orders_seen === 1 ? 'its' : 'their'} lines, ${grouped(orders_changed + orders_new)} changed.`;
  const unread = result.warnings.map((sentence) => `Not read: ${sentence}.`);
  return [done, ...unread, ...partialText(result)];
}

/** Without any work, there are no figures to show. */
function isNothing({
  days_due,
  orders_seen,
  orders_new,
  orders_changed,
  orders_missing,
  orders_deleted,
}: SweepResult): boolean {
  return days_due + orders_seen + orders_new + orders_changed + orders_missing + orders_deleted === 0;
}

function partialText(result: SweepResult): Lines {
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

export function replayText(result: ReplayResult): Lines {
  const { shop, records, seconds, resumed_from: from, rejections_open: open } = result;
  const rate = grouped(records / Math.max(seconds, 0.1));
  const resumed = from
    ? [
        `Shop ${shop}: resumed after ${from.stage.slice(0, -1)} ${from.after ?? 'none'}, where an ` +
          `earlier replay had stopped with ${grouped(from.records_done)} records done.`,
      ]
    : [];
  const listed = open > 0 ? `; \`${nextStep('list rejections', { shop })}\` lists them` : '';
  return [
    ...resumed,
    `Shop ${shop}: ${grouped(records)} records normalized again by normalizer ${result.normalizer_version} in ${clock(seconds * 1000)} ` +
      `(${rate} records/s), without any request.`,
    `Orders: ${grouped(result.orders_added)} loaded for the first time, ${grouped(result.orders_changed)} ` +
      `corrected; lines: ${grouped(result.lines_changed)} corrected; users: ${grouped(result.users_changed)}; ` +
      `groups: ${grouped(result.groups_changed)}.`,
    `Rejections: ${grouped(result.rejections_resolved)} resolved, ${grouped(result.rejections_new)} new, ` +
      `${grouped(open)} open${listed}.`,
  ];
}
