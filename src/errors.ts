/**
 * Errors, classed by what the caller can do about them. A message says what was being done, to what, and what to do
 * next; it never holds a header, a body or a personal value.
 */

/** Worth trying again: the network, the server or a limit was in the way. */
export class TransientError extends Error {
  override readonly name: string = 'TransientError';
  /** When the server said to come back, as milliseconds from now. */
  readonly retryAfterMs: number | undefined;
  /** What the failure speaks of: the whole shop, or the one record that was asked for. */
  readonly scope: 'shop' | 'record';
  constructor(
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | undefined; scope?: 'shop' | 'record' } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
    this.scope = options.scope ?? 'shop';
  }
}

/** No shop is left alone for longer, whatever it asks for. */
export const LONGEST_ABSENCE_MS = 3_600_000;

/**
 * The shop as a whole is not to be had now, so that no other request would fare better: it asked to come back later
 * than can be waited for, or has not answered for long. `retryAfterMs`, where the shop told it, is at most an hour.
 */
export class UnavailableError extends TransientError {
  override readonly name = 'UnavailableError';
  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number | undefined } = {}) {
    const { retryAfterMs } = options;
    const bounded = retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, LONGEST_ABSENCE_MS);
    super(message, { ...options, retryAfterMs: bounded });
  }
}

/** Trying again cannot help: wrong credentials, a wrong address, an answer of another shape than documented. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
  /** HTTP status of the answer, where there was one. */
  readonly status: number | undefined;
  /** What is known to be concerned: the whole shop, or no more than the one record that was asked for. */
  readonly scope: 'shop' | 'record';
  constructor(
    message: string,
    options: { cause?: unknown; status?: number | undefined; scope?: 'shop' | 'record' } = {},
  ) {
    super(message, { cause: options.cause });
    this.status = options.status;
    this.scope = options.scope ?? 'record';
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

/** The database is newer than this program, or holds what another one made; the message says what to do. */
export class DatabaseMismatchError extends Error {
  override readonly name = 'DatabaseMismatchError';
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
