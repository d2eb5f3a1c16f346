import type { JsonObject, JsonValue } from '../json.ts';
import type { HttpResponse } from './response.ts';

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
} & Reader<Value>;

/** A value in its documented shape, or where it differs: `orders: must be a list`. */
export type Shaped<Value> = { readonly value: Value } | { readonly mismatch: string };
export type ReadShape<Value> = (value: JsonValue) => Shaped<Value>;

/** How the response is read: by the shape that data must have, or as whatever it is. */
type Reader<Value> =
  | { readonly readShape: ReadShape<Value>; readonly read?: never }
  | {
      readonly readShape?: never;
      /** @throws TransientError where another attempt is needed */
      readonly read: (response: HttpResponse, now: Temporal.Instant) => ReadResponse<Value>;
    };

export type ReadResponse<Value> = {
  readonly value: Value;
  /** What the response says about the shop as a whole: that it works, nothing, or that it may refuse everything. */
  readonly shop: 'working' | 'unknown' | 'refusing';
};

/** What the client has to know about requests of one kind. */
export type RoutePolicy = {
  /** How messages name it, such as `/users/KEY`: keys in the path may be personal. */
  readonly label: string;
  /**
   * What a 401 or 403 concerns: `shop`, the login as a whole; `record`, perhaps only the record that was asked for, so
   * that a probe has to tell; `request`, that request alone.
   */
  readonly refusalScope: 'shop' | 'record' | 'request';
  /** What HTTP 404 means, without the status, and what to do about it. */
  readonly notFound: readonly [what: string, advice: string];
  /** What to do about a response that is too large. */
  readonly tooLargeAdvice: string;
};

export type RoutePolicies<Route extends string> = Readonly<Record<Route, RoutePolicy>>;
