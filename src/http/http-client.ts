import { TerminalError, TransientError } from '../errors.ts';
import { createAttempt } from './attempt.ts';
import { AvailabilityGate } from './availability-gate.ts';
import type { Charset } from './charset.ts';
import { DEFAULT_CIRCUIT } from './circuit-breaker.ts';
import { type ClientHealth, createClientHealth } from './client-health.ts';
import { REAL_CLOCK } from './clock.ts';
import type { EndedAttempt, HttpOptions } from './http-options.ts';
import { nameError } from './name-error.ts';
import { createProbe } from './probe.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { readResponse } from './read-response.ts';
import type { RoutePolicy, HttpRequest, ReadResponse } from './request.ts';
import type { HttpResponse } from './response.ts';
import { DEFAULT_BUDGET } from './retry-budget.ts';
import { DEFAULT_RETRY, withRetry } from './retry.ts';
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

/** Resilient HTTP to one server: gate, rate limiter, and one retry loop around request, body and shape. */
export function createHttpClient<Route extends string>(options: HttpOptions<Route>): HttpClient<Route> {
  const { maxConcurrency = 4, maxRps = 10, clock = REAL_CLOCK, routes } = options;
  const { timeoutMs = 30_000, maxBodyBytes = 32 * 1024 * 1024, charset } = options;
  const transport = createTransport({ ...options, maxConcurrency, timeoutMs, maxBodyBytes, charset });
  const retry = { ...DEFAULT_RETRY, ...options.retry };
  const { maxRetryAfterMs } = retry;
  const budget = { ...DEFAULT_BUDGET, ...options.budget };
  const rateLimiter = createRateLimiter({ maxConcurrency, maxRps, budget, clock });
  const counts = Object.assign(zeroCounts(routes), { retries: 0 });
  const sent = { probes: 0 };
  const sendOnce = createSendOnce(options, transport, counts);
  const probe = createProbe<Route>({
    requests: options.probeRequests,
    sendOnce,
    rateLimiter,
    onProbe: () => sent.probes++,
  });
  const gate = new AvailabilityGate({
    clock,
    circuit: { ...DEFAULT_CIRCUIT, ...options.circuit },
    maxRetryAfterMs,
    maxOutageMs: options.maxOutageMs ?? 900_000,
    lastStarted: () => rateLimiter.lastStarted,
    probe: (signal) => rateLimiter.run((number) => probe(number, signal), signal),
  });
  const attempt = createAttempt({ clock, gate, rateLimiter, routes, sendOnce, maxRetryAfterMs });
  const ports = { clock, gate, spend: () => rateLimiter.spendRetry(), onRetry: () => counts.retries++ };
  return {
    counts,
    health: createClientHealth({ rateLimiter, gate, sent }, { maxConcurrency, maxRps }),
    get charset() {
      return transport.charset;
    },
    send: async (request) => {
      const { signal, maxAttempts = Number.POSITIVE_INFINITY } = request;
      const policy = { ...retry, maxAttempts: Math.min(retry.maxAttempts, maxAttempts) };
      try {
        return await withRetry(() => attempt(request), policy, ports, signal);
      } catch (error) {
        throw nameError(error, `${request.method} ${routes[request.route].label}`);
      }
    },
  };
}

function zeroCounts<Route extends string>(routes: Readonly<Record<Route, unknown>>): Record<Route, number> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys loses the names
  return Object.fromEntries(Object.keys(routes).map((route) => [route, 0])) as Record<Route, number>;
}

/** Sends a request and reads its response; counts it, and reports how it ended. */
function createSendOnce<Route extends string>(
  { routes, onAttempt }: Pick<HttpOptions<Route>, 'routes' | 'onAttempt'>,
  transport: { send(request: HttpRequest<Route, unknown>): Promise<HttpResponse> },
  counts: Record<Route, number>,
): <Value>(request: HttpRequest<Route, Value>) => Promise<ReadResponse<Value>> {
  let successes = 0;
  return async (request) => {
    const { route } = request;
    counts[route]++;
    const startedMs = performance.now();
    const report = (outcome: EndedAttempt<Route>['outcome']) =>
      onAttempt?.({ route, outcome, tookMs: performance.now() - startedMs });
    try {
      const { notFound } = routes[route];
      const response = read(request, await transport.send(request), Temporal.Now.instant(), notFound);
      if (response.shop === 'working') successes++;
      report('ok');
      return response;
    } catch (error) {
      report(classify(error));
      throw routes[route].refusalScope === 'shop' ? explainLateRefusal(error, successes) : error;
    }
  };
}

function read<Value>(
  request: HttpRequest<string, Value>,
  response: HttpResponse,
  now: Temporal.Instant,
  notFound: RoutePolicy['notFound'],
): ReadResponse<Value> {
  if (request.read !== undefined) return request.read(response, now);
  return { value: readResponse(response, request.readShape, now, notFound), shop: 'working' };
}

/** A login that was accepted before is not the problem. @param successes so far */
function explainLateRefusal(error: unknown, successes: number): unknown {
  if (!(error instanceof TerminalError) || error.status !== 403 || successes === 0) return error;
  const count = successes === 1 ? '1 response' : `${successes} responses`;
  return new TerminalError(
    `the shop began to refuse requests (HTTP 403) after ${count}; it may limit the number of requests, or the ` +
      'permissions of the login were changed',
    error,
  );
}

function classify(error: unknown): EndedAttempt<string>['outcome'] {
  if (error instanceof TransientError) return 'transient';
  return error instanceof TerminalError ? 'terminal' : 'stopped';
}
