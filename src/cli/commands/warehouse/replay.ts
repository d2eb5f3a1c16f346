import { nextStep } from '../../../next-step.ts';
import { clock, grouped } from '../../../amount-text.ts';
import { type ReplayProgress, type ReplayResult, replayShop } from '../../../sync/replay/replay-shop.ts';
import { type CliContext, EXIT, type ExitCode, printResult } from '../../output/io.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import type { Given } from '../../options.ts';
import { fitLine, withProgress } from '../../output/progress.ts';
import { findStoredShops, storedRun } from '../../stored-shops.ts';

/** `replay`: normalizes the stored payloads of each shop again. Uses the database only. */
export async function replayCommand(context: CliContext, options: Given<'shop', 'rekey'>) {
  const config = readConfig(context);
  await using warehouse = await openWarehouse(context, config);
  const { db } = warehouse;
  const stored = await findStoredShops(db, options.shop);
  const shops = options.shop === undefined ? stored.filter((shop) => !shop.deletionStartedAt) : stored;
  if (shops.length === 0)
    printResult(context, [], 'The warehouse has no shop yet: there is nothing to replay.\n');
  let code: ExitCode = EXIT.done;
  for (const shop of shops) {
    const { shopId, shopKey } = shop;
    const began = performance.now();
    const run = storedRun(context, config, db, shop);
    const asked = { rekey: options.rekey === true };
    const result = await withProgress(context, run.logger, shopKey, replayLine, (watch) =>
      replayShop(run, shopId, asked, watch),
    );
    const elapsedMs = performance.now() - began;
    printResult(context, [resultJson(shopKey, result, elapsedMs)], resultText(shopKey, result, elapsedMs));
    if (result.status !== 'ok') code = EXIT.partial;
  }
  return code;
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
  const resumed = resumedFrom
    ? `Shop ${shop}: resumed after ${resumedFrom.stage.slice(0, -1)} ${resumedFrom.after ?? 'none'}, where an ` +
      `earlier replay had stopped with ${grouped(resumedFrom.done)} records done.\n`
    : '';
  const listed = open > 0 ? `; \`${nextStep('list rejections', { shop })}\` lists them` : '';
  return (
    `${resumed}Shop ${shop}: ${grouped(records)} records normalized again by normalizer ${version} in ${clock(elapsedMs)} ` +
    `(${rate} records/s), without any request.\n` +
    `Orders: ${grouped(changes.orders_added)} loaded for the first time, ${grouped(changes.orders_changed)} ` +
    `corrected; lines: ${grouped(changes.lines_changed)} corrected; users: ${grouped(changes.users_changed)}; ` +
    `groups: ${grouped(changes.groups_changed)}.\n` +
    `Rejections: ${grouped(resolved)} resolved, ${grouped(added)} new, ${grouped(open)} open${listed}.\n`
  );
}
