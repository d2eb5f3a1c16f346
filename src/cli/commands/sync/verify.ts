import { grouped } from '../../../model/amount-text.ts';
import type { ShopContext } from '../../../sync/run/context.ts';
import { sweepShop } from '../../../sync/sweep/sweep-shop.ts';
import { type VerifyResult, verifyShop } from '../../../sync/verify/verify-shop.ts';
import { forEachShop, type OpenShop } from '../../each-shop.ts';
import { readShopsConfig } from '../../open.ts';
import { type Given, readDays } from '../../options.ts';
import { describeError } from '../../output/describe-error.ts';
import { NO_REPAIR, type Repair, repairText, verifyJson, verifyText } from '../../output/describe-verify.ts';
import { type CliContext, EXIT, type ExitCode, printResult } from '../../output/io.ts';
import { progressLine, withProgress } from '../../output/progress.ts';

type VerifyOptions = Given<'shop' | 'from' | 'to', 'repair' | 'lines'>;

/** `verify`: compares the shop's list with the warehouse; `--repair` then syncs the days that differ. */
export async function verifyCommand(context: CliContext, options: VerifyOptions): Promise<ExitCode> {
  const range = readDays(options);
  return forEachShop(context, readShopsConfig(context, options.shop), (opened) =>
    verifyOne(context, options, range, opened),
  );
}

async function verifyOne(
  context: CliContext,
  options: VerifyOptions,
  range: ReturnType<typeof readDays>,
  { run, isOneOfMany }: OpenShop,
): Promise<ExitCode> {
  const isRepair = options.repair === true;
  const { shopKey } = run.shop;
  const result = await verifyShop(run, { ...range, makeDue: isRepair, lines: options.lines === true });
  const isEqual = result.differences.length === 0 && result.months.every((month) => month.isEqual);
  if (!context.flags.json) {
    const heading = isOneOfMany ? `Shop ${shopKey}\n` : '';
    context.io.out(`${heading}${verifyText(result, isRepair, context.io.outColumns())}`);
  }
  const repair = isRepair ? await repairShop(context, run, result) : undefined;
  const document = { shop: shopKey, ...verifyJson(result, isEqual), repair: repair ?? null };
  printResult(context, [document], repair === undefined ? '' : repairText(repair));
  if (repair?.status === 'failed') return EXIT.failed;
  if (repair?.status === 'partial') return EXIT.partial;
  if (!isEqual && repair?.status !== 'ok') return EXIT.different;
  return result.status === 'ok' ? EXIT.done : EXIT.partial;
}

/** Syncs the days that differ. A failure is part of the result. @throws the signal's reason */
async function repairShop(
  context: CliContext,
  run: ShopContext,
  { differences, days, doubtful, months, problems }: VerifyResult,
): Promise<Repair> {
  if (differences.length + doubtful === 0) {
    const isEqual = months.every((month) => month.isEqual);
    const status = problems.length === 0 && isEqual ? 'not needed' : 'not possible';
    return { status, reasons: [whyNothing(problems, isEqual)], ...NO_REPAIR };
  }
  try {
    const isAll = days.from === undefined && days.to === undefined;
    const request = { kind: 'backfill', followsSweeps: true, ...days, audit: isAll } as const;
    const { shopKey } = run.shop;
    const { status, counts, problems, daysDue } = await withProgress(
      context,
      run.logger,
      shopKey,
      progressLine,
      (watch) => sweepShop(run, request, watch),
    );
    const { days_verified, orders_new, orders_changed, orders_missing } = counts;
    const done = { days_verified, orders_new, orders_changed, orders_missing };
    const open = daysDue - days_verified;
    const reasons = open > 0 ? [`${grouped(open)} days could not be verified`, ...problems] : problems;
    return { status, reasons: status === 'ok' ? [] : reasons, ...done };
  } catch (error) {
    if (context.signal.aborted) throw error;
    return { status: 'failed', reasons: [describeError(error).text], ...NO_REPAIR };
  }
}

function whyNothing([problem]: readonly string[], isEqual: boolean): string {
  if (problem !== undefined) return `${problem}, so it is not known which orders differ`;
  return isEqual
    ? 'no order differs'
    : 'months differ, but no order does: orders changed while they were read';
}
