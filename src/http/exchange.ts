import { ShapeError, TerminalError, TransientError, UnavailableError } from '../model/errors.ts';
import type { AvailabilityGate, Verdict } from './availability-gate.ts';
import type { BodyReader } from './body-reader.ts';
import type { Clock } from './clock.ts';
import type { PoolResponse } from './connection-pool.ts';
import type { EndedAttempt, HttpNumbers, HttpOptions } from './http-options.ts';
import { type Pace, type Seen, SHUT, type Started } from './pace.ts';
import { type HttpRequest, isRefusal, type ReadResponse } from './request.ts';
import type { RetryBudget } from './retry-budget.ts';
import { toFailure, transmit, type TransportOptions } from './transport.ts';

/** What all requests to a shop share. */
export type ExchangePorts<Route extends string> = Pick<HttpOptions<Route>, 'routes' | 'onAttempt'> &
  Pick<HttpNumbers, 'retry'> & {
    readonly clock: Clock;
    readonly gate: AvailabilityGate;
    readonly pace: Pace;
    readonly budget: RetryBudget;
    readonly transport: TransportOptions;
    readonly reader: BodyReader;
    readonly counts: Record<Route | 'retries', number>;
  };

/** Outages whose failures are not held against a request; a record that always fails must come to an end. */
const MAX_FORGIVEN = 5;
/** A server that refuses what is too much does not think about it for long; one that is overloaded does. */
const QUICK_MS = 1000;
/** A request that is refused again after so many answers to others is refused for itself. */
const ANSWERS_BETWEEN = 10;
/** The server takes no more at the moment: whoever was refused is sent again when the pace allows it. */
const REFUSED = Symbol('refused');

/**
 * A request on its way: what ky fetches it with. Each attempt waits for the gate, then for a slot. Gate and pace are told
 * what its status says before it gives the slot back, so that what comes next knows. Its body is read after that, when the
 * next request is on its way. A slot is never held while the gate is shut.
 */
export class Exchange<Route extends string, Value> {
  readonly #ports: ExchangePorts<Route>;
  readonly #request: HttpRequest<Route, Value>;
  /** What was read from the response. */
  answer: ReadResponse<Value> | undefined;
  #attempts = 0;
  /** Of the last attempt. A probe has no turn of its own, since the gate learns of it by itself. */
  #started: Started | undefined;
  #sentMs = 0;
  #failure: unknown;
  #isConcluded = false;
  #retries = 0;
  #mismatches = 0;
  #forgiven = 0;
  #refusals = 0;
  /** The shop's answers when it was refused last. */
  #refusedAfter = Infinity;
  /** Attempts and pauses, in milliseconds; what is waited for the shop as a whole is not in it. */
  #ownMs = 0;
  #fetchedAtMs = 0;

  constructor(ports: ExchangePorts<Route>, request: HttpRequest<Route, Value>) {
    this.#ports = ports;
    this.#request = request;
  }

