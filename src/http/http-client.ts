import ky, { type KyInstance } from 'ky';

import { ShapeError, TerminalError, TransientError, UnavailableError } from '../model/errors.ts';
import { VERSION } from '../model/program.ts';
import { AvailabilityGate } from './availability-gate.ts';
import { BodyReader } from './body-reader.ts';
import type { Charset } from './charset.ts';
import { REAL_CLOCK } from './clock.ts';
import { createConnectionPool } from './connection-pool.ts';
import { ACCEPT_ENCODING } from './content-coding.ts';
import { Exchange, type ExchangePorts } from './exchange.ts';
import { DEFAULTS, type HttpOptions } from './http-options.ts';
import { type FoundPace, Pace, type PaceOptions } from './pace.ts';
import { createProbe } from './probe.ts';
import type { HttpRequest } from './request.ts';
import { RetryBudget } from './retry-budget.ts';

/** Requests sent so far by route, every attempt and probe counted, and the attempts that were not the first. */
export type RequestCounts<Route extends string> = Readonly<Record<Route, number>> & {
  readonly retries: number;
};

/** How the client treats its shop at this moment. */
type ClientHealth = Readonly<PaceOptions> &
  Pick<Pace, 'concurrency' | 'lowestConcurrency' | 'foundRps' | 'limitedBy'> &
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

/** Resilient HTTP to one server: ky, which fetches through gate and pace, and asks again where that may help. */
export function createHttpClient<Route extends string>(options: HttpOptions<Route>): HttpClient<Route> {
  const settings = withDefaults(options);
  const { clock, routes, retry, maxConcurrency, maxRps, baseUrl } = settings;
  const { origin } = new URL(baseUrl);
  const pool =
    options.pool ??
    createConnectionPool({ ...settings, origin, connections: Math.ceil(SPARE * maxConcurrency) });
  const pace = new Pace(settings);
  const transport = { ...settings, headers: { ...COMMON_HEADERS, ...settings.headers }, origin, pool };
  const reader = new BodyReader(settings.charset, transport);
  const counts = Object.assign(zeroCounts(routes), { retries: 0 });
  const client = createKy(baseUrl);
  const send = <Value>(request: HttpRequest<Route, Value>) => {
    const exchange = new Exchange(ports, request);
    const maxAttempts = Math.min(request.maxAttempts ?? Infinity, retry.maxAttempts);
    return sendBy(client, request, exchange, (wire) => exchange.fetch(wire), maxAttempts);
  };
  let probes = 0;
  const probe = createProbe(options.probeRequests, (request) =>
    pace.run(() => {
      probes++;
      const exchange = new Exchange(ports, request);
      return sendBy(client, request, exchange, (wire) => exchange.fetchOnce(wire), 1);
    }, request.signal),
  );
  const ports: ExchangePorts<Route> = {
    ...settings,
    gate: new AvailabilityGate({ ...settings, maxRetryAfterMs: retry.maxRetryAfterMs, probe }),
    pace,
    budget: new RetryBudget(settings.budget, clock),
    transport,
    reader,
    counts,
  };
  return {
    counts,
    get health() {
      const { concurrency, lowestConcurrency, foundRps, limitedBy } = pace;
      const { circuit, answers, isFailing, pausedUntilMs } = ports.gate;
      const pausedUntil =
        pausedUntilMs === undefined
          ? undefined
          : Temporal.Instant.fromEpochMilliseconds(Math.ceil(pausedUntilMs));
      const found = { concurrency, lowestConcurrency, foundRps, limitedBy, circuit, answers, isFailing };
      return { ...found, pausedUntil, maxConcurrency, maxRps, probes };
    },
    resume: (found) => pace.resume(found),
    get charset() {
      return reader.charset;
    },
    async send(request) {
      try {
        return await send(request);
      } catch (error) {
        throw toFailure(error, `${request.method} ${routes[request.route].label}`, retry.maxRetryAfterMs);
      }
    },
  };
}

/**
 * ky with what is the same for all requests. The signal and the headers go past it, since it merges them anew for each
 * request, which doubles what that costs; so the exchange pauses before a retry, and not ky.
 */
function createKy(prefix: string): KyInstance {
  return ky.create({
    prefix,
    // Time-outs are the connection's: a wait for the shop uses none up.
    timeout: false,
    retry: { delay: () => 0 },
  });
}

/** Lets ky send a request, which the exchange fetches and answers. */
async function sendBy<Value>(
  client: KyInstance,
  { path, method, query, body }: HttpRequest<string, Value>,
  exchange: Pick<Exchange<string, Value>, 'answer' | 'mayRetry'>,
  fetch: (wire: Request) => Promise<Response>,
  maxAttempts: number,
): Promise<Value> {
  await client(path, {
    method,
    fetch: (wire) => fetch(wire instanceof Request ? wire : new Request(wire)),
    retry: { limit: maxAttempts - 1, shouldRetry: ({ error }) => exchange.mayRetry(error) },
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
