import { ShapeError, TerminalError, TransientError, UnavailableError } from '../errors.ts';

/** Whether the status says that the login, or what it asked for, is not permitted. */
export function isRefusal(status: number | undefined): boolean {
  return status === 401 || status === 403;
}

/** Whether servers answer so to requests that are too many: nginx, unless it is told otherwise, with 503. */
export function isOverLimit(status: number | undefined): boolean {
  return status === 429 || status === 503;
}

/**
 * Reads a Retry-After header, either form of RFC 9110 section 10.2.3: seconds, or an HTTP date.
 *
 * @returns milliseconds from `now`, never negative; undefined where the header is absent or unreadable
 */
export function readRetryAfter(header: string | null, now: Temporal.Instant): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  // The obsolete form without a zone is in UTC too.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.epochMilliseconds);
}

/** The same error, its message preceded by what was requested. @param what such as `GET /orders` */
export function nameError(error: unknown, what: string): unknown {
  for (const Kind of [UnavailableError, ShapeError, TerminalError, TransientError]) {
    if (error instanceof Kind) return new Kind(`${what}: ${error.message}`, error);
  }
  return error;
}
