/**
 * Errors, classed by what the caller can do about them. A message says what was being done, to what, and what to do
 * next; it never holds a header, a body or a personal value.
 */

/** Worth trying again: the network, the server or a limit was in the way. */
export class TransientError extends Error {
  override readonly name = 'TransientError';
  /** When the server said to come back, as milliseconds from now. */
  readonly retryAfterMs: number | undefined;
  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number | undefined } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Trying again cannot help: wrong credentials, a wrong address, an answer of another shape than documented. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
  /** HTTP status of the answer, where there was one. */
  readonly status: number | undefined;
  constructor(message: string, options: { cause?: unknown; status?: number | undefined } = {}) {
    super(message, { cause: options.cause });
    this.status = options.status;
  }
}

/** The source moved while it was read, so that no proof was had; the day stays due and is read again later. */
export class DriftError extends Error {
  override readonly name = 'DriftError';
}

/** Another process holds the shop's lease: nothing more may be written by this one. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** The command line is wrong; the message says what was given and what is expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The configuration is wrong; holds every problem found, not just the first. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}
