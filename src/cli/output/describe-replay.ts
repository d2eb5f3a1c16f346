/** What a replay does and did, for people. */
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

export function replayText(result: ReplayResult): string {
  const { shop, records, seconds, resumed_from: from, rejections_open: open } = result;
  const rate = grouped(records / Math.max(seconds, 0.1));
  const resumed = from
    ? `Shop ${shop}: resumed after ${from.stage.slice(0, -1)} ${from.after ?? 'none'}, where an ` +
      `earlier replay had stopped with ${grouped(from.records_done)} records done.\n`
    : '';
  const listed = open > 0 ? `; \`${nextStep('list rejections', { shop })}\` lists them` : '';
  return (
    `${resumed}Shop ${shop}: ${grouped(records)} records normalized again by normalizer ${result.normalizer_version} in ${clock(seconds * 1000)} ` +
    `(${rate} records/s), without any request.\n` +
    `Orders: ${grouped(result.orders_added)} loaded for the first time, ${grouped(result.orders_changed)} ` +
    `corrected; lines: ${grouped(result.lines_changed)} corrected; users: ${grouped(result.users_changed)}; ` +
    `groups: ${grouped(result.groups_changed)}.\n` +
    `Rejections: ${grouped(result.rejections_resolved)} resolved, ${grouped(result.rejections_new)} new, ` +
    `${grouped(open)} open${listed}.\n`
  );
}
