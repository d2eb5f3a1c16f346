import type { CircuitPolicy } from './circuit-breaker.ts';
import type { Clock } from './clock.ts';
import type { ConnectionPool, ProxySettings } from './connection-pool.ts';
import type { HttpRequest, RoutePolicies } from './request.ts';
import type { BudgetPolicy } from './retry-budget.ts';
import type { RetryPolicy } from './retry.ts';

/** How much is asked of a server, and for how long. */
export type HttpLimits = {
  /** Requests in flight at once. @default 4 */
  readonly maxConcurrency?: number;
  /** Requests started per second. @default 10 */
  readonly maxRps?: number;
  /** For one attempt, to the last byte of the response. @default 30_000 */
  readonly timeoutMs?: number;
  /** Decoded size of the largest response that is read. @default 32 MiB */
  readonly maxBodyBytes?: number;
  /** The charset of responses that name none and are not UTF-8: a label that `TextDecoder` knows. @default none */
  readonly charset?: string | undefined;
  /** @default none: the server is reached directly */
  readonly proxy?: ProxySettings | undefined;
  /** What carries the requests. @default connections of its own */
  readonly pool?: ConnectionPool | undefined;
  readonly retry?: RetryPolicy;
  readonly budget?: BudgetPolicy;
  readonly circuit?: CircuitPolicy;
  /** A server that stopped answering is waited for up to this. @default 900_000 */
  readonly maxOutageMs?: number;
  /** What pauses, circuit and budget go by. @default the real time */
  readonly clock?: Clock;
};

export type HttpOptions<Route extends string> = HttpLimits & {
  /** What all paths are appended to; it ends with a slash. */
  readonly baseUrl: string;
  /** Sent with each request, such as credentials; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly routes: RoutePolicies<Route>;
  /** Small requests of which a server that works answers at least one, in the order in which they are tried. */
  readonly probeRequests: () => readonly HttpRequest<Route, unknown>[];
  /** Called at the end of every attempt. */
  readonly onAttempt?: ((ended: EndedAttempt<Route>) => void) | undefined;
};

export type EndedAttempt<Route extends string> = {
  readonly route: Route;
  readonly outcome: 'ok' | 'transient' | 'terminal' | 'stopped';
  readonly tookMs: number;
};
