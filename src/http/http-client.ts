import { TerminalError, TransientError, UnavailableError } from '../errors.ts';
import { readAnswer } from './response.ts';
import { createAttempt } from './attempt.ts';
import { type CircuitPolicy, DEFAULT_CIRCUIT } from './circuit-breaker.ts';
import { type Clock, REAL_CLOCK } from './clock.ts';
import type { Charset } from './charset.ts';
import { createExchange, type Credentials, type Exchange } from './transport.ts';
import { Gate } from './availability-gate.ts';
import { type Gauge, gaugeOf } from './client-health.ts';
import type { ApiRequest, ReadAnswer, Route } from './request.ts';
import { type BudgetPolicy, DEFAULT_BUDGET } from './retry-budget.ts';
import { DEFAULT_RETRY, type RetryPolicy, withRetry } from './retry.ts';
import { wireQuery } from '../shop-api/endpoints/orders.ts';
import { ShapeError } from './shape-error.ts';
import { smallRequests } from '../shop-api/probe-requests.ts';
import { createThrottle, type Throttle } from './rate-limiter.ts';
import type { ProxySettings, Transport } from './connection-pool.ts';
import { bySchema, wireValue } from '../shop-api/wire-schemas.ts';

export type HttpOptions = Credentials & {
  /** The shop's address, such as `https://shop.example`; the API lies below its `/adm/api/`. */
  readonly baseUrl: string;
  /** Requests in flight at once. @default 4 */
  readonly maxConcurrency?: number;
  /** Requests started per second. @default 10 */
  readonly maxRps?: number;
  /** For one try, to the last byte of the answer. @default 30_000 */
  readonly timeoutMs?: number;
  /** Decoded size of the largest answer that is read. @default 32 MiB */
  readonly maxBodyBytes?: number;
  /** The charset of answers that name none and are not UTF-8: a label that `TextDecoder` knows. @default none */
  readonly charset?: string | undefined;
  /** @default none: the shop is reached directly */
  readonly proxy?: ProxySettings | undefined;
  /** What carries requests to the shop. @default connections of its own */
  readonly transport?: Transport | undefined;
  readonly retry?: RetryPolicy;
  readonly budget?: BudgetPolicy;
  readonly circuit?: CircuitPolicy;
  /** A shop that stopped answering is waited for up to this. @default 900_000 */
  readonly maxOutageMs?: number;
  /** What pauses, circuit and budget go by. @default the real time */
  readonly clock?: Clock;
  /** Told of every try when it has ended. */
  readonly onTry?: (ended: EndedTry) => void;
};

export type EndedTry = {
  readonly route: Route;
  readonly outcome: 'ok' | 'transient' | 'terminal' | 'stopped';
  readonly tookMs: number;
};

/** Requests sent so far, every try and probe counted, and the tries that were not the first. */
export type RequestCounts = Readonly<Record<Route, number>> & { readonly retries: number };

export type Http = {
  readonly counts: RequestCounts;
  readonly gauge: Gauge;
  /** What the shop was found to write in; undefined before it wrote more than ASCII. */
  readonly charset: Charset | undefined;
  send<Answer>(request: ApiRequest<Answer>): Promise<Answer>;
};

/** One shop's HTTP: gate, limiter and one exchange for each try, and one retry loop around request, body and shape. */
export function createHttp(options: HttpOptions): Http {
  const { maxConcurrency = 4, maxRps = 10, clock = REAL_CLOCK } = options;
  const exchange = createExchange({
    ...options,
    maxConcurrency,
    timeoutMs: options.timeoutMs ?? 30_000,
    maxBodyBytes: options.maxBodyBytes ?? 32 * 1024 * 1024,
    charset: options.charset,
  });
  const retry = { ...DEFAULT_RETRY, ...options.retry };
  const budget = { ...DEFAULT_BUDGET, ...options.budget };
  const throttle = createThrottle({ maxConcurrency, maxRps, budget, clock });
  const counts = { orders: 0, content: 0, user: 0, groups: 0, auth: 0, retries: 0 };
  const sent = { probes: 0 };
  let answers = 0;

  const once = async <Answer>(request: ApiRequest<Answer>): Promise<ReadAnswer<Answer>> => {
    const { route } = request;
    counts[route]++;
    const beganMs = performance.now();
    const tell = (outcome: EndedTry['outcome']) =>
      options.onTry?.({ route, outcome, tookMs: performance.now() - beganMs });
    try {
      const answer = readExchange(request, await exchange.send(request), Temporal.Now.instant());
      if (answer.shop === 'well') answers++;
      tell('ok');
      return answer;
    } catch (error) {
      tell(outcomeOf(error));
      throw route === 'orders' ? refusedLater(error, answers) : error;
    }
  };
  const probe = createProbe(once, throttle, () => sent.probes++);
  const gate = new Gate({
    clock,
    circuit: { ...DEFAULT_CIRCUIT, ...options.circuit },
    maxRetryAfterMs: retry.maxRetryAfterMs,
    maxOutageMs: options.maxOutageMs ?? 900_000,
    newest: () => throttle.newest,
    probe: (signal) => throttle.run((number) => probe(number, signal), signal),
  });
  const attempt = createAttempt({ clock, gate, throttle, once, maxRetryAfterMs: retry.maxRetryAfterMs });
  const ports = { clock, gate, spend: () => throttle.spendRetry(), onRetry: () => counts.retries++ };
  return {
    counts,
    gauge: gaugeOf({ throttle, gate, sent }, { maxConcurrency, maxRps }),
    get charset() {
      return exchange.charset;
    },
    send: (request) => {
      const maxTries = Math.min(retry.maxTries, request.maxTries ?? Number.POSITIVE_INFINITY);
      const policy = { ...retry, maxTries };
      return naming(request, () => withRetry(() => attempt(request), policy, ports, request.signal));
    },
  };
}

