import ky, { type KyInstance, type Options } from 'ky';

import { ShapeError, TerminalError, TransientError, UnavailableError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { AvailabilityGate } from './availability-gate.ts';
import type { Charset } from './charset.ts';
import { REAL_CLOCK } from './clock.ts';
import { ACCEPT_ENCODING, createConnectionPool } from './connection-pool.ts';
import { DEFAULTS, type HttpOptions } from './http-options.ts';
import { type FoundPace, Pace, type PaceOptions } from './pace.ts';
import { createProbe } from './probe.ts';
import type { HttpRequest } from './request.ts';
import { Exchange, RetryBudget } from './retry.ts';
import { ShopFetch } from './shop-fetch.ts';
import { createTransport } from './transport.ts';

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
  const pool = options.pool ?? createConnectionPool({ ...settings, origin, connections: maxConcurrency });
  // Credentials are unknown to ky, whose errors hold what it was given.
  const transport = createTransport({
    ...settings,
    headers: { ...COMMON_HEADERS, ...options.headers },
    origin,
    pool,
  });
  const pace = new Pace(settings);
  const counts = Object.assign(zeroCounts(routes), { retries: 0 });
  const client = createKy(settings, () => shopFetch);
  const sendBy = async <Value>(
    how: 'send' | 'sendOnce',
    request: HttpRequest<Route, Value>,
  ): Promise<Value> => {
    const exchange = new Exchange(request, retry, clock);
    const fetch = (wire: Request) => shopFetch[how](wire, exchange);
    await client(request.path, toKyOptions(request, retry.maxAttempts, fetch));
    if (exchange.answer === undefined) throw new TypeError('ky fetched nothing');
    return exchange.answer.value;
  };
  const probe = createProbe<Route>(options.probeRequests, pace, (request) => sendBy('sendOnce', request));
  const gate = new AvailabilityGate({ ...settings, maxRetryAfterMs: retry.maxRetryAfterMs, pace, probe });
  const budget = new RetryBudget(settings.budget, clock);
  const shopFetch = new ShopFetch<Route>({ ...settings, gate, pace, budget, transport, counts });
  return {
    counts,
    get health() {
      return { ...readHealth(pace, gate), maxConcurrency, maxRps, probes: probe.count };
    },
    resume: (found) => pace.resume(found),
    get charset() {
      return transport.charset;
    },
    async send(request) {
      try {
        return await sendBy('send', request);
      } catch (error) {
        request.signal?.throwIfAborted();
        throw toFailure(error, `${request.method} ${routes[request.route].label}`, retry.maxRetryAfterMs);
      }
    },
  };
}

function readHealth(
  { concurrency, lowestConcurrency, foundRps, limitedBy }: Pace,
  { circuit, answers, isFailing, pausedUntilMs: until }: AvailabilityGate,
) {
  const pausedUntil =
    until === undefined ? undefined : Temporal.Instant.fromEpochMilliseconds(Math.ceil(until));
  return { concurrency, lowestConcurrency, foundRps, limitedBy, circuit, answers, isFailing, pausedUntil };
}

/** What is the same for all requests. */
function createKy(
  { baseUrl, retry }: Pick<Settings, 'baseUrl' | 'retry'>,
  fetching: () => Pick<ShopFetch<string>, 'mayRetry' | 'beforeRetry'>,
): KyInstance {
  const { firstPauseMs, maxPauseMs, maxAttempts } = retry;
  return ky.create({
    prefix: baseUrl,
    // A status is judged together with the body. Time-outs are in the transport: a wait for the shop uses none up.
    throwHttpErrors: false,
    timeout: false,
    hooks: { beforeRetry: [({ error }) => fetching().beforeRetry(error)] },
    retry: {
      limit: maxAttempts - 1,
      // What is posted may have been done although it failed.
      methods: ['get'],
      shouldRetry: ({ error }) => fetching().mayRetry(error),
      delay: (attempts) => firstPauseMs * 2 ** (attempts - 1),
      backoffLimit: maxPauseMs,
      // Half of a pause is random, so that clients do not retry in step, and half is not, so that a server whose errors
      // come at once does not use up the attempts at once.
      jitter: (pauseMs) => (Math.min(pauseMs, maxPauseMs) * (1 + Math.random())) / 2,
    },
  });
}

/** A request in ky's terms. What all requests share is in the instance, since ky merges the options of each. */
function toKyOptions(
  { method, query, body, signal, maxAttempts }: HttpRequest<string, unknown>,
  mostAttempts: number,
  send: (wire: Request) => Promise<Response>,
): Options {
  return {
    method,
    fetch: (wire) => send(wire instanceof Request ? wire : new Request(wire)),
    ...(query && { searchParams: query }),
    ...(body && { json: body }),
    ...(signal && { signal }),
    ...(maxAttempts && { retry: { limit: Math.min(maxAttempts, mostAttempts) - 1 } }),
  };
}

const COMMON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json',
  'accept-encoding': ACCEPT_ENCODING,
  'cache-control': 'no-cache',
  'user-agent': `order-sync/${VERSION}`,
};

type Settings = ReturnType<typeof withDefaults<string>>;

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
