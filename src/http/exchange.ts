import { ShapeError, TerminalError, TransientError, UnavailableError } from '../errors.ts';
import type { AvailabilityGate, Verdict } from './availability-gate.ts';
import type { BodyDecoder } from './charset.ts';
import type { Clock } from './clock.ts';
import type { EndedAttempt, HttpOptions, RetryPolicy } from './http-options.ts';
import { type Pace, type Seen, SHUT, type Started } from './pace.ts';
import { type HttpRequest, isOverLimit, isRefusal, type ReadResponse } from './request.ts';
import type { LoneFailures, RetryBudget } from './retry.ts';
import { transmit, type TransportOptions } from './transport.ts';

/** What all requests to a shop share. */
export type ExchangePorts<Route extends string> = Pick<HttpOptions<Route>, 'routes' | 'onAttempt'> & {
  readonly clock: Clock;
  readonly gate: AvailabilityGate;
  readonly pace: Pace;
  readonly retry: RetryPolicy;
  readonly budget: RetryBudget;
  readonly lone: LoneFailures;
  readonly transport: TransportOptions;
  readonly decoder: BodyDecoder;
  readonly counts: Record<Route | 'retries', number>;
  /** Failures without a response that may pass. */
  readonly passing: WeakSet<Error>;
};

/** Outages whose failures are not held against a request; a record that always fails must come to an end. */
const MAX_FORGIVEN = 5;
/** A server that refuses what is too much does not think about it for long; one that is overloaded does. */
const QUICK_MS = 1000;

