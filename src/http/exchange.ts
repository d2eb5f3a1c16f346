import { ShapeError, TerminalError, TransientError, UnavailableError } from '../model/errors.ts';
import type { AvailabilityGate } from './availability-gate.ts';
import type { BodyReader } from './body-reader.ts';
import type { Clock } from './clock.ts';
import type { EndedAttempt, HttpNumbers, HttpOptions } from './http-options.ts';
import { type Pace, type Seen, SHUT, type Started } from './pace.ts';
import { type HttpRequest, type HttpResponse, isRefusal, type ReadResponse } from './request.ts';
import type { RetryBudget } from './retry-budget.ts';
import { type Transport, transmit } from './transport.ts';

/** What all requests to a shop share. */
export type ExchangePorts<Route extends string> = Pick<HttpOptions<Route>, 'routes' | 'onAttempt'> &
  Pick<HttpNumbers, 'retry'> & {
    readonly clock: Clock;
    readonly gate: AvailabilityGate;
    readonly pace: Pace;
    readonly budget: RetryBudget;
    readonly transport: Transport;
    readonly reader: BodyReader;
    readonly counts: Record<Route | 'retries', number>;
  };

/** Outages whose failures are not held against a request; a record that always fails must come to an end. */
const MAX_FORGIVEN = 5;
/** A server that refuses what is too much does not think about it for long; one that is overloaded does. */
const QUICK_MS = 1000;
/** What servers answer that have too much to do at once. */
const OVERLOADED: ReadonlySet<number | undefined> = new Set([502, 503, 504]);
/** The server takes no more at the moment: whoever was refused is sent again when the pace allows it. */
const REFUSED = Symbol('refused');

/** What ky gets: the answer has been read. */
const ANSWERED = new Response();

/**
 * A request on its way: what ky fetches it with. Each attempt waits for the gate, then for a slot, which is never held while the gate is shut. What is
 * no success is read before the slot is given back, so that gate and pace know of it before the next request starts; data is
 * read once the next request is on its way.
 */
export class Exchange<Route extends string, Value> {
  readonly #ports: ExchangePorts<Route>;
  readonly #request: HttpRequest<Route, Value>;
  /** Of the last attempt: what was read from the response, or why nothing was. */
  answer: ReadResponse<Value> | undefined;
  #failure: unknown;
  #sentMs = 0;
  /** What the gate had counted as the last attempt started. */
  #before = { outages: 0, settled: 0 };
  #isRetry = false;
  #refusals = 0;
  #mismatches = 0;
  #forgiven = 0;

  constructor(ports: ExchangePorts<Route>, request: HttpRequest<Route, Value>) {
    this.#ports = ports;
    this.#request = request;
  }

