import { setImmediate } from 'node:timers/promises';

import type { KyInstance } from 'ky';

import {
  isRefusedStatus,
  ShapeError,
  TerminalError,
  TransientError,
  UnavailableError,
} from '../model/errors.ts';
import type { AvailabilityGate } from './availability-gate.ts';
import { type Charset, decodeBody, unpack } from './charset.ts';
import { type ConnectionPool, type PoolResponse, sendWithin } from './connection-pool.ts';
import type { EndedAttempt, HttpSettings } from './http-options.ts';
import { toFailure } from './network-error.ts';
import type { Pace, Seen, Started } from './pace.ts';
import type { HttpRequest, ReadResponse } from './request.ts';
import type { RetryBudget } from './retry-budget.ts';

/** What all requests to a shop share. */
export type ExchangePorts<Route extends string> = HttpSettings<Route> & {
  readonly pool: ConnectionPool;
  readonly gate: AvailabilityGate;
  readonly pace: Pace;
  readonly retryBudget: RetryBudget;
  readonly counts: Record<Route | 'retries', number>;
  readonly found: {
    /** The charset of the last data beyond ASCII; undefined before there was any. */
    charset: Charset | undefined;
    /** Resolves when the data that came before is read. */
    turn: Promise<void>;
  };
};

/** So many outages do not count as attempts of a request; then they do, so that a record that always fails is not tried for ever. */
const MAX_FORGIVEN = 5;
/** A 503 within this time is a rate limit; an overloaded server takes longer. */
const QUICK_MS = 1000;
/** What servers answer that have too much to do at once. */
const OVERLOADED: ReadonlySet<number | undefined> = new Set([502, 503, 504]);

/** What ky gets: the answer has been read. */
const ANSWERED = new Response();

/**
 * A request on its way. Each attempt waits for the gate, then for a slot; no attempt has a slot while it waits for the gate. A response
 * without success is read before the slot is released, so that gate and pace know of it before the next request starts. Data is
 * read after the next request was sent.
 */
export class Exchange<Route extends string, Value> {
  readonly #ports: ExchangePorts<Route>;
  readonly #request: HttpRequest<Route, Value>;
  readonly #isProbe: boolean;
  /** Of the last attempt: what was read from the response, or why nothing was. */
  #answer: ReadResponse<Value> | undefined;
  #failure: unknown;
  #status: number | undefined;
  #sentMs = 0;
  /** The gate's count as the last attempt started. */
  #outages = 0;
  #isRetry = false;
  #refusals = 0;
  #mismatches = 0;
  #forgiven = 0;

  /** @param isProbe whether it is sent past the gate, which learns of its end by itself */
  constructor(ports: ExchangePorts<Route>, request: HttpRequest<Route, Value>, isProbe: boolean) {
    this.#ports = ports;
    this.#request = request;
    this.#isProbe = isProbe;
  }

