import { grouped } from '../../../model/amount-text.ts';
import type { ShopContext } from '../../../sync/run/context.ts';
import { sweepShop } from '../../../sync/sweep/sweep-shop.ts';
import { type VerifyResult, verifyShop } from '../../../sync/verify/verify-shop.ts';
import { forEachShop, type OpenShop } from '../../each-shop.ts';
import { type Given, readDays } from '../../options.ts';
import { describeError } from '../../output/describe-error.ts';
import { NO_REPAIR, type Repair, repairText, verifyText } from '../../output/describe-verify.ts';
import { type CliContext, EXIT, type ExitCode } from '../../output/io.ts';
import { print } from '../../output/layout.ts';
import { sweepProgress, withProgress } from '../../output/progress.ts';
import { readShopsConfig } from '../../shops.ts';

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
  const result = await verifyShop(run, { ...range, makeDue: isRepair, lines: options.lines === true });
  const heading = isOneOfMany ? [`Shop ${result.shop}`] : [];
  // What differs is reported before it is repaired.
  print(context, [...heading, ...verifyText(result, isRepair)]);
  const repair = isRepair ? await repairShop(context, run, range, result) : null;
  print(context, repair === null ? [] : repairText(repair), [{ ...result, repair }]);
  if (repair?.status === 'failed') return EXIT.failed;
  if (repair?.status === 'partial') return EXIT.partial;
  if (!result.is_equal && repair?.status !== 'ok') return EXIT.different;
  return result.status === 'ok' ? EXIT.done : EXIT.partial;
}

/** Syncs the days that differ. A failure is part of the result. @throws the signal's reason */
async function repairShop(
  context: CliContext,
  run: ShopContext,
  range: ReturnType<typeof readDays>,
  { shop, from, to, differences, orders_with_doubtful_lines: doubtful, is_equal, problems }: VerifyResult,
): Promise<Repair> {
  if (differences.length + doubtful === 0) {
    const status = problems.length === 0 && is_equal ? 'not needed' : 'not possible';
    return { status, reasons: [whyNothing(problems, is_equal)], ...NO_REPAIR };
  }
  try {
    const audit = from === null && to === null;
    const request = { kind: 'backfill', followsSweeps: true, ...range, audit } as const;
    const swept = await withProgress(context, run.logger, shop, sweepProgress, (watch) =>
      sweepShop(run, request, watch),
    );
    const { status, problems, days_due, days_verified, orders_new, orders_changed, orders_missing } = swept;
    const done = { days_verified, orders_new, orders_changed, orders_missing };
    const open = days_due - days_verified;
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