  /**
   * Sends the request through gate and pace, and reads its answer. What was refused as too much, or failed in an outage, is sent
   * again.
   *
   * @param wire the request as ky made it
   * @throws TransientError, UnavailableError, TerminalError; the signal's reason
   */
  async fetch(wire: Request): Promise<Response> {
    const { gate, pace } = this.#ports;
    const { signal } = this.#request;
    const { refusal } = gate;
    const isShut = () => gate.isShut || gate.refusal !== refusal;
    for (;;) {
      await gate.pass(signal, refusal);
      const sent = await pace.run((started) => this.#sendInSlot(wire, started), signal, isShut);
      if (sent === SHUT || sent === REFUSED) continue;
      if (sent !== undefined) {
        await this.#read(sent);
        this.#conclude(sent.status);
      }
      // That one record was refused is reported once it is known that not everything is.
      await gate.refusalChecked(signal, refusal);
      if (this.answer !== undefined) return ANSWERED;
      signal?.throwIfAborted();
      if (!(await this.#isForgiven(refusal))) throw this.#failure;
    }
  }

  /** Sends the request once, past gate and pace. @throws as `fetch` does */
  async fetchOnce(wire: Request): Promise<Response> {
    const response = await this.#send(wire);
    if (response !== undefined) await this.#read(response);
    this.#report();
    if (this.answer === undefined) throw this.#failure;
    return ANSWERED;
  }

  /** @returns the response that is still to be read */
  async #sendInSlot(wire: Request, started: Started): Promise<HttpResponse | undefined | typeof REFUSED> {
    const { counts, gate, pace } = this.#ports;
    const { route, method, signal } = this.#request;
    this.#before = { outages: gate.outages, settled: gate.settled };
    if (this.#isRetry) counts.retries++;
    this.#isRetry = true;
    const response = await this.#send(wire);
    const isData = response !== undefined && response.status >= 200 && response.status <= 299;
    if (response !== undefined && !isData) this.#understand(response);
    if (signal?.aborted !== true) {
      const seen = this.#see();
      pace.record(route, started, seen);
      if (seen === 'refused' && method === 'GET' && !hasPause(this.#failure)) {
        this.#report();
        return REFUSED;
      }
    }
    if (isData) return response;
    this.#conclude(response?.status);
    return undefined;
  }

  async #send(wire: Request): Promise<HttpResponse | undefined> {
    const { transport, counts, reader } = this.#ports;
    const { route, signal } = this.#request;
    counts[route]++;
    this.#sentMs = performance.now();
    this.answer = this.#failure = undefined;
    try {
      return reader.open(await transmit(transport, wire, signal));
    } catch (error) {
      this.#failure = signal?.aborted === true ? signal.reason : error;
      return undefined;
    }
  }

  async #read(response: HttpResponse): Promise<void> {
    await this.#ports.reader.turn();
    this.#understand(response);
  }

  #understand(response: HttpResponse): void {
    try {
      this.answer = this.#request.read(response, Temporal.Now.instant());
    } catch (error) {
      this.#failure = error;
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
      if (hasPause(this.#failure)) return 'refused';
      const { pace, retry } = this.#ports;
      return !pace.isBlocked && ++this.#refusals <= retry.maxRefusals ? 'refused' : 'failed';
    }
    return status === undefined || OVERLOADED.has(status) ? 'failed' : 'nothing';
  }

  /** Reports what the last attempt says about the shop. */
  #conclude(status: number | undefined): void {
    this.#report();
    const { gate, budget, routes } = this.#ports;
    const { route, signal } = this.#request;
    if (signal?.aborted === true) return;
    const isRefused = routes[route].refusalScope === 'record' && isRefusal(status);
    const seen = isRefused ? 'refusing' : (this.answer?.shop ?? 'unknown');
    gate.record(this.#before.settled, isOfShop(this.#failure) ? this.#failure : seen);
    if (seen === 'working') budget.recordSuccess();
  }

  #report(): void {
    const { route } = this.#request;
    const tookMs = performance.now() - this.#sentMs;
    this.#ports.onAttempt?.({ route, outcome: outcomeOf(this.#failure), tookMs });
  }

  /** Whoever fails as the shop goes down waits for its return, and what failed because of that is not counted. */
  async #isForgiven(refusal: TerminalError | undefined): Promise<boolean> {
    const { gate } = this.#ports;
    const { method, signal } = this.#request;
    // Nobody waits for the end of a pause that is too long.
    if (method !== 'GET' || !isOfShop(this.#failure) || this.#isPauseTooLong(this.#failure)) return false;
    if (gate.circuit !== 'closed') await gate.pass(signal, refusal);
    return gate.outages !== this.#before.outages && ++this.#forgiven <= MAX_FORGIVEN;
  }

  #isPauseTooLong({ retryAfterMs = 0 }: TransientError): boolean {
    return retryAfterMs > this.#ports.retry.maxRetryAfterMs;
  }

  /**
   * Whether another attempt is worth its time; their number, and that only a GET is sent again, are ky's to know. After a
   * response of an unexpected shape one more is made, since a proxy's passing error page looks the same.
   */
  mayRetry(error: unknown): boolean {
    if (this.#request.signal?.aborted === true) return false;
    if (error instanceof ShapeError) return ++this.#mismatches === 1;
    if (!(error instanceof TransientError) || error instanceof UnavailableError) return false;
    return !this.#isPauseTooLong(error);
  }

  /**
   * The pause before a retry. Half of it is random, so that clients do not retry in step, and half is not, so that a server whose
   * errors come at once does not use up the attempts at once.
   *
   * @throws the signal's reason
   */
  async pause(attempts: number): Promise<void> {
    const { clock, budget, retry } = this.#ports;
    const longestMs = Math.min(retry.maxPauseMs, retry.firstPauseMs * 2 ** (attempts - 1));
    const pauseMs = (longestMs * (1 + Math.random())) / 2;
    await clock.sleep(Math.max(pauseMs, budget.spend()), this.#request.signal);
  }
}

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
