import { paceText } from '../../../sync/report/pace-text.ts';
import { nextStep } from '../../../next-step.ts';
import { clock, counted, grouped } from '../../../amount-text.ts';
import type { Config } from '../../../config/load-config.ts';
import { ShopPausedError } from '../../../errors.ts';
import { sentence } from '../../../sync/report/problem.ts';
import { type SweepResult, sweepShop } from '../../../sync/sweep/sweep-shop.ts';
import type { SweepEstimate, SweepRequest } from '../../../sync/sweep/sweep-request.ts';
import { currentThrottle, throttleColumns, throttleJson } from '../../../sync/run/throttle-state.ts';
import { tellAlerts } from '../../../worker/alerts/tell-alerts.ts';
import { createWebhook } from '../../../worker/alerts/webhook.ts';
import { dayRangeOption } from './day-option.ts';
import { describeLoad } from '../../output/describe-load.ts';
import { type CliContext, EXIT, type ExitCode, note, printResult } from '../../output/io.ts';
import { forEachShop, type OpenShop } from '../../each-shop.ts';
import { createLogger, readOneShop, readShopsConfig } from '../../open.ts';
import { toOrderId } from './order-option.ts';
import { CLEAR_LINE, progressLine, showProgress } from '../../output/progress.ts';
import { wrapLines } from '../../output/display-text.ts';

export type SyncOptions = { readonly shop?: string; readonly order?: readonly string[] };
export type BackfillOptions = {
  readonly shop?: string;
  readonly from?: string;
  readonly to?: string;
  readonly force?: boolean;
  readonly acceptMissing?: boolean;
};

/** `sync`: one sweep of what is due, within the time budget. */
export async function syncCommand(context: CliContext, { shop, order }: SyncOptions): Promise<ExitCode> {
  const config = readShopsConfig(context, shop);
  if (order !== undefined) {
    // An order is one shop's.
    readOneShop(context, shop);
    return sweepEachShop(context, config, { kind: 'sync', orders: [...new Set(order.map(toOrderId))] });
  }
  const request = { kind: 'sync', followsSweeps: true, budgetMs: config.syncBudgetMs } as const;
  return sweepEachShop(context, config, request);
}

/** `backfill`: a range of days without a time budget. */
export async function backfillCommand(context: CliContext, options: BackfillOptions): Promise<ExitCode> {
  const { force = false, acceptMissing = false } = options;
  const request = {
    kind: 'backfill',
    followsSweeps: true,
    ...dayRangeOption(options),
    force,
    acceptMissing,
  } as const;
  const config = readShopsConfig(context, options.shop);
  return sweepEachShop(context, config, request);
}

/** Without a worker, what there is to tell is told when the sweeps are over. */
async function sweepEachShop(context: CliContext, config: Config, request: SweepRequest): Promise<ExitCode> {
  const sweep = (opened: OpenShop) => skipPaused(context, request, () => runSweep(context, request, opened));
  return forEachShop(context, config, sweep, async ({ db }) => {
    const { alertFormat: format, alertWebhookUrl: url } = config;
    const { signal } = context;
    if (url === undefined || signal.aborted) return;
    const ports = { db, logger: createLogger(context, config), now: () => Temporal.Now.instant() };
    await tellAlerts({ ...ports, webhook: createWebhook({ url, format }), stopping: signal, signal });
  });
}

/** A `sync` by cron leaves a paused shop alone, and that is no failure; what was named is not read, which is one. */
async function skipPaused(
  context: CliContext,
  { kind, orders }: SweepRequest,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ShopPausedError) || kind !== 'sync' || orders !== undefined) throw error;
    printResult(context, [], `${sentence(error.message)}\n`);
    return EXIT.done;
  }
}

async function runSweep(context: CliContext, request: SweepRequest, { run }: OpenShop): Promise<ExitCode> {
  const { shop, logger } = run;
  const began = performance.now();
  let estimate: SweepEstimate | undefined;
  const onEstimate = (made: SweepEstimate) => {
    estimate = made;
    const { isTerminal, columns } = context.io;
    const text = estimateText(shop.shopKey, made, run.api.health);
    // On a line of its own, whatever the progress has drawn.
    note(context, isTerminal ? `${CLEAR_LINE}${wrapLines(text, columns() - 1)}` : text);
  };
  let result: SweepResult;
  {
    using view = showProgress(context, logger, shop.shopKey, progressLine);
    const wanted = request.kind === 'backfill' ? { ...request, onEstimate } : request;
    result = await sweepShop(run, wanted, (read) => view.watch(read));
  }
  const elapsedMs = performance.now() - began;
  const document = resultJson(shop.shopKey, result, elapsedMs, estimate);
  const text = request.orders ? namedText : resultText;
  printResult(context, [document], text(shop.shopKey, result, elapsedMs));
  const isWhole = result.status === 'ok' && (request.orders === undefined || result.warnings.length === 0);
  return isWhole ? EXIT.done : EXIT.partial;
}

function estimateText(
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

function estimateJson({ orders, requests, seconds, bytes }: SweepEstimate) {
  return { orders, requests, seconds, bytes };
}

function resultJson(
  shop: string,
  result: SweepResult,
  elapsedMs: number,
  estimate: SweepEstimate | undefined,
) {
  const { status, counts, daysDue, problems, range, health, ordersWithoutLines, warnings } = result;
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
    estimate: estimate === undefined ? null : estimateJson(estimate),
    throttle: throttleJson(currentThrottle(health), health.pausedUntil),
    problems,
    warnings,
  };
}

function resultText(shop: string, result: SweepResult, elapsedMs: number): string {
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
  const doubtful =
    result.ordersWithDoubtfulLines > 0
      ? `, ${grouped(result.ordersWithDoubtfulLines)} of them with lines that contradict their count or sum`
      : '';
  const lines = [
    ...done,
    ...(ordersWithoutLines > lineFailures
      ? [
          `Without lines: ${counted(ordersWithoutLines, 'order')}${doubtful}; they are retried at growing intervals.`,
        ]
      : []),
  ];
  const warnings = result.warnings.map((sentence) => `Warning: ${sentence}.`);
  return `${[...lines, ...warnings, ...partialText(shop, result)].join('\n')}\n`;
}

/** Of orders that were named. */
function namedText(shop: string, result: SweepResult): string {
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
  const open = daysDue - counts.days_verified;
  const days = open === 1 ? '1 day is' : `${grouped(open)} days are`;
  const before = result.isBeginningDue ? ', and so is everything before' : '';
  return [
    'Partial:',
    ...(open > 0
      ? [
          `  - ${days} still due${before}; the next run ${counts.days_verified === 0 ? 'tries' : 'continues with'} them${counts.days_verified === 0 ? ' again' : ''}.`,
        ]
      : []),
    ...(newRejections > 0
      ? [
          `  - ${counted(newRejections, 'new rejection')}; ${nextStep('list rejections', { shop })} lists them. The rest of the records is loaded.`,
        ]
      : []),
    ...problems.slice(0, 5).map((sentence) => `  - ${sentence}.`),
  ];
}