  /**
   * Lets ky send the request. Headers, body and signal go past ky, since it merges them anew for each request, which costs time
   * and memory.
   *
   * @throws TransientError, UnavailableError, TerminalError; the signal's reason
   */
  async send(client: KyInstance, maxAttempts: number): Promise<Value> {
    const { path, method, query } = this.#request;
    await client(path, {
      method,
      fetch: (wire) => this.#fetch(new URL(wire instanceof Request ? wire.url : wire)),
      retry: { limit: maxAttempts - 1, shouldRetry: ({ error }) => this.#mayRetry(error) },
      hooks: { beforeRetry: [({ retryCount }) => this.#pause(retryCount)] },
      ...(query && { searchParams: query }),
    });
    if (this.#answer === undefined) throw new TypeError('the request has no answer');
    return this.#answer.value;
  }

  /** Sends the request through gate and pace, and reads its answer. What was refused as too much, or failed in an outage, is sent again. */
  async #fetch(url: URL): Promise<Response> {
    const { found, gate, pace } = this.#ports;
    const { method, signal } = this.#request;
    const isShut = () => !this.#isProbe && gate.isShut;
    for (;;) {
      if (isShut()) await gate.pass(signal);
      const sent = await pace.run((started) => this.#sendInSlot(url, started), signal, isShut);
      if (sent === undefined || sent === 'again') continue;
      if (sent !== 'read') {
        // Answers come in bunches: if all of a bunch were read at once, the shop would have nothing to do meanwhile.
        await (found.turn = found.turn.then(() => setImmediate()));
        this.#read(sent);
        this.#conclude();
      }
      // That one record was refused is reported once it is known that not everything is.
      if (this.#isRefused && isShut()) await gate.pass(signal);
      if (this.#answer !== undefined) return ANSWERED;
      signal?.throwIfAborted();
      // What is posted is sent once.
      if (this.#isProbe || method !== 'GET' || !isOfShop(this.#failure)) throw this.#failure;
      // Whoever fails as the shop goes down waits for its return, and what failed because of that is not counted.
      if (gate.circuit !== 'closed') await gate.pass(signal);
      if (gate.outages === this.#outages || ++this.#forgiven > MAX_FORGIVEN) throw this.#failure;
    }
  }

  /** @returns unread data; `again` if the request was refused because of a rate limit, and must be sent again */
  async #sendInSlot(url: URL, started: Started): Promise<PoolResponse | 'read' | 'again'> {
    const { counts, gate, pace } = this.#ports;
    const { route, method, signal } = this.#request;
    this.#outages = gate.outages;
    if (this.#isRetry) counts.retries++;
    this.#isRetry = true;
    const response = await this.#send(url);
    const isData = response !== undefined && isSuccess(response.status);
    if (response !== undefined && !isData) this.#read(response);
    if (signal?.aborted !== true) {
      const seen = this.#see();
      pace.record(route, started, seen);
      if (seen === 'refused' && method === 'GET' && !this.#isProbe && !hasPause(this.#failure)) {
        this.#refusals++;
        this.#report();
        return 'again';
      }
    }
    if (isData) return response;
    this.#conclude();
    return 'read';
  }

  async #send(url: URL): Promise<PoolResponse | undefined> {
    const { counts, headers, onRedirect, pool } = this.#ports;
    const { body, method, route, signal } = this.#request;
    counts[route]++;
    this.#sentMs = performance.now();
    this.#answer = this.#failure = this.#status = undefined;
    try {
      const request = { method, headers, body: body && JSON.stringify(body) };
      const response = await sendWithin(pool, url, request, onRedirect, signal);
      this.#status = response.status;
      return response;
    } catch (error) {
      this.#failure = signal?.aborted === true ? signal.reason : toFailure(error, this.#ports);
      return undefined;
    }
  }

  #read({ status, headers, bytes }: PoolResponse): void {
    const { charset: setting, found, maxBodyBytes } = this.#ports;
    try {
      const hints = { contentType: headers.get('content-type'), setting };
      const { charset, ...decoded } = decodeBody(unpack(bytes, maxBodyBytes), hints);
      // An error page shows nothing of the charset of the shop's data.
      if (isSuccess(status)) found.charset = charset ?? found.charset;
      this.#answer = this.#request.read({ status, headers, ...decoded }, Temporal.Now.instant());
    } catch (error) {
      const isOfBody = error instanceof Error && 'code' in error;
      this.#failure = isOfBody ? toFailure(error, this.#ports) : error;
    }
  }

  /**
   * What an attempt says about the pace: HTTP 429, and 503 if it comes at once, that there were too many in a second; 502,
   * 503, 504 and no response, that there were too many at once; another failure, such as 500 for one record, nothing.
   */
  #see(): Seen {
    if (!isOfShop(this.#failure)) return 'answered';
    const { status } = this.#failure;
    const isQuick = performance.now() - this.#sentMs < QUICK_MS;
    if (status === 429 || (status === 503 && isQuick)) {
      const { pace, retry } = this.#ports;
      return pace.isBlocked || this.#refusals >= retry.maxRefusals ? 'failed' : 'refused';
    }
    return status === undefined || OVERLOADED.has(status) ? 'failed' : 'nothing';
  }

  get #isRefused(): boolean {
    const { route } = this.#request;
    return this.#ports.routes[route].refusalScope === 'record' && isRefusedStatus(this.#status);
  }

  /** Reports what the last attempt says about the shop. */
  #conclude(): void {
    this.#report();
    if (this.#failure instanceof ShapeError) this.#mismatches++;
    if (this.#isProbe || this.#request.signal?.aborted === true) return;
    const { gate, retryBudget } = this.#ports;
    const seen = this.#isRefused ? 'refusing' : (this.#answer?.shop ?? 'unknown');
    gate.record(isOfShop(this.#failure) ? this.#failure : seen, this.#outages);
    if (seen === 'working') retryBudget.recordSuccess();
  }

  #report(): void {
    const tookMs = performance.now() - this.#sentMs;
    this.#ports.onAttempt?.({ route: this.#request.route, outcome: outcomeOf(this.#failure), tookMs });
  }

  /**
   * Whether another attempt is worth its time; their number, and that only a GET is sent again, are ky's to know. After a
   * response of an unexpected shape one more is made, since a proxy's passing error page looks the same.
   */
  #mayRetry(error: unknown): boolean {
    if (this.#request.signal?.aborted === true) return false;
    if (error instanceof ShapeError) return this.#mismatches === 1;
    if (!(error instanceof TransientError) || error instanceof UnavailableError) return false;
    // Nobody waits for the end of a pause that is too long.
    return (error.retryAfterMs ?? 0) <= this.#ports.retry.maxRetryAfterMs;
  }

  /**
   * The pause before a retry. Half of it is random, so that clients do not retry in step, and half is not, so that a server whose
   * errors come at once does not use up the attempts at once.
   *
   * @throws the signal's reason
   */
  async #pause(attempts: number): Promise<void> {
    const { clock, retryBudget, retry } = this.#ports;
    const longestMs = Math.min(retry.maxPauseMs, retry.firstPauseMs * 2 ** (attempts - 1));
    const pauseMs = (longestMs * (1 + Math.random())) / 2;
    await clock.sleep(Math.max(pauseMs, retryBudget.spend()), this.#request.signal);
  }
}

const isSuccess = (status: number) => status >= 200 && status <= 299;

const hasPause = (failure: unknown) =>
  failure instanceof TransientError && failure.retryAfterMs !== undefined;

function isOfShop(error: unknown): error is TransientError {
  return error instanceof TransientError && error.scope === 'shop';
}

function outcomeOf(error: unknown): EndedAttempt<string>['outcome'] {
  if (error === undefined) return 'ok';
  if (error instanceof TransientError) return 'transient';
  return error instanceof TerminalError ? 'terminal' : 'stopped';
}
