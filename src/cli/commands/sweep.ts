import type { Config } from '../../config/load-config.ts';
import { type SweepResult, sweepShop } from '../../sync/sweep/sweep-shop.ts';
import type { SweepRequest } from '../../sync/sweep/sweep-request.ts';
import { tellAlerts } from '../../worker/alerts/run-alerts.ts';
import { createWebhook } from '../../worker/alerts/webhook.ts';
import { dayRangeOption } from '../day-option.ts';
import { type CliContext, EXIT, type ExitCode, printResult } from '../output/io.ts';
import { forEachShop, type OpenShop } from '../each-shop.ts';
import { createLogger, readShopsConfig } from '../open.ts';
import { showProgress } from '../output/progress.ts';
import { clock, grouped } from '../output/table.ts';

export type SweepOptions = { readonly shop?: string; readonly json?: boolean };
export type BackfillOptions = SweepOptions & {
  readonly from?: string;
  readonly to?: string;
  readonly force?: boolean;
  readonly acceptMissing?: boolean;
};

/** `sync`: one sweep of what is due, within the time budget. */
export async function syncCommand(context: CliContext, options: SweepOptions): Promise<ExitCode> {
  const config = readShopsConfig(context, options.shop);
  const request = { kind: 'sync', budgetMs: config.syncBudgetMs } as const;
  return sweepEachShop(context, config, options, request);
}

/** `backfill`: a range of days without a time budget. */
export async function backfillCommand(context: CliContext, options: BackfillOptions): Promise<ExitCode> {
  const { force = false, acceptMissing = false } = options;
  const request = { kind: 'backfill', ...dayRangeOption(options), force, acceptMissing } as const;
  const config = readShopsConfig(context, options.shop);
  return sweepEachShop(context, config, options, request);
}

/** Without a worker, what there is to tell is told when the sweeps are over. */
async function sweepEachShop(
  context: CliContext,
  config: Config,
  options: SweepOptions,
  request: SweepRequest,
): Promise<ExitCode> {
  const sweep = (opened: OpenShop) => runSweep(context, options, request, opened);
  return forEachShop(context, config, options, sweep, async ({ db }) => {
    const { alertFormat: format, alertWebhookUrl: url } = config;
    const { signal } = context;
    if (url === undefined || signal.aborted) return;
    const ports = { db, logger: createLogger(context, config), now: () => Temporal.Now.instant() };
    await tellAlerts({ ...ports, webhook: createWebhook({ url, format }), stopping: signal, signal });
  });
}

async function runSweep(
  context: CliContext,
  options: SweepOptions,
  request: SweepRequest,
  { run }: OpenShop,
): Promise<ExitCode> {
  const { shop, logger } = run;
  const began = performance.now();
  let result: SweepResult;
  {
    using view = showProgress(context.io, logger, shop.shopKey);
    result = await sweepShop(run, request, (read) => view.watch(read));
  }
  const text = resultText(shop.shopKey, result, performance.now() - began);
  printResult(context.io, options, resultJson(shop.shopKey, result), text);
  return result.status === 'ok' ? EXIT.done : EXIT.partial;
}

function resultJson(shop: string, result: SweepResult) {
  const { status, counts, daysDue, problems, range, health, ordersWithoutLines, warnings } = result;
  const days = { from: range.from.toString(), to: range.to.toString(), days_due: daysDue };
  const politeness = {
    concurrency: health.concurrency,
    lowest_concurrency: health.lowestConcurrency,
    max_concurrency: health.maxConcurrency,
    max_rps: health.maxRps,
  };
  const lines = { orders_without_lines: ordersWithoutLines };
  return { shop, status, ...days, ...counts, ...lines, ...politeness, shortfalls: problems, warnings };
}

function resultText(shop: string, result: SweepResult, elapsedMs: number): string {
  const { counts, daysDue, range, health, ordersWithoutLines } = result;
  const lines = [
    `Shop ${shop}: ${grouped(counts.days_verified)} of ${grouped(daysDue)} due days verified ` +
      `(history ${range.from.toString()} to ${range.to.toString()}) in ${clock(elapsedMs)}.`,
    `Orders: ${grouped(counts.orders_seen)} seen, ${grouped(counts.orders_new)} new, ` +
      `${grouped(counts.orders_changed)} changed, ${grouped(counts.orders_missing)} newly missing.`,
    `Requests: ${grouped(counts.requests)} (${grouped(counts.list_requests)} lists, ` +
      `${grouped(counts.content_requests)} contents, ${grouped(counts.user_requests)} users, ` +
      `${grouped(counts.requests - counts.list_requests - counts.content_requests - counts.user_requests)} groups), ` +
      `${grouped(counts.retries)} retries.`,
    `Concurrency: ${health.concurrency} of at most ${health.maxConcurrency} requests at the end, ` +
      `${health.lowestConcurrency} at the lowest; at most ${health.maxRps} per second.`,
    ...(ordersWithoutLines > 0
      ? [`Without lines: ${grouped(ordersWithoutLines)} orders; they are retried at growing intervals.`]
      : []),
  ];
  const warnings = result.warnings.map((sentence) => `Warning: ${sentence}.`);
  return `${[...lines, ...warnings, ...partialText(result)].join('\n')}\n`;
}

function partialText(result: SweepResult): readonly string[] {
  const { status, counts, daysDue, problems, newRejections } = result;
  if (status === 'ok') return [];
  const open = daysDue - counts.days_verified;
  const days = open === 1 ? '1 day is' : `${grouped(open)} days are`;
  const before = result.isBeginningDue ? ', and so is everything before' : '';
  return [
    'Partial:',
    ...(open > 0 ? [`  - ${days} still due${before}; the next run continues with them.`] : []),
    ...(newRejections > 0
      ? [
          `  - ${grouped(newRejections)} new rejections; order-sync rejections lists them. The rest of the records is loaded.`,
        ]
      : []),
    ...problems.slice(0, 5).map((sentence) => `  - ${sentence}.`),
  ];
}
