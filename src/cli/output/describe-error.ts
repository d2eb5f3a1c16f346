import {
  ConfigError,
  DatabaseMismatchError,
  LeaseLostError,
  QueryError,
  TerminalError,
  TransientError,
  UnavailableError,
  UsageError,
} from '../../model/errors.ts';
import { nextStep } from '../../model/next-step.ts';
import { databaseSentence, isDatabaseError } from '../../warehouse/db/database-error.ts';
import { sentence } from '../../model/amount-text.ts';
import { type CliContext, EXIT, type ExitCode, visible } from './io.ts';

type Described = { readonly text: string; readonly code: ExitCode };

/**
 * A sentence with the cause and the next step for an error that ended a command, and its exit code.
 *
 * @param command that was run
 */
export function describeError(error: unknown, isInterrupted = false, command = ''): Described {
  if (error instanceof ConfigError) return { text: configText(error), code: EXIT.usage };
  if (error instanceof UsageError || error instanceof DatabaseMismatchError) {
    return { text: sentence(error.message), code: EXIT.usage };
  }
  if (!isInterrupted) return { text: failureText(error), code: EXIT.failed };
  return { text: STORES_NOTHING.test(command) ? 'Interrupted.' : INTERRUPTED, code: EXIT.interrupted };
}

/** Commands that leave nothing behind from which they could continue. */
const STORES_NOTHING = /^(fetch|check|login-link|sql|status|rejections|verify)\b/;
const INTERRUPTED = 'Interrupted. What was written is kept; run the command again to continue from there.';

function failureText(error: unknown): string {
  if (error instanceof TransientError) return `${sentence(error.message)}${waitText(error)}`;
  if (error instanceof TerminalError || error instanceof LeaseLostError) return sentence(error.message);
  if (error instanceof QueryError) return describeQueryFailure(error);
  if (isDatabaseError(error)) return sentence(`The database: ${databaseSentence(error)}`);
  const name = error instanceof Error ? error.name : typeof error;
  return `This is a bug in order-sync (${name}). Run it again with --debug and report the output.`;
}

const UNDEFINED_TABLE = '42P01';
const DENIED = '42501';
const SHOWN_CHARACTERS = 60;

/** The message of PostgreSQL, what stands where it points at, and a hint. */
function describeQueryFailure({ fault, message, query }: QueryError): string {
  const { code, detail, position } = fault;
  const hint = fault.hint ?? ownHint(code, message);
  return [
    `The query failed: ${visible(message)}`,
    ...(detail === undefined ? [] : [visible(detail)]),
    ...(position === undefined ? [] : [placeText(query, position)]),
    ...(hint === undefined ? [] : [`Hint: ${visible(hint)}`]),
  ].join('\n');
}

function ownHint(code: string | undefined, message: string): string | undefined {
  if (code === UNDEFINED_TABLE)
    return `\`${nextStep('list views')}\` lists the views to query, with --pii also those with personal data`;
  return code === DENIED && /\bbi_pii$/.test(message)
    ? '--pii also reads the views with personal data'
    : undefined;
}

/** @param position from 1, in code points */
function placeText(query: string, position: number): string {
  const characters = Array.from(query);
  const line = characters.slice(0, position - 1).filter((character) => character === '\n').length + 1;
  const rest = characters.slice(position - 1, position - 1 + SHOWN_CHARACTERS).join('');
  return `LINE ${line}, from here: ${visible(rest.split('\n')[0]?.trimEnd() ?? '')}`;
}

/** The same in one line, without the hints for somebody who sets it up at a terminal: for the log. */
export function describeForLog(error: unknown, isInterrupted: boolean): Described {
  const described = describeError(error, isInterrupted);
  if (!(error instanceof ConfigError)) return described;
  return { ...described, text: `${wrongSettings(error)} ${error.problems.join('; ')}` };
}

/** The stack for `--debug`, without messages, which may quote rows or headers. */
export function describeStack(error: unknown): string {
  const parts: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const frames = (cause.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
    parts.push([cause.name, ...frames].join('\n'));
  }
  return parts.join('\ncaused by ');
}

function wrongSettings({ problems }: ConfigError): string {
  const count = problems.length === 1 ? 'One setting is' : `${problems.length} settings are`;
  return `${count} missing or wrong:`;
}

function configText(error: ConfigError): string {
  return [
    wrongSettings(error),
    ...error.problems.map((problem) => `  - ${problem}`),
    `Settings are environment variables, or lines of order-sync.env, which \`${nextStep('write settings')}\` writes; a secret may also be a file, named by NAME_FILE.`,
    ...(isWithoutShop(error.problems)
      ? [`To try it without a shop: ${nextStep('try without shop')}, or npm run demo in a checkout.`]
      : []),
  ].join('\n');
}

/** No setting of a shop is set, so perhaps there is no shop. */
function isWithoutShop(problems: readonly string[]): boolean {
  const required = ['SHOP_URL', 'SHOP_LOGIN', 'SHOP_API_KEY', 'SHOP_TIMEZONE'];
  return required.every((name) => problems.some((problem) => problem.startsWith(`${name} is not set`)));
}

/** What the sentence does not say itself. Waiting is advised only where it may help. */
function waitText(error: TransientError): string {
  if (!error.mayPass) return '';
  if (!(error instanceof UnavailableError)) return ' Several attempts failed; run the command again later.';
  return error.retryAfterMs === undefined
    ? ' Run the command again when the shop is back up.'
    : ' Run the command again after that.';
}

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
  const { text, code } = describeError(error, signal.aborted, flags.command);
  const status = code === EXIT.interrupted ? 'interrupted' : 'failed';
  if (flags.json) printFailure({ io }, shop?.shopKey ?? null, text, status);
  io.err(`${shop?.isOneOfMany === true ? `Shop ${shop.shopKey}: ` : ''}${text}\n`);
  if (flags.debug) io.err(`${describeStack(error)}\n`);
  return code;
}

export function printFailure(
  { io }: Pick<CliContext, 'io'>,
  shop: string | null,
  error: string,
  status: 'failed' | 'interrupted',
): void {
  io.out(`${JSON.stringify({ shop, status, error })}\n`);
}
