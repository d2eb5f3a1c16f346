/** Results go to standard output; progress, notes and logs to standard error. */
export type Io = {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether standard error is a terminal. */
  readonly isTerminal: boolean;
  /** Its current width, in characters. */
  readonly columns: () => number;
  /** The width of standard output, if it is a terminal. */
  readonly outColumns: () => number | undefined;
  /** False once its reader has gone, such as `head`. */
  readonly outIsOpen: () => boolean;
};

/** Options that every command has. */
export type Flags = {
  readonly debug: boolean;
  readonly json: boolean;
  /** Nothing but results and errors. */
  readonly quiet: boolean;
  /** The command as it was called, such as `shops pause`. */
  readonly command: string;
  /** The value of `--config`. */
  readonly config?: string;
};

/** What a process gives to a command line. */
export type ProcessContext = {
  readonly io: Io;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a person can answer questions: standard input and output are a terminal. */
  readonly isInteractive: boolean;
  /** The folder of the embedded database. */
  readonly directory: string;
  /** Standard input as a whole; undefined if it is a terminal. */
  readonly readInput: () => Promise<Uint8Array | undefined>;
  /** Aborted at the first interrupt. */
  readonly signal: AbortSignal;
  /** Calls back at SIGHUP, to reload the settings; without a listener it interrupts the command. */
  readonly onHangup: (listener: () => void) => Disposable;
};

export type CliContext = ProcessContext & {
  /** Known when a command runs. */
  readonly flags: Flags;
};

/** Writes what a person may want to know besides the results. `text` ends with a line break. */
export function note({ io, flags }: Pick<CliContext, 'io' | 'flags'>, text: string): void {
  if (!flags.quiet) io.err(text);
}

/** Without what would move the cursor or change colours: such characters are written as escapes. */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, (character) =>
    JSON.stringify(character).length > 3
      ? JSON.stringify(character).slice(1, -1)
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export const EXIT = { done: 0, failed: 1, usage: 2, partial: 3, different: 4, interrupted: 130 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
/** How work ends: with nothing where all is done. */
export type Ended = ExitCode | void;

/** As the help and docs/commands.md have it. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  [EXIT.done]: 'done',
  [EXIT.failed]: 'failed, or not done without --yes',
  [EXIT.usage]: 'wrong command line or settings: nothing was done',
  [EXIT.partial]:
    'done in part: days are still due, records were rejected, a named order was not read, or a repaired deletion is not confirmed yet',
  [EXIT.different]: 'verify found a difference',
  [EXIT.interrupted]: 'interrupted',
};

const { done, different, partial, failed, usage, interrupted } = EXIT;
/** From best to worst. */
const SEVERITY: readonly ExitCode[] = [done, different, partial, failed, usage, interrupted];

/** What a command on several shops ends with, if two of them ended with these. */
export function worse(one: ExitCode, other: ExitCode): ExitCode {
  return SEVERITY.indexOf(one) > SEVERITY.indexOf(other) ? one : other;
}
