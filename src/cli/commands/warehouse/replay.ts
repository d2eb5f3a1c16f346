import { nextStep } from '../../../next-step.ts';
import { clock, grouped } from '../../../amount-text.ts';
import type { Config } from '../../../config/load-config.ts';
import { type ReplayProgress, type ReplayResult, replayShop } from '../../../sync/replay/replay-shop.ts';
import { VERSION } from '../../../version.ts';
import type { Db } from '../../../warehouse/db/database.ts';
import type { StoredShop } from '../../../warehouse/directory/registered-shops.ts';
import { type CliContext, EXIT, type ExitCode, printResult } from '../../output/io.ts';
import { createLogger, openWarehouse, readConfig } from '../../open.ts';
import { fitLine, showProgress } from '../../output/progress.ts';
import { findStoredShops, readPrivacySettings } from '../../stored-shops.ts';

export type ReplayOptions = { readonly shop?: string; readonly rekey?: boolean };

/** `replay`: normalizes the stored payloads of each shop again. Uses the database only. */
export async function replayCommand(context: CliContext, options: ReplayOptions): Promise<ExitCode> {
  const config = readConfig(context);
  await using warehouse = await openWarehouse(context, config);
  const stored = await findStoredShops(warehouse.db, options.shop);
  const shops = options.shop === undefined ? stored.filter((shop) => !shop.deletionStartedAt) : stored;
  if (shops.length === 0 && !context.flags.json) {
    context.io.out('The warehouse has no shop yet: there is nothing to replay.\n');
  }
  let code: ExitCode = EXIT.done;
  for (const shop of shops) {
    const began = performance.now();
    const result = await replayOne(context, { ...options, ...config }, warehouse.db, shop);
    const elapsedMs = performance.now() - began;
    const text = resultText(shop.shopKey, result, elapsedMs);
    printResult(context, [resultJson(shop.shopKey, result, elapsedMs)], text);
    if (result.status !== 'ok') code = EXIT.partial;
  }
  return code;
}

async function replayOne(
  context: CliContext,
  options: ReplayOptions & Pick<Config, 'logLevel'>,
  db: Db,
  stored: StoredShop,
): Promise<ReplayResult> {
  const logger = createLogger(context, options);
  const { shopId, shopKey, timezone } = stored;
  const shop = { shopKey, timezone, ...readPrivacySettings(context, shopKey) };
  const now = () => Temporal.Now.instant();
  const run = { db, shop, logger, now, signal: context.signal, version: VERSION };
  using view = showProgress(context, logger, shopKey, replayLine);
  return await replayShop(run, shopId, { rekey: options.rekey === true }, (read) => view.watch(read));
}

/** `default  ███░░░  42 %  8,500/20,000 records · 0:06 left · 3,200 records/s · orders` */
export function replayLine(
  shopKey: string,
  progress: ReplayProgress,
  elapsedMs: number,
  columns: number,
): string {
  const { stage, done, total, own } = progress;
  // Records that arrived meanwhile are replayed too.
  const share = total === 0 ? 1 : Math.min(done / total, 1);
  const perSecond = own / Math.max(elapsedMs / 1000, 0.001);
  const left = own === 0 ? '…' : `${clock((Math.max(total - done, 0) / perSecond) * 1000)} left`;
  const records = `${grouped(done)}/${grouped(total)} records`;
  return fitLine(shopKey, share, [records, left, `${grouped(perSecond)} records/s`, stage], columns);
}

function resultJson(shop: string, result: ReplayResult, elapsedMs: number) {
  const { status, version, records, changes, rejections, resumedFrom, problems } = result;
  return {
    shop,
    status,
    error: null,
    normalizer_version: version,
    resumed_from: resumedFrom
      ? { stage: resumedFrom.stage, after: resumedFrom.after ?? null, records_done: resumedFrom.done }
      : null,
    records,
    ...changes,
    rejections_new: rejections.added,
    rejections_resolved: rejections.resolved,
    rejections_open: rejections.open,
    seconds: Math.round(elapsedMs / 100) / 10,
    problems,
  };
}

function resultText(shop: string, result: ReplayResult, elapsedMs: number): string {
  const { version, records, changes, rejections, resumedFrom } = result;
  const { added, resolved, open } = rejections;
  const rate = grouped(records / Math.max(elapsedMs / 1000, 0.001));
  return [
    ...(resumedFrom
      ? [
          `Shop ${shop}: resumed after ${resumedFrom.stage.slice(0, -1)} ${resumedFrom.after ?? 'none'}, where an ` +
            `earlier replay had stopped with ${grouped(resumedFrom.done)} records done.`,
        ]
      : []),
    `Shop ${shop}: ${grouped(records)} records normalized again by normalizer ${version} in ${clock(elapsedMs)} ` +
      `(${rate} records/s), without any request.`,
    `Orders: ${grouped(changes.orders_added)} loaded for the first time, ${grouped(changes.orders_changed)} ` +
      `corrected; lines: ${grouped(changes.lines_changed)} corrected; users: ${grouped(changes.users_changed)}; ` +
      `groups: ${grouped(changes.groups_changed)}.`,
    `Rejections: ${grouped(resolved)} resolved, ${grouped(added)} new, ${grouped(open)} open` +
      `${open > 0 ? `; \`${nextStep('list rejections', { shop })}\` lists them` : ''}.`,
    '',
  ].join('\n');
}