  /**
   * Sends the request through gate and pace, and reads its answer.
   *
   * @param wire the request as ky made it
   * @returns a response without anything: the answer is here
   * @throws TransientError, UnavailableError, TerminalError; the signal's reason
   */
  async fetch(wire: Request): Promise<Response> {
    const { clock, budget } = this.#ports;
    try {
      if (this.#attempts > 0) {
        // ky has paused; the budget is waited for as well.
        this.#ownMs += clock.nowMs() - this.#fetchedAtMs;
        await clock.sleep(budget.spend(), this.#request.signal);
      }
      await this.#fetchWhenUp(wire);
      return new Response();
    } finally {
      this.#fetchedAtMs = clock.nowMs();
    }
  }

  /** Sends the request once, past gate and pace. @throws as `fetch` does */
  async fetchOnce(wire: Request): Promise<Response> {
    await this.#read(await this.#send(wire));
    if (this.#failure !== undefined) throw this.#failure;
    return new Response();
  }

  async #fetchWhenUp(wire: Request): Promise<void> {
    const { gate, pace } = this.#ports;
    const { signal, method } = this.#request;
    const { refusals } = gate;
    for (;;) {
      await gate.pass(signal, refusals);
      let outages = 0;
      const attempt = (started: Started) => {
        outages = gate.outages;
        return this.#attempt(wire, started);
      };
      const response = await pace.run(attempt, signal, () => gate.isShut || gate.refusals > refusals);
      if (response === SHUT || response === REFUSED) continue;
      await this.#read(response);
      // That one record was refused is reported once it is known that not everything is.
      await gate.refusalChecked(signal, refusals);
      if (this.#failure === undefined) return;
      // Nobody waits for the end of a pause that is too long.
      if (method === 'GET' && isOfShop(this.#failure) && !this.#isPauseTooLong(this.#failure)) {
        // Whoever fails as the shop goes down waits for its return, and what failed because of that is not counted.
        if (gate.circuit !== 'closed') await gate.pass(signal, refusals);
        if (gate.outages !== outages && this.#forgive()) continue;
      }
      throw this.#failure;
    }
  }

  #forgive(): boolean {
    this.#ownMs = 0;
    return ++this.#forgiven <= MAX_FORGIVEN;
  }

  async #attempt(wire: Request, started: Started): Promise<PoolResponse | undefined | typeof REFUSED> {
    const { clock, counts, pace } = this.#ports;
    const { route, method, signal } = this.#request;
    if (this.#attempts++ > 0) counts.retries++;
    this.#started = started;
    const startedMs = clock.nowMs();
    const response = await this.#send(wire);
    this.#ownMs += clock.nowMs() - startedMs;
    if (signal?.aborted === true) return response;
    const seen = this.#see();
    pace.record(route, started, seen);
    const isSentAgain = seen === 'refused' && method === 'GET' && !hasPause(this.#failure);
    if (isSentAgain) this.#end();
    // What the body says is not known yet.
    else if (this.#failure !== undefined || isRefusal(response?.status)) this.#conclude(response?.status);
    return isSentAgain ? REFUSED : response;
  }

  async #send(wire: Request): Promise<PoolResponse | undefined> {
    const { transport, counts } = this.#ports;
    const { route, judge, signal } = this.#request;
    counts[route]++;
    this.#sentMs = performance.now();
    this.#isConcluded = false;
    try {
      const response = await transmit(transport, wire, signal);
      this.#failure = judge(response, Temporal.Now.instant());
      return response;
    } catch (error) {
      this.#failure = signal?.aborted === true ? signal.reason : toFailure(error, transport);
      return undefined;
    }
  }

  /** What an attempt says about the pace. */
  #see(): Seen {
    const { gate, pace, retry } = this.#ports;
    const seen = classify(this.#failure, performance.now() - this.#sentMs);
    if (seen !== 'refused' || hasPause(this.#failure)) return seen;
    const isAlone = gate.answers - this.#refusedAfter >= ANSWERS_BETWEEN;
    this.#refusedAfter = gate.answers;
    if (isAlone) return 'nothing';
    return pace.isLimited && ++this.#refusals <= retry.maxRefusals ? 'refused' : 'failed';
  }

  /** Reads what the last attempt was answered with, and reports what that says about the shop. */
  async #read(response: PoolResponse | undefined): Promise<void> {
    if (response !== undefined && this.#failure === undefined) {
      const { reader, transport } = this.#ports;
      const { read } = this.#request;
      try {
        const received = await reader.read(response).catch((error: unknown) => {
          throw toFailure(error, transport);
        });
        this.answer = read(received, Temporal.Now.instant());
      } catch (error) {
        this.#failure = error;
      }
    }
    this.#conclude(response?.status, this.answer?.shop);
  }

  /** Reports what the last attempt says about the shop, once. */
  #conclude(status: number | undefined, shop: Verdict = 'unknown'): void {
    if (this.#isConcluded) return;
    this.#end();
    const { gate, budget, routes } = this.#ports;
    const { route, signal } = this.#request;
    if (this.#started === undefined || signal?.aborted === true) return;
    const isRefused = routes[route].refusalScope === 'record' && isRefusal(status);
    const verdict = isOfShop(this.#failure) ? this.#failure : isRefused ? 'refusing' : shop;
    gate.record(this.#started.number, verdict);
    if (verdict === 'working') budget.recordSuccess();
  }

  #end(): void {
    this.#isConcluded = true;
    const { route } = this.#request;
    const outcome = toOutcome(this.#failure);
    this.#ports.onAttempt?.({ route, outcome, tookMs: performance.now() - this.#sentMs });
  }

  #isPauseTooLong({ retryAfterMs = 0 }: TransientError): boolean {
    return retryAfterMs > this.#ports.retry.maxRetryAfterMs;
  }

  /**
   * Whether another attempt is worth its time, as far as that depends on more than their number. After a response of an
   * unexpected shape one more is made, since a proxy's passing error page looks the same. What is posted may have been done
   * although it failed.
   */
  mayRetry(error: unknown): boolean {
    if (this.#request.method !== 'GET') return false;
    if (error instanceof ShapeError) return ++this.#mismatches === 1;
    if (!(error instanceof TransientError) || error instanceof UnavailableError) return false;
    if (this.#isPauseTooLong(error)) return false;
    const { firstPauseMs, maxPauseMs, maxTotalMs } = this.#ports.retry;
    return this.#ownMs + Math.min(maxPauseMs, firstPauseMs * 2 ** this.#retries++) <= maxTotalMs;
  }
}

/** What servers answer that have too much to do at once. */
const OVERLOADED: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * What an attempt says about the pace: HTTP 429, and 503 if it comes at once, that there were too many in a second; 502,
 * 503, 504 and no response, that there were too many at once; another failure, such as 500 for one record, nothing.
 */
function classify(failure: unknown, tookMs: number): Seen {
  if (!isOfShop(failure)) return 'answered';
  const { status } = failure;
  if (status === 429 || (status === 503 && tookMs < QUICK_MS)) return 'refused';
  return status === undefined || OVERLOADED.has(status) ? 'failed' : 'nothing';
}

const hasPause = (failure: unknown) =>
  failure instanceof TransientError && failure.retryAfterMs !== undefined;

function isOfShop(error: unknown): error is TransientError {
  return error instanceof TransientError && error.scope === 'shop';
}

function toOutcome(error: unknown): EndedAttempt<string>['outcome'] {
  if (error === undefined) return 'ok';
  if (error instanceof TransientError) return 'transient';
  return error instanceof TerminalError ? 'terminal' : 'stopped';
}
