/** What a replay does and did, for people and machines. */
import { clock, grouped } from '../../model/amount-text.ts';
import { nextStep } from '../../model/next-step.ts';
import type { ReplayProgress, ReplayResult } from '../../sync/replay/replay-shop.ts';
import { fitLine } from './progress.ts';

/** `default  ███░░░  42 %  8,500/20,000 records · 0:06 left · 3,200 records/s · orders` */
export function replayLine(
  shopKey: string,
  progress: ReplayProgress,
  elapsedMs: number,
  columns: number,
): string {
  const { stage, done, total, own } = progress;
  // Records that arrived meanwhile are replayed too.
  const share = total === 0 ? 1 : done / total;
  const perSecond = own / Math.max(elapsedMs / 1000, 0.001);
  const left = own === 0 ? '…' : `${clock((Math.max(total - done, 0) / perSecond) * 1000)} left`;
  const records = `${grouped(done)}/${grouped(total)} records`;
  return fitLine(shopKey, share, [records, left, `${grouped(perSecond)} records/s`, stage], columns);
}

export function replayText(shop: string, result: ReplayResult, elapsedMs: number): string {
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

/** The same for machines: a line of `--json`. */
export function replayJson(shop: string, result: ReplayResult, elapsedMs: number) {
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