function readExchange<Answer>(
  request: ApiRequest<Answer>,
  exchange: Exchange,
  now: Temporal.Instant,
): ReadAnswer<Answer> {
  if (request.read !== undefined) return request.read(exchange, now);
  return { value: readAnswer(exchange, request.readShape, now), shop: 'well' };
}

/** A login that was accepted before is not what is wrong with it. @param answers so far */
function refusedLater(error: unknown, answers: number): unknown {
  if (!(error instanceof TerminalError) || error.status !== 403 || answers === 0) return error;
  const count = answers === 1 ? '1 answer' : `${answers} answers`;
  return new TerminalError(
    `the shop began to refuse requests (HTTP 403) after ${count}; it may limit how many it answers, or what the login ` +
      'may do was changed',
    error,
  );
}

function outcomeOf(error: unknown): EndedTry['outcome'] {
  if (error instanceof TransientError) return 'transient';
  return error instanceof TerminalError ? 'terminal' : 'stopped';
}

/**
 * Asks the shop for a row of its list. Of a shop that was there until now, not every kind of request need be answered: the one
 * that was is asked first from then on.
 */
function createProbe(
  once: <Answer>(request: ApiRequest<Answer>) => Promise<ReadAnswer<Answer>>,
  throttle: Pick<Throttle, 'failed'>,
  onProbe: () => void,
): (number: number, signal: AbortSignal | undefined) => Promise<ReadAnswer<unknown>> {
  let isAway = false;
  let answered = 0;
  const failed = (error: unknown, signal: AbortSignal | undefined): error is TransientError =>
    error instanceof TransientError && signal?.aborted !== true;
  const ask = async (signal: AbortSignal | undefined, tries = 1): Promise<ReadAnswer<unknown>> => {
    const queries = smallRequests(Temporal.Now.plainDateTimeISO('UTC')).map(wireQuery);
    try {
      return await once({ ...PROBE, query: queries[answered] ?? {}, signal });
    } catch (error) {
      const isLast = isAway || tries === queries.length;
      if (isLast || !failed(error, signal) || error.retryAfterMs !== undefined) throw error;
      answered = (answered + 1) % queries.length;
      return await ask(signal, tries + 1);
    }
  };
  return async (number, signal) => {
    onProbe();
    try {
      const answer = await ask(signal);
      isAway = false;
      return answer;
    } catch (error) {
      if (failed(error, signal)) {
        if (!isAway) answered = 0;
        isAway = true;
        // The longer the outage, the more slowly it is begun anew.
        throttle.failed(number);
      }
      throw error;
    }
  };
}

const PROBE = {
  route: 'orders',
  method: 'GET',
  path: 'orders',
  readShape: bySchema(wireValue),
} as const;

async function naming<Answer>(request: ApiRequest<Answer>, send: () => Promise<Answer>): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    throw named(error, request);
  }
}

/** Puts before the sentence what was asked for; keys in the path may be personal, so only the route is named. */
function named(error: unknown, { method, route }: ApiRequest<unknown>): unknown {
  const what = `${method} ${ROUTE_PATHS[route]}`;
  if (error instanceof UnavailableError) return new UnavailableError(`${what}: ${error.message}`, error);
  if (error instanceof ShapeError) return new ShapeError(`${what}: ${error.message}`, error);
  if (error instanceof TerminalError) return new TerminalError(`${what}: ${error.message}`, error);
  if (error instanceof TransientError) return new TransientError(`${what}: ${error.message}`, error);
  return error;
}

const ROUTE_PATHS: Readonly<Record<Route, string>> = {
  orders: '/orders',
  content: '/orders/ID',
  user: '/users/KEY',
  groups: '/groups',
  auth: '/auth',
};
