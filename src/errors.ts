/**
 * Errors, classed by what the caller can do about them. A message says what was being done, to what, and what to do
 * next; it never holds a header, a body or a personal value.
 */

/** Worth trying again: the network, the server or a limit was in the way. */
export class TransientError extends Error {
  override readonly name: string = 'TransientError';
  /** How long to wait before the next request, as the server requested; in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** What the failure concerns: the whole shop, or only the record that was asked for. */
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

/** No requested pause is respected for longer than this. */
export const MAX_PAUSE_MS = 3_600_000;

/**
 * The shop as a whole is unavailable; other requests would fail too: it requested a pause that is too long to wait for, or
 * has not answered for a long time. `retryAfterMs`, where the shop requested a pause, is at most an hour.
 */
export class UnavailableError extends TransientError {
  override readonly name = 'UnavailableError';
  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number | undefined } = {}) {
    const { retryAfterMs } = options;
    const bounded = retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, MAX_PAUSE_MS);
    super(message, { ...options, retryAfterMs: bounded });
  }
}

/** Trying again cannot help: wrong credentials, a wrong address, a response of another shape than documented. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
  /** HTTP status of the response, where there was one. */
  readonly status: number | undefined;
  /** What is known to be affected: the whole shop, or only the record that was asked for. */
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

/** The source changed while it was read, so nothing is proven; the day stays due and is read again later. */
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
