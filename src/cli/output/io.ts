/** Results go to standard output; progress, notes and logs to standard error. */
export type Io = {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether standard error is a terminal. */
  readonly isTerminal: boolean;
  /** Its current width, in characters. */
  readonly columns: () => number;
};

export type CliContext = {
  readonly io: Io;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a person can answer questions: standard input and output are a terminal. */
  readonly isInteractive: boolean;
  /** The folder of the embedded database. */
  readonly directory: string;
  /** Aborted at the first interrupt. */
  readonly signal: AbortSignal;
  /** Calls back at SIGHUP, to reload the settings; without a listener it ends the process. */
  readonly onHangup: (listener: () => void) => Disposable;
};

/** Prints a result: JSON in one line with `--json`, otherwise text for people. */
export function printResult(io: Io, options: { readonly json?: boolean }, json: unknown, text: string): void {
  io.out(options.json === true ? `${JSON.stringify(json)}\n` : text);
}

/** Exit codes; scripts rely on them. */
export const EXIT = { done: 0, failed: 1, usage: 2, partial: 3, different: 4, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
