import type { FailureDocument } from './documents/common.ts';
import { describeError, describeStack } from './output/describe-error.ts';
import { type CliContext } from './output/io.ts';
import { EXIT, type ExitCode } from './output/exit-codes.ts';

/**
 * Prints an error that ended a command, or the work on one of its shops: a sentence, with `--json` also a document, with
 * `--debug` the stack.
 *
 * @param shop undefined: the error is of no shop
 */
export function reportError(
  { io, flags, signal }: CliContext,
  error: unknown,
  shop?: { readonly shopKey: string; readonly isOneOfMany: boolean },
): ExitCode {
  const { text, code } = describeError(error, signal.aborted ? flags.command : undefined);
  const status = code === EXIT.interrupted ? 'interrupted' : 'failed';
  if (flags.json) printFailure({ io }, shop?.shopKey ?? null, text, status);
  io.err(`${shop?.isOneOfMany === true ? `Shop ${shop.shopKey}: ` : ''}${text}\n`);
  if (flags.debug) io.err(`${describeStack(error)}\n`);
  return code;
}

export function printFailure(
  { io }: Pick<CliContext, 'io'>,
  shop: FailureDocument['shop'],
  error: string,
  status: FailureDocument['status'],
): void {
  const document: FailureDocument = { shop, status, error };
  io.out(`${JSON.stringify(document)}\n`);
}
