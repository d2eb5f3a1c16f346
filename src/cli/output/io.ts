/** Where a command writes. Results go to standard output; progress, notes and logs to standard error. */
export type Io = {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Standard error is a terminal that a person watches. */
  readonly isTerminal: boolean;
  /** Width of that terminal now, in characters. */
  readonly columns: () => number;
};

/** What every command is given. */
export type CliContext = {
  readonly io: Io;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that the embedded database lives in. */
  readonly directory: string;
  /** Aborted at the first interrupt. */
  readonly signal: AbortSignal;
  /** Calls back whenever the process is asked to read its settings anew; without a listener that ends it. */
  readonly onHangup: (listener: () => void) => Disposable;
};

/** Exit codes; scripts rely on them. */
export const EXIT = { done: 0, failed: 1, usage: 2, partial: 3, different: 4, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
