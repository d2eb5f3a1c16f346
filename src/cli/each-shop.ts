import type { Config } from '../config/load-config.ts';
import { UsageError } from '../errors.ts';
import type { ShopConfig } from '../config/shop-settings.ts';
import type { ShopContext } from '../sync/run/context.ts';
import { describeError } from './output/describe-error.ts';
import { type CliContext, EXIT, type ExitCode } from './output/io.ts';
import { openWarehouse, runOf } from './open.ts';

/** One of the chosen shops, with all that a run over it needs. */
export type OpenShop = {
  readonly run: ShopContext;
  readonly shop: ShopConfig;
  /** What is printed must then say of which shop it is. */
  readonly isOneOfMany: boolean;
};

/** From best to worst. */
const SEVERITY: readonly ExitCode[] = [
  EXIT.done,
  EXIT.different,
  EXIT.partial,
  EXIT.failed,
  EXIT.usage,
  EXIT.interrupted,
];

/**
 * Does the same with each shop of the settings, one after the other. Where there are several, one that fails does not
 * stop the others: its error is told at once. With `--json` that is a document of the shop as well.
 *
 * @returns the worst of the exit codes
 * @throws what opening the database throws; where there is one shop, what the work throws
 */
export async function forEachShop(
  context: CliContext,
  config: Config,
  options: { readonly json?: boolean },
  work: (opened: OpenShop) => Promise<ExitCode>,
): Promise<ExitCode> {
  await using warehouse = await openWarehouse(context, config);
  const isOneOfMany = config.shops.length > 1;
  let worst: ExitCode = EXIT.done;
  for (const shop of config.shops) {
    context.signal.throwIfAborted();
    const opened = { run: runOf(context, config, warehouse, shop), shop, isOneOfMany };
    worst = worse(worst, await workOrTell(context, options, opened, work));
  }
  return worst;
}

/** The exit code of a command of which parts ended with these two. */
export function worse(one: ExitCode, other: ExitCode): ExitCode {
  return SEVERITY.indexOf(one) > SEVERITY.indexOf(other) ? one : other;
}

async function workOrTell(
  context: CliContext,
  options: { readonly json?: boolean },
  opened: OpenShop,
  work: (opened: OpenShop) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { shopKey } = opened.shop;
  try {
    return await work(opened);
  } catch (error) {
    // An interrupt ends all; a wrong command line is as wrong for the next shop.
    if (context.signal.aborted || error instanceof UsageError) throw error;
    const { text, code } = describeError(error, false);
    if (options.json === true) {
      context.io.out(`${JSON.stringify({ shop: shopKey, status: 'failed', error: text })}\n`);
    }
    if (!opened.isOneOfMany) throw error;
    context.io.err(`Shop ${shopKey}: ${text}\n`);
    return code;
  }
}