/**
 * A request on its way: what ky fetches it with, and reads its answer by. Each attempt waits for the gate, then for a slot.
 * Gate and pace are told what its status says before it gives the slot back, so that what comes next knows, and what its
 * body says when that is read. A slot is never held while the gate is shut.
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
  /** Attempts and pauses, in milliseconds; what is waited for the shop as a whole is not in it. */
  #ownMs = 0;
  #fetchedAtMs = 0;

  constructor(ports: ExchangePorts<Route>, request: HttpRequest<Route, Value>) {
    this.#ports = ports;
    this.#request = request;
  }

  /**
   * Sends the request through gate and pace.
   *
   * @param wire the request as ky made it
   * @returns any response, its body received
   * @throws TransientError, UnavailableError, TerminalError where there is none; the signal's reason
   */
  async fetch(wire: Request): Promise<Response> {
    const { clock, budget, passing } = this.#ports;
    try {
      if (this.#attempts > 0) {
        // ky has paused; the budget is waited for as well.
        this.#ownMs += clock.nowMs() - this.#fetchedAtMs;
        await clock.sleep(budget.spend(), this.#request.signal);
      }
      return await this.#fetchWhenUp(wire);
    } catch (error) {
      if (this.mayRetry(error)) passing.add(error);
      throw error;
    } finally {
      this.#fetchedAtMs = clock.nowMs();
    }
  }

  async #fetchWhenUp(wire: Request): Promise<Response> {
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
      // That one record was refused is reported once it is known that not everything is.
      await gate.refusalChecked(signal, refusals);
      // Nobody waits for the end of a pause that is too long.
      if (method === 'GET' && isOfShop(this.#failure) && !this.#isPauseTooLong(this.#failure)) {
        // Whoever fails as the shop goes down waits for its return, and what failed because of that is not counted.
        if (gate.circuit !== 'closed') await gate.pass(signal, refusals);
        if (gate.outages !== outages && this.#forgive()) continue;
      }
      if (response === undefined) throw this.#failure;
      return response;
    }
  }

  #forgive(): boolean {
    this.#ownMs = 0;
    return ++this.#forgiven <= MAX_FORGIVEN;
  }

  async #attempt(wire: Request, started: Started): Promise<Response | undefined | typeof REFUSED> {
    const { clock, counts } = this.#ports;
    if (this.#attempts++ > 0) counts.retries++;
    this.#started = started;
    const startedMs = clock.nowMs();
    const response = await this.#transmit(wire);
    this.#ownMs += clock.nowMs() - startedMs;
    // What the body says is not known yet.
    if (this.#failure === undefined && !isRefusal(response?.status)) return response;
    return this.#conclude(response?.status) ? REFUSED : response;
  }

  /** Sends the request once, past gate and pace. @throws as `fetch` does */
  async fetchOnce(wire: Request): Promise<Response> {
    const response = await this.#transmit(wire);
    if (response !== undefined) return response;
    this.#conclude(undefined);
    throw this.#failure;
  }

  async #transmit(wire: Request): Promise<Response | undefined> {
    const { transport, routes, counts } = this.#ports;
    const { route, judge, signal } = this.#request;
    counts[route]++;
    this.#sentMs = performance.now();
    this.#isConcluded = false;
    try {
      const response = await transmit(transport, wire, routes[route].tooLargeAdvice, signal);
      this.#failure = judge(response, Temporal.Now.instant());
      return response;
    } catch (error) {
      this.#failure = error;
      return undefined;
    }
  }

  /**
   * Reads what the last attempt was answered with, and reports what that says about the shop.
   *
   * @returns what it failed with
   */
  async read(response: Response): Promise<unknown> {
    if (this.#failure === undefined) {
      try {
        const received = await this.#ports.decoder.decode(response);
        this.answer = this.#request.read(received, Temporal.Now.instant());
      } catch (error) {
        this.#failure = error;
      }
    }
    this.#conclude(response.status, this.answer?.shop);
    return this.#failure;
  }

  /** @returns whether the request has to be sent again, since the server takes no more at the moment */
  #conclude(status: number | undefined, shop: Verdict = 'unknown'): boolean {
    if (this.#isConcluded) return false;
    this.#isConcluded = true;
    const { gate, pace, budget, routes, onAttempt } = this.#ports;
    const { route, signal, method } = this.#request;
    const error = this.#failure;
    onAttempt?.({ route, outcome: classify(error), tookMs: performance.now() - this.#sentMs });
    if (this.#started === undefined || signal?.aborted === true) return false;
    const isRefused = routes[route].refusalScope === 'record' && isRefusal(status);
    const verdict = isOfShop(error) ? error : isRefused ? 'refusing' : shop;
    const seen = this.#look(verdict);
    pace.record(route, this.#started, seen);
    if (seen === 'refused' && method === 'GET' && !hasPause(verdict)) return true;
    gate.record(this.#started.number, verdict);
    if (verdict === 'working') budget.recordSuccess();
    return false;
  }

  /** What an attempt says about the pace. A refusal is one of too many requests if it came at once, and others are let through. */
  #look(verdict: Verdict): Seen {
    const { routes, pace, lone, retry } = this.#ports;
    if (!(verdict instanceof TransientError)) {
      lone.recordAnswer();
      return 'answered';
    }
    // One record at which the shop fails slows no other one down.
    const isOfRecord = verdict.status === 500 && routes[this.#request.route].refusalScope === 'record';
    if (isOfRecord && lone.isLone(this)) return 'of-record';
    if (!isOverLimit(verdict.status)) return 'failed';
    if (hasPause(verdict)) return 'refused';
    if (lone.isRefusedAlone(this)) return 'of-record';
    const isQuick = performance.now() - this.#sentMs < QUICK_MS;
    // A record that is always refused is at fault itself.
    return isQuick && pace.isLimited && ++this.#refusals <= retry.maxRefusals ? 'refused' : 'failed';
  }

  #isPauseTooLong({ retryAfterMs = 0 }: TransientError): boolean {
    return retryAfterMs > this.#ports.retry.maxRetryAfterMs;
  }

  /**
   * Whether another attempt is worth its time, as far as that depends on more than their number. After a response of an
   * unexpected shape one more is made, since a proxy's passing error page looks the same. What is posted may have been done
   * although it failed.
   */
  mayRetry(error: unknown): error is Error {
    if (this.#request.method !== 'GET') return false;
    if (error instanceof ShapeError) return ++this.#mismatches === 1;
    if (!(error instanceof TransientError) || error instanceof UnavailableError) return false;
    if (this.#isPauseTooLong(error)) return false;
    const { firstPauseMs, maxPauseMs, maxTotalMs } = this.#ports.retry;
    return this.#ownMs + Math.min(maxPauseMs, firstPauseMs * 2 ** this.#retries++) <= maxTotalMs;
  }
}

/** The server has refused what is too much: whoever was refused asks again when the pace allows it. */
const REFUSED = Symbol('refused');

const hasPause = (verdict: Verdict) =>
  verdict instanceof TransientError && verdict.retryAfterMs !== undefined;

function isOfShop(error: unknown): error is TransientError {
  return error instanceof TransientError && error.scope === 'shop';
}

function classify(error: unknown): EndedAttempt<string>['outcome'] {
  if (error === undefined) return 'ok';
  if (error instanceof TransientError) return 'transient';
  return error instanceof TerminalError ? 'terminal' : 'stopped';
}
