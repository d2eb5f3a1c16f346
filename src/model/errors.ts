/**
 * Errors by what the caller can do about them. A message says what was being done, to what, and what to do next; it
 * never contains a header, a body or a personal value.
 */

type Details = {
  readonly cause?: unknown;
  /** HTTP status of the response, if there was one. */
  readonly status?: number | undefined;
  /** What the failure affects, as far as it is known: the whole shop, or only the requested record. */
  readonly scope?: 'shop' | 'record';
};
type PassingDetails = Details & {
  /** Milliseconds to wait before the next request, as the server requested. */
  readonly retryAfterMs?: number | undefined;
  /** Whether it may pass by itself; if not, the message says what a person has to do. */
  readonly mayPass?: boolean;
};

/** Worth retrying: the network, the server or a limit caused it. */
export class TransientError extends Error {
  override readonly name: string = 'TransientError';
  readonly retryAfterMs: number | undefined;
  readonly scope: 'shop' | 'record';
  readonly mayPass: boolean;
  readonly status: number | undefined;
  constructor(message: string, { cause, retryAfterMs, scope, mayPass, status }: PassingDetails = {}) {
    super(message, { cause });
    this.retryAfterMs = retryAfterMs;
    this.scope = scope ?? 'shop';
    this.mayPass = mayPass ?? true;
    this.status = status;
  }
}

/** A longer requested pause is cut to this. */
export const MAX_PAUSE_MS = 3_600_000;

/**
 * The whole shop is unavailable, and other requests would fail too: it requested a pause that is too long to wait for,
 * or has not responded for a long time. `retryAfterMs`, if the shop requested a pause, is at most an hour.
 */
export class UnavailableError extends TransientError {
  override readonly name = 'UnavailableError';
  constructor(message: string, options: Omit<PassingDetails, 'scope' | 'status'> = {}) {
    const { retryAfterMs } = options;
    const bounded = retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, MAX_PAUSE_MS);
    super(message, { ...options, retryAfterMs: bounded });
  }
}

/** Retrying cannot help: wrong credentials, a wrong address, a response that does not match the documentation. */
export class TerminalError extends Error {
  override readonly name: string = 'TerminalError';
  readonly status: number | undefined;
  readonly scope: 'shop' | 'record';
  constructor(message: string, { cause, status, scope }: Details = {}) {
    super(message, { cause });
    this.status = status;
    this.scope = scope ?? 'record';
  }
}

/** Whether the status says that the login, or what it asked for, is not permitted. */
export const isRefusedStatus = (status: number | undefined) => status === 401 || status === 403;

/** The shop's answer that the login may not do this; another one may be accepted. */
export const isRefusal = (error: unknown): error is TerminalError & { readonly status: 401 | 403 } =>
  error instanceof TerminalError && isRefusedStatus(error.status);

/** The shop is paused, or is being deleted: it is not synced, and nothing is wrong with it. */
export class ShopStoppedError extends TerminalError {
  override readonly name: string = 'ShopStoppedError';
}

/** Until somebody resumes it. */
export class ShopPausedError extends ShopStoppedError {
  override readonly name = 'ShopPausedError';
}

/** Another process has the shop's lease. */
export class ShopBusyError extends TerminalError {
  override readonly name = 'ShopBusyError';
}

/** A whole response is not of the documented shape, or too large to be one. */
export class ShapeError extends TerminalError {}

/** Another process holds the shop's lease: this one must not write any more. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** The database is newer than this program, or belongs to another one; the message says what to do. */
export class DatabaseMismatchError extends Error {
  override readonly name = 'DatabaseMismatchError';
}

/** The command line is wrong; the message says what was given and what is expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The configuration is wrong; lists every problem found, not just the first. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

type QueryFault = {
  /** SQLSTATE, where the server refused it. */
  readonly code?: string | undefined;
  /** Where in the query, in characters from 1. */
  readonly position?: number | undefined;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
};

/** A query that somebody wrote failed. The message is the server's, and may quote values. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly query: string;
  readonly fault: QueryFault;
  constructor(message: string, query: string, fault: QueryFault = {}, cause?: unknown) {
    super(message, { cause });
    this.query = query;
    this.fault = fault;
  }
}
