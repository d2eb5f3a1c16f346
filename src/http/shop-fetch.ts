import { TerminalError, TransientError } from '../errors.ts';
import type { AvailabilityGate, Verdict } from './availability-gate.ts';
import type { Clock } from './clock.ts';
import type { EndedAttempt, HttpOptions } from './http-options.ts';
import { type Pace, type Seen, SHUT, type Started } from './pace.ts';
import { isOverLimit, isRefusal } from './request.ts';
import { type Exchange, LoneFailures, type RetryBudget } from './retry.ts';
import type { Transport } from './transport.ts';

export type ShopFetchPorts<Route extends string> = Pick<HttpOptions<Route>, 'routes' | 'onAttempt'> & {
  readonly clock: Clock;
  readonly gate: AvailabilityGate;
  readonly pace: Pace;
  readonly budget: RetryBudget;
  readonly transport: Transport;
  readonly counts: Record<Route | 'retries', number>;
};

/** How an attempt ended. */
type Ended = { readonly response: Response } | { readonly error: unknown };

/** A server that refuses what is too much does not think about it for long; one that is overloaded does. */
const QUICK_MS = 1000;

/** The server has refused what is too much. Whoever was refused asks again when the pace allows it. */
const REFUSED = Symbol('refused');

/**
 * What ky fetches with. Each attempt waits for the gate, then for a slot, and tells gate and pace how it ended before it
 * gives the slot back, so that what comes next knows. A slot is never held while the gate is shut.
 */
export class ShopFetch<Route extends string> {
  readonly #ports: ShopFetchPorts<Route>;
  /** Failures that may pass, each with its request. */
  readonly #passing = new WeakMap<Error, Exchange<Route, unknown>>();
  readonly #lone = new LoneFailures();

  constructor(ports: ShopFetchPorts<Route>) {
    this.#ports = ports;
  }

  /**
   * Sends a request through gate and pace.
   *
   * @param wire the request as ky made it
   * @throws TransientError, UnavailableError, TerminalError where there is no response, or it cannot be read; the signal's
   *   reason
   */
  async send<Value>(wire: Request, exchange: Exchange<Route, Value>): Promise<Response> {
    try {
      return await this.#sendWhenUp(wire, exchange);
    } catch (error) {
      if (error instanceof Error && exchange.mayRetry(error)) this.#passing.set(error, exchange);
      throw error;
    }
  }

  /** Whether what `send` failed with may pass. */
  mayRetry(error: Error): boolean {
    return this.#passing.has(error);
  }

  /** Waits for the budget of retries, after ky has paused. */
  async beforeRetry(error: Error): Promise<void> {
    const { clock, counts, budget } = this.#ports;
    const exchange = this.#passing.get(error);
    exchange?.recordPause();
    counts.retries++;
    await clock.sleep(budget.spend(), exchange?.request.signal);
  }

  async #sendWhenUp(wire: Request, exchange: Exchange<Route, unknown>): Promise<Response> {
    const { gate, pace, counts } = this.#ports;
    const { signal, method } = exchange.request;
    const { refusals } = gate;
    for (;;) {
      await gate.pass(signal, refusals);
      let outages = 0;
      const attempt = (started: Started) => {
        outages = gate.outages;
        return this.#attempt(wire, exchange, started);
      };
      const ended = await pace.run(attempt, signal, () => gate.isShut || gate.refusals > refusals);
      if (ended === SHUT) continue;
      if (ended === REFUSED) {
        counts.retries++;
        continue;
      }
      // That one record was refused is reported once it is known that not everything is.
      await gate.refusalChecked(signal, refusals);
      if ('response' in ended) return ended.response;
      if (method !== 'GET' || !isOfShop(ended.error)) throw ended.error;
      // Whoever fails as the shop goes down waits for its return, and what failed because of that is not counted.
      if (gate.circuit !== 'closed') await gate.pass(signal, refusals);
      if (gate.outages === outages || !exchange.forgive()) throw ended.error;
      counts.retries++;
    }
  }

  /** Sends a request once, past the gate; counts it, and reports how it ended. */
  async sendOnce<Value>(wire: Request, exchange: Exchange<Route, Value>): Promise<Response> {
    const { transport, routes, counts, onAttempt } = this.#ports;
    const { route, signal, read } = exchange.request;
    counts[route]++;
    const startedMs = performance.now();
    let outcome: EndedAttempt<Route>['outcome'] = 'ok';
    try {
      const received = await transport.send(wire, routes[route].tooLargeAdvice, signal);
      exchange.answer = read(received, Temporal.Now.instant());
      return received.response;
    } catch (error) {
      outcome = classify(error);
      throw error;
    } finally {
      onAttempt?.({ route, outcome, tookMs: performance.now() - startedMs });
    }
  }

  async #attempt(
    wire: Request,
    exchange: Exchange<Route, unknown>,
    started: Started,
  ): Promise<Ended | typeof REFUSED> {
    const { clock, gate, pace, budget, routes } = this.#ports;
    const { request } = exchange;
    const startedMs = clock.nowMs();
    const ended: Ended = await this.sendOnce(wire, exchange).then(
      (response) => ({ response }),
      (error: unknown) => ({ error }),
    );
    if (request.signal?.aborted === true) return ended;
    const { refusalScope } = routes[request.route];
    const verdict =
      'error' in ended ? judge(ended.error, refusalScope) : (exchange.answer?.shop ?? 'unknown');
    const seen = this.#look(verdict, exchange, started);
    if (seen !== 'of-record') pace.record(request.route, started, seen);
    if (seen === 'refused' && request.method === 'GET' && !hasPause(verdict)) return REFUSED;
    exchange.recordAttempt(clock.nowMs() - startedMs);
    gate.record(started.number, verdict);
    if (verdict === 'working') budget.recordSuccess();
    return ended;
  }

  /** What an attempt says about the pace. A refusal is one of too many requests if it came at once, and others are let through. */
  #look(verdict: Verdict, exchange: Exchange<Route, unknown>, { startedMs }: Started): Seen | 'of-record' {
    const { routes, pace } = this.#ports;
    if (!(verdict instanceof TransientError)) {
      this.#lone.recordAnswer();
      return 'answered';
    }
    // One record at which the shop fails slows no other one down.
    const isOfRecord = verdict.status === 500 && routes[exchange.request.route].refusalScope === 'record';
    if (isOfRecord && this.#lone.isLone(exchange)) return 'of-record';
    if (!isOverLimit(verdict.status)) return 'failed';
    if (hasPause(verdict)) return 'refused';
    if (this.#lone.isRefusedAlone(exchange)) return 'of-record';
    const isQuick = performance.now() - startedMs < QUICK_MS;
    return isQuick && pace.isLimited && exchange.mayBeRefused() ? 'refused' : 'failed';
  }
}

const hasPause = (verdict: Verdict) =>
  verdict instanceof TransientError && verdict.retryAfterMs !== undefined;

function judge(error: unknown, refusalScope: 'shop' | 'record' | 'request'): Verdict {
  if (isOfShop(error)) return error;
  const isRefused = error instanceof TerminalError && isRefusal(error.status);
  return isRefused && refusalScope === 'record' ? 'refusing' : 'unknown';
}

function isOfShop(error: unknown): error is TransientError {
  return error instanceof TransientError && error.scope === 'shop';
}

function classify(error: unknown): EndedAttempt<string>['outcome'] {
  if (error instanceof TransientError) return 'transient';
  return error instanceof TerminalError ? 'terminal' : 'stopped';
}
