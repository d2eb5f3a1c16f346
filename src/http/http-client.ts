/** Resilient HTTP to one server: ky, which fetches through gate and pace, and asks again where that may help. */
import ky from 'ky';

import { ShapeError, TerminalError, TransientError, UnavailableError } from '../model/errors.ts';
import { VERSION } from '../model/program.ts';
import { AvailabilityGate } from './availability-gate.ts';
import type { Charset } from './charset.ts';
import { REAL_CLOCK } from './clock.ts';
import { createConnectionPool } from './connection-pool.ts';
import { Exchange, type ExchangePorts } from './exchange.ts';
import { DEFAULTS, type HttpOptions, type HttpSettings } from './http-options.ts';
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
    /** Until when a shop that does not answer is waited for; undefined while it is not taken to be down. */
    readonly waitsUntil: Temporal.Instant | undefined;
    /** Probes sent so far; they are in the counts of list requests too. */
    readonly probes: number;
  };

export type HttpClient<Route extends string> = {
  readonly counts: RequestCounts<Route>;
  readonly health: ClientHealth;
  /** Starts over with what an earlier run found. */
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
  // Time-outs are the connection's, and pauses a hook's: a wait for the shop uses none up.
  const client = ky.create({
    prefix: settings.baseUrl,
    timeout: false,
    retry: { methods: ['get'], delay: () => 0 },
  });
  const counts = Object.assign(zeroCounts(routes), { retries: 0 });
  const send = <Value>(request: HttpRequest<Route, Value>, isProbe: boolean, attempts: number) =>
    new Exchange(ports, request, isProbe).send(client, attempts);
  let [probes, failedProbes] = [0, 0];
  /** A shop that worked until now need not answer every kind of request: after a failure the next one is sent. */
  const probe = async (signal: AbortSignal | undefined) => {
    const candidates = options.probeRequests();
    const request = candidates[failedProbes++ % candidates.length];
    if (request === undefined) throw new TypeError('there is nothing to probe the shop with');
    probes++;
    await send({ ...request, signal }, true, 1);
    failedProbes--;
  };
  const gate = new AvailabilityGate({ ...settings, maxRetryAfterMs: retry.maxRetryAfterMs, probe });
  const ports: ExchangePorts<Route> = {
    ...settings,
    headers: { ...COMMON_HEADERS, ...settings.headers },
    gate,
    pace,
    retryBudget: new RetryBudget(settings.budget, clock),
    pool,
    counts,
    found: { charset: undefined, turn: Promise.resolve() },
  };
  return {
    counts,
    get health() {
      const { circuit, answers, isFailing } = gate;
      const pausedUntil = toInstant(gate.pausedUntilMs);
      const ofGate = { circuit, answers, isFailing, pausedUntil, waitsUntil: toInstant(gate.waitsUntilMs) };
      return { ...pace.state, ...ofGate, maxConcurrency, maxRps, probes };
    },
    resume: (found) => pace.resume(found),
    get charset() {
      return ports.found.charset;
    },
    async send(request) {
      try {
        return await send(request, false, Math.min(request.maxAttempts ?? Infinity, retry.maxAttempts));
      } catch (error) {
        throw finalError(error, `${request.method} ${routes[request.route].label}`, retry.maxRetryAfterMs);
      }
    },
  };
}

const toInstant = (ms: number | undefined) =>
  ms === undefined ? undefined : Temporal.Instant.fromEpochMilliseconds(Math.ceil(ms));

/** Connections for each request in flight: before undici uses a connection again, two turns of the event loop go by. */
const SPARE = 1.25;

const COMMON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json',
  'accept-encoding': 'gzip',
  'cache-control': 'no-cache',
  'user-agent': `order-sync/${VERSION}`,
};

function withDefaults<Route extends string>(options: HttpOptions<Route>): HttpSettings<Route> {
  return {
    ...DEFAULTS,
    clock: REAL_CLOCK,
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
function finalError(error: unknown, what: string, maxRetryAfterMs: number): unknown {
  if (!(error instanceof TransientError || error instanceof TerminalError)) return error;
  const message = `${what}: ${error.message}`;
  if (error instanceof TerminalError)
    return new (error instanceof ShapeError ? ShapeError : TerminalError)(message, error);
  const isOfAll = error instanceof UnavailableError || (error.retryAfterMs ?? 0) > maxRetryAfterMs;
  return new (isOfAll ? UnavailableError : TransientError)(message, error);
}
