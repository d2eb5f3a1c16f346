import {
  ConfigError,
  DatabaseMismatchError,
  DriftError,
  LeaseLostError,
  TerminalError,
  TransientError,
  UnavailableError,
  UsageError,
} from '../../errors.ts';
import { databaseSentence, isDatabaseError } from '../../warehouse/db/database-error.ts';
import { EXIT, type ExitCode } from './io.ts';

/** A sentence with the cause and the next step for an error that ended a command, and its exit code. */
export function describeError(error: unknown, wasInterrupted: boolean): { text: string; code: ExitCode } {
  if (error instanceof ConfigError) return { text: configText(error), code: EXIT.usage };
  if (error instanceof UsageError || error instanceof DatabaseMismatchError) {
    return { text: `${error.message}.`, code: EXIT.usage };
  }
  if (wasInterrupted) {
    return {
      text: 'Interrupted. What was written is kept; the next run continues from here.',
      code: EXIT.interrupted,
    };
  }
  const ours = [TerminalError, TransientError, DriftError, LeaseLostError];
  if (error instanceof Error && ours.some((kind) => error instanceof kind)) {
    return { text: `${sentence(error.message)}${nextStep(error)}`, code: EXIT.failed };
  }
  if (isDatabaseError(error))
    return { text: sentence(`The database: ${databaseSentence(error)}`), code: EXIT.failed };
  const name = error instanceof Error ? error.name : typeof error;
  return {
    text: `This is a bug in order-sync (${name}). Run it again with --debug and report the output.`,
    code: EXIT.failed,
  };
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

function configText({ problems }: ConfigError): string {
  const count = problems.length === 1 ? 'One setting is' : `${problems.length} settings are`;
  return [
    `${count} missing or wrong:`,
    ...problems.map((problem) => `  - ${problem}`),
    'Settings are environment variables, or lines of order-sync.env, which `order-sync init` writes; a secret may also be a file, named by NAME_FILE.',
    'To try it without a shop: order-sync demo, or npm run demo in a checkout.',
  ].join('\n');
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

function nextStep(error: Error): string {
  if (error instanceof UnavailableError || !(error instanceof TransientError)) return '';
  return ' Several attempts failed; run the command again later.';
}
