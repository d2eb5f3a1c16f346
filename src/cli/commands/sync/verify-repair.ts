/** `verify --repair`, and why it did not repair. */
import { nextStep } from '../../../next-step.ts';
import { grouped } from '../../../amount-text.ts';
import type { ShopContext } from '../../../sync/run/context.ts';
import { sweepShop } from '../../../sync/sweep/sweep-shop.ts';
import type { VerifyResult } from '../../../sync/verify/verify-shop.ts';
import { describeError } from '../../output/describe-error.ts';
import type { CliContext } from '../../output/io.ts';
import { progressLine, showProgress } from '../../output/progress.ts';

/** Whether the days that differ were synced, why not, and what that changed. */
type Repair = typeof NOTHING & {
  readonly status: 'ok' | 'partial' | 'failed' | 'not needed' | 'not possible';
  readonly reasons: readonly string[];
};

const NOTHING = { days_verified: 0, orders_new: 0, orders_changed: 0, orders_missing: 0 };

/** Syncs the days that differ. A failure is part of the result. @throws the signal's reason */
export async function repairShop(
  context: CliContext,
  run: ShopContext,
  { differences, days, doubtful, months, problems }: VerifyResult,
): Promise<Repair> {
  if (differences.length + doubtful === 0) {
    const isEqual = months.every((month) => month.isEqual);
    const status = problems.length === 0 && isEqual ? 'not needed' : 'not possible';
    return { status, reasons: [whyNothing(problems, isEqual)], ...NOTHING };
  }
  try {
    using view = showProgress(context, run.logger, run.shop.shopKey, progressLine);
    const isAll = days.from === undefined && days.to === undefined;
    const request = { kind: 'backfill', followsSweeps: true, ...days, audit: isAll } as const;
    const { status, counts, problems, daysDue } = await sweepShop(run, request, (read) => view.watch(read));
    const { days_verified, orders_new, orders_changed, orders_missing } = counts;
    const open = daysDue - days_verified;
    const reasons = open > 0 ? [`${grouped(open)} days could not be verified`, ...problems] : problems;
    return {
      status,
      reasons: status === 'ok' ? [] : reasons,
      days_verified,
      orders_new,
      orders_changed,
      orders_missing,
    };
  } catch (error) {
    if (context.signal.aborted) throw error;
    return { status: 'failed', reasons: [describeError(error).text], ...NOTHING };
  }
}

function whyNothing([problem]: readonly string[], isEqual: boolean): string {
  if (problem !== undefined) return `${problem}, so it is not known which orders differ`;
  return isEqual
    ? 'no order differs'
    : 'months differ, but no order does: orders changed while they were read';
}

export function repairText({ status, reasons, ...counts }: Repair): string {
  const done =
    `${grouped(counts.days_verified)} days verified, ${grouped(counts.orders_new)} orders new, ` +
    `${grouped(counts.orders_changed)} changed, ${grouped(counts.orders_missing)} missing`;
  const because = reasons.map((reason) => `  - ${reason.replace(/\.$/, '')}.`).join('\n');
  const list = because === '' ? '' : `\n${because}`;
  const sentences: Readonly<Record<Repair['status'], string>> = {
    ok: `Repaired: ${done}.`,
    partial: `Repaired in part: ${done}. The rest was not, because:${list}`,
    failed: `Not repaired, because:${list}`,
    'not needed': 'Nothing to repair: no order differs.',
    'not possible': `Not repaired, because:${list}\nRun ${nextStep('repair')} again.`,
  };
  return `${sentences[status]}\n`;
}
