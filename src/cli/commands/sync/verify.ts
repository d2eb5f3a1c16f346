import { sweepShop } from '../../../sync/sweep/sweep-shop.ts';
import type { SweepResult } from '../../../sync/sweep/sweep-shop.ts';
import { type VerifyResult, verifyShop } from '../../../sync/verify/verify-shop.ts';
import { forEachShop, type OpenShop } from '../../each-shop.ts';
import { readShopsConfig } from '../../shops.ts';
import { type CommandOptions, readDays } from '../../options.ts';
import { sweepText } from '../../output/describe-sweep.ts';
import { verifyText } from '../../output/describe-verify.ts';
import { type CliContext, EXIT, type ExitCode } from '../../output/io.ts';
import { print } from '../../output/layout.ts';
import { sweepProgress, verifyProgress, withProgress } from '../../output/progress.ts';

type VerifyOptions = CommandOptions<'shop' | 'from' | 'to', 'repair' | 'lines'>;

/** `verify`: compares the shop's list with the warehouse; `--repair` then syncs the days that differ. */
export async function verifyCommand(context: CliContext, options: VerifyOptions): Promise<ExitCode> {
  const { repair: isRepair = false, lines = false } = options;
  const range = readDays(options);
  return forEachShop(context, readShopsConfig(context, options.shop), async ({ run, isOneOfMany }) => {
    const request = { ...range, makeDue: isRepair, lines };
    const result = await withProgress(context, run, verifyProgress, (watch) =>
      verifyShop(run, request, watch),
    );
    const heading = isOneOfMany ? [`Shop ${result.shop}`] : [];
    // What differs is reported before it is repaired.
    print(context, [...heading, ...verifyText(result, isRepair)]);
    let repair: SweepResult | null = null;
    try {
      if (isRepair && isRepairable(result)) repair = await repairShop(context, run, withDays(range, result));
    } finally {
      print(context, repair === null ? [] : sweepText(repair), [{ ...result, repair }]);
    }
    // Orders that disappeared stay in the views until they are checked again: the next sync finishes the repair.
    if (repair !== null && (repair.status !== 'ok' || repair.orders_unconfirmed > 0)) return EXIT.partial;
    if (!result.is_equal && repair === null) return EXIT.different;
    return result.status === 'ok' ? EXIT.done : EXIT.partial;
  });
}

const isRepairable = ({ differences, orders_with_doubtful_lines: doubtful }: VerifyResult) =>
  differences.length + doubtful > 0;

type Range = ReturnType<typeof readDays>;

/** With the days of orders that left the range: the list shows them there. */
function withDays({ from, to }: Range, { differences }: VerifyResult): Range {
  const days = differences.flatMap(({ day }) => (day === null ? [] : Temporal.PlainDate.from(day)));
  const sorted = (end: Temporal.PlainDate | undefined) =>
    end && [...days, end].toSorted((one, other) => Temporal.PlainDate.compare(one, other));
  return { from: sorted(from)?.at(0), to: sorted(to)?.at(-1) };
}

/** Syncs the days that differ; those of the whole list with a look at orders without a date. */
function repairShop(context: CliContext, run: OpenShop['run'], range: Range): Promise<SweepResult> {
  const audit = range.from === undefined && range.to === undefined;
  const request = { kind: 'backfill', followsSweeps: true, ...range, audit } as const;
  return withProgress(context, run, sweepProgress, (watch) => sweepShop(run, request, watch));
}
