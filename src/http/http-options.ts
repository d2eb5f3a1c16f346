import type { Clock } from './clock.ts';
import type { ConnectionPool, ProxySettings } from './connection-pool.ts';
import type { HttpRequest, RoutePolicies } from './request.ts';

/** Every number that the client goes by. Those that a shop may be given are options of the same names. */
export const DEFAULTS = {
  /** Requests in flight at once. */
  maxConcurrency: 16,
  /** Requests started per second. */
  maxRps: 50,
  /** For one attempt, to the last byte of the response. */
  timeoutMs: 30_000,
  /** Decoded size of the largest response that is read. */
  maxBodyBytes: 32 * 1024 * 1024,
  /** A server that stopped answering is waited for up to this. */
  maxOutageMs: 900_000,
  retry: {
    /** Attempts in all, the first included. */
    maxAttempts: 5,
    /** Longest pause before the second attempt; it doubles for each further one, up to the longest. */
    firstPauseMs: 500,
    maxPauseMs: 15_000,
    /** A request that is refused more often than that is not refused because there are too many. */
    maxRefusals: 8,
    /** A server that requests a longer pause than this is given up on. */
    maxRetryAfterMs: 60_000,
  },
  budget: {
    /** Retries that may be made at once after a quiet period. */
    burst: 20,
    /** Retries earned by each success. */
    perSuccess: 0.1,
    /** One retry is added in this time even without any success, so that the budget always recovers. */
    refillMs: 10_000,
    /** No retry waits for longer than this. */
    maxWaitMs: 15_000,
  },
  circuit: {
    /** Consecutive failures, of whichever requests, after which the shop is taken to be down. */
    failures: 5,
    /** Longest pause between the first failed probe and the second; it doubles for each further one, up to the longest. */
    firstProbeMs: 5000,
    maxProbeMs: 60_000,
  },
};

export type HttpNumbers = Readonly<typeof DEFAULTS>;
export type RetryPolicy = HttpNumbers['retry'];
export type BudgetPolicy = HttpNumbers['budget'];

/** How much is asked of a server, and for how long. */
export type HttpLimits = { readonly [Name in keyof HttpNumbers]?: Partial<HttpNumbers[Name]> } & {
  /** The charset of responses that name none and are not UTF-8: a label that `TextDecoder` knows. @default none */
  readonly charset?: string | undefined;
  /** @default none: the server is reached directly */
  readonly proxy?: ProxySettings | undefined;
  /** What carries the requests. @default connections of its own */
  readonly pool?: ConnectionPool | undefined;
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
  /** Called with the host of a redirect that is not followed. */
  readonly onRedirect?: ((host: string) => void) | undefined;
  /** Called at the end of every attempt. */
  readonly onAttempt?: ((ended: EndedAttempt<Route>) => void) | undefined;
};

/** The options, with defaults for those that are not set. */
export type HttpSettings<Route extends string> = HttpOptions<Route> & HttpNumbers & { readonly clock: Clock };

export type EndedAttempt<Route extends string> = {
  readonly route: Route;
  readonly outcome: 'ok' | 'transient' | 'terminal' | 'stopped';
  readonly tookMs: number;
};
