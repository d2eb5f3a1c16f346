import ky, { isForceRetryError, type KyInstance, type Options } from 'ky';

import { TransientError, UnavailableError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { AvailabilityGate } from './availability-gate.ts';
import type { Charset } from './charset.ts';
import { type ClientHealth, createClientHealth } from './client-health.ts';
import { REAL_CLOCK } from './clock.ts';
import { createConnectionPool } from './connection-pool.ts';
import { ACCEPT_ENCODING } from './content-coding.ts';
import { DEFAULTS, type HttpOptions } from './http-options.ts';
import { Pace } from './pace.ts';
import { createProbe } from './probe.ts';
import type { HttpRequest } from './request.ts';
import { type Answer, answerTo, nameError } from './response.ts';
import { Effort } from './retry.ts';
import { ShopFetch } from './shop-fetch.ts';
import { createTransport } from './transport.ts';

/** Requests sent so far by route, every attempt and probe counted, and the attempts that were not the first. */
export type RequestCounts<Route extends string> = Readonly<Record<Route, number>> & {
  readonly retries: number;
};

export type HttpClient<Route extends string> = {
  readonly counts: RequestCounts<Route>;
  readonly health: ClientHealth;
  /** The charset that responses were found to be in; undefined before there was more than ASCII. */
  readonly charset: Charset | undefined;
  /** @throws TerminalError, TransientError, UnavailableError, the signal's reason */
  send<Value>(request: HttpRequest<Route, Value>): Promise<Value>;
};

/** Resilient HTTP to one server: ky, which fetches through gate and pace, and asks again where that may help. */
export function createHttpClient<Route extends string>(options: HttpOptions<Route>): HttpClient<Route> {
  const settings = withDefaults(options);
  const { clock, routes, retry, maxConcurrency, maxRps, baseUrl, onAttempt } = settings;
  const { origin } = new URL(baseUrl);
  const pool = options.pool ?? createConnectionPool({ ...settings, origin, connections: maxConcurrency });
  const transport = createTransport({ ...settings, origin, pool });
  const pace = new Pace(settings);
  const counts = Object.assign(zeroCounts(routes), { retries: 0 });
  const client = createKy(settings);
  const probe = createProbe<Route>(options.probeRequests, pace, async (request) => {
    const send = (wire: Request) => shopFetch.sendOnce(wire, request);
    const options = { ...toKyOptions(request, send), retry: { limit: 0 } };
    return answerTo(request, await client(request.path, options)).value;
  });
  const gate = new AvailabilityGate({ ...settings, maxRetryAfterMs: retry.maxRetryAfterMs, pace, probe });
  const shopFetch = new ShopFetch({ clock, gate, pace, transport, routes, counts, onAttempt });
  return {
    counts,
    health: createClientHealth({ pace, gate, probe }, { maxConcurrency, maxRps }),
    get charset() {
      return transport.charset;
    },
    async send(request) {
      const effort = new Effort(retry, clock);
      const send = (wire: Request) => shopFetch.send(wire, request, effort);
      const beforeRetry = async () => {
        effort.recordPause();
        counts.retries++;
        await clock.sleep(pace.spendRetry(), request.signal);
      };
      const kyOptions = {
        ...toKyOptions(request, send),
        ...toKyRetry(request, effort, beforeRetry, retry.maxAttempts),
      };
      try {
        return answerTo(request, await client(request.path, kyOptions)).value;
      } catch (error) {
        request.signal?.throwIfAborted();
        throw toFailure(error, `${request.method} ${routes[request.route].label}`, retry.maxRetryAfterMs);
      }
    },
  };
}

/** What is the same for all requests. */
function createKy({ baseUrl, headers, retry }: Pick<Settings, 'baseUrl' | 'headers' | 'retry'>): KyInstance {
  const { firstPauseMs, maxPauseMs } = retry;
  return ky.create({
    prefix: baseUrl,
    headers: { ...COMMON_HEADERS, ...headers },
    // A status is judged together with the body. Time-outs are in the transport: a wait for the shop uses none up.
    throwHttpErrors: false,
    timeout: false,
    retry: {
      delay: (attempts) => firstPauseMs * 2 ** (attempts - 1),
      backoffLimit: maxPauseMs,
      // Half of a pause is random, so that clients do not retry in step, and half is not, so that a server whose errors
      // come at once does not use up the attempts at once.
      jitter: (pauseMs) => (Math.min(pauseMs, maxPauseMs) * (1 + Math.random())) / 2,
    },
  });
}

const COMMON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json',
  'accept-encoding': ACCEPT_ENCODING,
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

/** A request in ky's terms. @param send sends what ky made of it */
function toKyOptions<Value>(
  { method, query, body, signal }: HttpRequest<string, Value>,
  send: (wire: Request) => Promise<Answer<Value>>,
): Options {
  const fetch: Options['fetch'] = (input) => send(input instanceof Request ? input : new Request(input));
  return {
    method,
    fetch,
    ...(query && { searchParams: query }),
    ...(body && { json: body }),
    ...(signal && { signal }),
  };
}

/** When a request is sent again: after what broke off, and after responses that say so. */
function toKyRetry<Value>(
  request: HttpRequest<string, Value>,
  effort: Effort,
  beforeRetry: () => Promise<void>,
  mostAttempts: number,
): Pick<Options, 'retry' | 'hooks'> {
  const afterResponse = ({ response }: { readonly response: Response }) => {
    const { error } = answerTo(request, response).reading;
    if (error === undefined) return undefined;
    if (effort.mayRetry(error)) return ky.retry({ cause: error });
    throw error;
  };
  const { method, maxAttempts = mostAttempts } = request;
  // What is posted may have been done although it failed.
  const limit = method === 'GET' ? Math.min(maxAttempts, mostAttempts) - 1 : 0;
  return {
    retry: { limit, shouldRetry: ({ error }) => effort.mayRetry(error) },
    hooks: { afterResponse: [afterResponse], beforeRetry: [beforeRetry] },
  };
}

/** What a request failed with in the end. A pause that is too long to be waited for concerns all of the shop's. */
function toFailure(thrown: unknown, what: string, maxRetryAfterMs: number): unknown {
  const error = isForceRetryError(thrown) ? thrown.cause : thrown;
  const isTooLong = error instanceof TransientError && (error.retryAfterMs ?? 0) > maxRetryAfterMs;
  return nameError(isTooLong ? new UnavailableError(error.message, error) : error, what);
}
