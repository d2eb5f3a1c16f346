import type { Config } from '../../../config/load-config.ts';
import { ShopPausedError } from '../../../model/errors.ts';
import { sentence } from '../../../model/amount-text.ts';
import { sweepShop } from '../../../sync/sweep/sweep-shop.ts';
import type { SweepEstimate } from '../../../sync/run/context.ts';
import type { SweepRequest } from '../../../sync/sweep/sweep-request.ts';
import type { Database } from '../../../warehouse/db/database.ts';
import { processAlerts } from '../../../worker/alerts/deliver-alerts.ts';
import { estimateText, namedText, sweepText } from '../../output/describe-sweep.ts';
import { type CliContext, EXIT, type ExitCode, note } from '../../output/io.ts';
import { forEachShop, type OpenShop } from '../../each-shop.ts';
import { readOneShop, readShopsConfig } from '../../shops.ts';
import { openWebhook } from '../../alert-webhook.ts';
import { createLogger } from '../../log.ts';
import { type CommandOptions, orderId, readAs, readDays } from '../../options.ts';
import { layOut, print } from '../../output/layout.ts';
import { CLEAR_LINE, sweepProgress, withProgress } from '../../output/progress.ts';

/** `sync`: one sweep of what is due, within the time budget. */
export async function syncCommand(
  context: CliContext,
  { shop, order }: CommandOptions<'shop'> & { readonly order?: readonly string[] },
): Promise<ExitCode> {
  const config = readShopsConfig(context, shop);
  if (order !== undefined) {
    // An order is one shop's.
    readOneShop(context, shop);
    const orders = new Set(order.map((id) => readAs(orderId, id, 'order')));
    return sweepEachShop(context, config, { kind: 'sync', orders: [...orders] });
  }
  const request = { kind: 'sync', followsSweeps: true, budgetMs: config.syncBudgetMs } as const;
  return sweepEachShop(context, config, request);
}

/** `backfill`: a range of days without a time budget. */
export async function backfillCommand(
  context: CliContext,
  options: CommandOptions<'shop' | 'from' | 'to', 'force' | 'acceptMissing'>,
): Promise<ExitCode> {
  const { force = false, acceptMissing = false } = options;
  const asked = { ...readDays(options), force, acceptMissing };
  const config = readShopsConfig(context, options.shop);
  return sweepEachShop(context, config, { kind: 'backfill', followsSweeps: true, ...asked });
}

/** Without a worker, alerts are sent when the sweeps are over. */
async function sweepEachShop(context: CliContext, config: Config, request: SweepRequest): Promise<ExitCode> {
  const sweep = (opened: OpenShop) => skipPaused(context, request, () => runSweep(context, request, opened));
  const afterwards = async ({ db }: Pick<Database, 'db'>) => {
    const { signal } = context;
    const webhook = openWebhook(config);
    if (webhook === undefined || signal.aborted) return;
    const ports = { db, logger: createLogger(context, config), now: () => Temporal.Now.instant() };
    await processAlerts({ ...ports, webhook, stopping: signal, signal });
  };
  return forEachShop(context, config, sweep, { afterwards });
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
    print(context, [sentence(error.message)]);
    return EXIT.done;
  }
}

async function runSweep(context: CliContext, request: SweepRequest, { run }: OpenShop): Promise<ExitCode> {
  const { shop } = run;
  const onEstimate = (made: SweepEstimate) => {
    const { isTerminal, columns } = context.io;
    const text = [estimateText(shop.shopKey, made, run.api.health.maxRps)];
    // On a line of its own, whatever the progress has drawn.
    note(context, isTerminal ? `${CLEAR_LINE}${layOut(text, columns() - 1)}` : layOut(text));
  };
  const wanted = request.kind === 'backfill' ? { ...request, onEstimate } : request;
  const result = await withProgress(context, run, sweepProgress, (watch) => sweepShop(run, wanted, watch));
  print(context, (request.orders ? namedText : sweepText)(result), [result]);
  const isWhole = result.status === 'ok' && (request.orders === undefined || result.warnings.length === 0);
  return isWhole ? EXIT.done : EXIT.partial;
}
