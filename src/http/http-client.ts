/** Resilient HTTP to one server: ky, which fetches through gate and pace, and asks again where that may help. */
import ky, { type KyInstance } from 'ky';

import { ShapeError, TerminalError, TransientError, UnavailableError } from '../model/errors.ts';
import { VERSION } from '../model/program.ts';
import { AvailabilityGate } from './availability-gate.ts';
import { ACCEPT_ENCODING, BodyReader } from './body-reader.ts';
import type { Charset } from './charset.ts';
import { REAL_CLOCK } from './clock.ts';
import { createConnectionPool } from './connection-pool.ts';
import { Exchange, type ExchangePorts } from './exchange.ts';
import { DEFAULTS, type HttpOptions } from './http-options.ts';
import { type FoundPace, Pace, type PaceOptions, type PaceState } from './pace.ts';
import type { HttpRequest } from './request.ts';
import { RetryBudget } from './retry-budget.ts';

/** Requests sent so far by route, every attempt and probe counted, and the attempts that were not the first. */
export type RequestCounts<Route extends string> = Readonly<Record<Route, number>> & {
  readonly retries: number;
};

/** How the client treats its shop at this moment. */
type ClientHealth = PaceOptions &
  PaceState &
  Readonly<Pick<AvailabilityGate, 'circuit' | 'answers' | 'isFailing'>> & {
    /** Until when the shop requested a pause. */
    readonly pausedUntil: Temporal.Instant | undefined;
    /** Probes sent so far; they are in the counts of list requests too. */
    readonly probes: number;
  };

export type HttpClient<Route extends string> = {
  readonly counts: RequestCounts<Route>;
  readonly health: ClientHealth;
  /** Goes on with what an earlier run found out, unless this client has found out by itself. */
  resume(found: FoundPace): void;
  /** The charset that responses were found to be in; undefined before there was more than ASCII. */
  readonly charset: Charset | undefined;
  /** @throws TerminalError, TransientError, UnavailableError, the signal's reason */
  send<Value>(request: HttpRequest<Route, Value>): Promise<Value>;
};

export function createHttpClient<Route extends string>(options: HttpOptions<Route>): HttpClient<Route> {
  const settings = withDefaults(options);
  const { clock, routes, retry, maxConcurrency, maxRps } = settings;
  const connections = Math.ceil(SPARE * maxConcurrency);
  const pool = options.pool ?? createConnectionPool({ ...settings, connections });
  const pace = new Pace(settings);
  const reader = new BodyReader(settings.charset, settings);
  const client = createKy(settings.baseUrl);
  const counts = Object.assign(zeroCounts(routes), { retries: 0 });
  let probes = 0;
  const probe = createProbe(options.probeRequests, (request) =>
    pace.run(() => {
      probes++;
      const exchange = new Exchange(ports, request);
      return sendBy(client, request, exchange, (wire) => exchange.fetchOnce(wire), 1);
    }, request.signal),
  );
  const gate = new AvailabilityGate({ ...settings, maxRetryAfterMs: retry.maxRetryAfterMs, probe });
  const ports: ExchangePorts<Route> = {
    ...settings,
    gate,
    pace,
    budget: new RetryBudget(settings.budget, clock),
    transport: { ...settings, headers: { ...COMMON_HEADERS, ...settings.headers }, pool },
    reader,
    counts,
  };
  return {
    counts,
    get health() {
      const { circuit, answers, isFailing, pausedUntilMs } = gate;
      const pausedUntil =
        pausedUntilMs === undefined
          ? undefined
          : Temporal.Instant.fromEpochMilliseconds(Math.ceil(pausedUntilMs));
      const ofGate = { circuit, answers, isFailing, pausedUntil };
      return { ...pace.state, ...ofGate, maxConcurrency, maxRps, probes };
    },
    resume: (found) => pace.resume(found),
    get charset() {
      return reader.charset;
    },
    async send(request) {
      try {
        const exchange = new Exchange(ports, request);
        const maxAttempts = Math.min(request.maxAttempts ?? Infinity, retry.maxAttempts);
        return await sendBy(client, request, exchange, (wire) => exchange.fetch(wire), maxAttempts);
      } catch (error) {
        throw toFailure(error, `${request.method} ${routes[request.route].label}`, retry.maxRetryAfterMs);
      }
    },
  };
}

