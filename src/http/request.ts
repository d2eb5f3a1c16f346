import type { JsonObject } from '../model/json.ts';
import { MAX_PAUSE_MS } from '../model/errors.ts';

/**
 * One request: what to ask, and how its response is read.
 *
 * @param Route names of the kinds of request, as they are counted
 */
export type HttpRequest<Route extends string, Value> = {
  readonly route: Route;
  readonly method: 'GET' | 'POST';
  /** Below the base address, already percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: JsonObject | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Attempts in all, where fewer than usual are enough. @default as many as for any request */
  readonly maxAttempts?: number | undefined;
  /** What an answer means. @throws TransientError where another attempt is needed; TerminalError where none would help */
  readonly read: (response: HttpResponse, now: Temporal.Instant) => ReadResponse<Value>;
};

export type ResponseHead = { readonly status: number; readonly headers: Pick<Headers, 'get'> };

/** A response received to its end. Its body is decoded once it is asked for. @throws TransientError, ShapeError where it cannot be */
export type HttpResponse = ResponseHead & {
  /** A byte that belongs to no character is kept as a lone surrogate. */
  readonly text: string;
  /** Why the body could not be decoded, and what to do: then the text is one character per byte, and not to be stored. */
  readonly undecodable: string | undefined;
};

export type ReadResponse<Value> = {
  readonly value: Value;
  /** What the response says about the shop as a whole: that it works, or nothing. */
  readonly shop: 'working' | 'unknown';
};

/** What the client has to know about requests of one kind. */
type RoutePolicy = {
  /** How messages name it, such as `/users/KEY`: keys in the path may be personal. */
  readonly label: string;
  /**
   * What a 401 or 403 concerns: `shop`, the login as a whole; `record`, perhaps only the record that was asked for, so
   * that a probe has to tell; `request`, that request alone.
   */
  readonly refusalScope: 'shop' | 'record' | 'request';
};

export type RoutePolicies<Route extends string> = Readonly<Record<Route, RoutePolicy>>;

/**
 * Reads a Retry-After header, either form of RFC 9110 section 10.2.3: seconds, or an HTTP date; seconds
 * may have a fraction.
 *
 * @returns milliseconds from `now`, never negative; undefined where the header is absent or unreadable
 */
export function readRetryAfter(header: string | null, now: Temporal.Instant): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  // The obsolete form without a zone is in UTC too.
  const at = Date.parse(`${text} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.epochMilliseconds);
}

/** A requested pause, and how much of it is kept. */
export function pauseText(ms: number): string {
  return `${Math.ceil(ms / 1000)} s${ms > MAX_PAUSE_MS ? ', of which at most an hour is kept' : ''}`;
}