/**
 * Finds out whether the shop answers at all. A shop that worked until now need not answer every kind of request: the one
 * that was answered is sent first from then on, and after a failure the next one.
 */
function createProbe<Route extends string>(
  requests: HttpOptions<Route>['probeRequests'],
  send: (request: HttpRequest<Route, unknown>) => Promise<unknown>,
): (signal: AbortSignal | undefined) => Promise<void> {
  let index = 0;
  return async (signal) => {
    const candidates = requests();
    const request = candidates[index % candidates.length];
    if (request === undefined) throw new TypeError('there is nothing to probe the shop with');
    try {
      await send({ ...request, signal });
    } catch (error) {
      if (error instanceof TransientError && signal?.aborted !== true) index++;
      throw error;
    }
  };
}

/**
 * ky with what is the same for all requests. Headers and signals go past it, since it merges them anew for each request, which
 * costs time and memory; so a pause before a retry is a hook.
 */
function createKy(prefix: string): KyInstance {
  return ky.create({
    prefix,
    // Time-outs are the connection's: a wait for the shop uses none up.
    timeout: false,
    retry: { methods: ['get'], delay: () => 0 },
  });
}

/** Lets ky send a request, which the exchange fetches and answers. */
async function sendBy<Value>(
  client: KyInstance,
  { path, method, query, body }: HttpRequest<string, Value>,
  exchange: Pick<Exchange<string, Value>, 'answer' | 'mayRetry' | 'pause'>,
  fetch: (wire: Request) => Promise<Response>,
  maxAttempts: number,
): Promise<Value> {
  await client(path, {
    method,
    fetch: (wire) => fetch(wire instanceof Request ? wire : new Request(wire)),
    retry: { limit: maxAttempts - 1, shouldRetry: ({ error }) => exchange.mayRetry(error) },
    hooks: { beforeRetry: [({ retryCount }) => exchange.pause(retryCount)] },
    ...(query && { searchParams: query }),
    ...(body && { json: body }),
  });
  if (exchange.answer === undefined) throw new TypeError('the request has no answer');
  return exchange.answer.value;
}

/** Connections for each request in flight: before undici uses a connection again, two turns of the event loop go by. */
const SPARE = 1.25;

const COMMON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json',
  'accept-encoding': ACCEPT_ENCODING,
  'cache-control': 'no-cache',
  'user-agent': `order-sync/${VERSION}`,
};

function withDefaults<Route extends string>(options: HttpOptions<Route>) {
  return {
    ...DEFAULTS,
    clock: REAL_CLOCK,
    charset: undefined,
    ...options,
    retry: { ...DEFAULTS.retry, ...options.retry },
    budget: { ...DEFAULTS.budget, ...options.budget },
    circuit: { ...DEFAULTS.circuit, ...options.circuit },
  };
}

function zeroCounts<Route extends string>(routes: Readonly<Record<Route, unknown>>): Record<Route, number> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys loses the names
  return Object.fromEntries(Object.keys(routes).map((route) => [route, 0])) as Record<Route, number>;
}

/** What a request failed with in the end. A pause that is too long to be waited for concerns all of the shop's. */
function toFailure(error: unknown, what: string, maxRetryAfterMs: number): unknown {
  if (!(error instanceof TransientError || error instanceof TerminalError)) return error;
  const message = `${what}: ${error.message}`;
  if (error instanceof TerminalError)
    return new (error instanceof ShapeError ? ShapeError : TerminalError)(message, error);
  const isOfAll = error instanceof UnavailableError || (error.retryAfterMs ?? 0) > maxRetryAfterMs;
  return new (isOfAll ? UnavailableError : TransientError)(message, error);
}
