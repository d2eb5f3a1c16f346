import { ShapeError, TransientError, UnavailableError } from '../errors.ts';
import type { Clock } from './clock.ts';
import type { BudgetPolicy, RetryPolicy } from './http-options.ts';
import type { HttpRequest, ReadResponse } from './request.ts';

/** Outages whose failures are not held against a request; a record that always fails must come to an end. */
const MAX_FORGIVEN = 5;

/** A request on its way: what it has cost so far, and whether it may cost more. */
export class Exchange<Route extends string, Value> {
  readonly request: HttpRequest<Route, Value>;
  /** What was read from the response. */
  answer: ReadResponse<Value> | undefined;
  readonly #policy: RetryPolicy;
  readonly #clock: Clock;
  #attempts = 0;
  #mismatches = 0;
  #forgiven = 0;
  #refusals = 0;
  /** Attempts and pauses, in milliseconds; what was waited for the shop as a whole is not in it. */
  #ownMs = 0;
  #failedAtMs = 0;

  constructor(request: HttpRequest<Route, Value>, policy: RetryPolicy, clock: Clock) {
    this.request = request;
    this.#policy = policy;
    this.#clock = clock;
  }

  /** Whether the request may be sent again after one more refusal: a record that is always refused is at fault itself. */
  mayBeRefused(): boolean {
    return ++this.#refusals <= this.#policy.maxRefusals;
  }

  /** Every attempt is counted, but for those that were refused because there were too many. */
  recordAttempt(tookMs: number): void {
    this.#attempts++;
    this.#ownMs += tookMs;
  }

  /** Before the next attempt, ky has paused since the last one failed. */
  recordPause(): void {
    this.#ownMs += this.#clock.nowMs() - this.#failedAtMs;
  }

  /** The shop as a whole was down. @returns whether the failure is not held against this request */
  forgive(): boolean {
    if (this.#forgiven >= MAX_FORGIVEN) return false;
    this.#forgiven++;
    this.#attempts--;
    this.#ownMs = 0;
    return true;
  }

  /**
   * Whether another attempt is worth its time, as far as that depends on more than their number. After a response of an
   * unexpected shape one more is made, since a proxy's passing error page looks the same.
   */
  mayRetry(error: unknown): boolean {
    this.#failedAtMs = this.#clock.nowMs();
    if (error instanceof ShapeError) return ++this.#mismatches === 1;
    if (!(error instanceof TransientError) || error instanceof UnavailableError) return false;
    if ((error.retryAfterMs ?? 0) > this.#policy.maxRetryAfterMs) return false;
    const { firstPauseMs, maxPauseMs, maxTotalMs } = this.#policy;
    return this.#ownMs + Math.min(maxPauseMs, firstPauseMs * 2 ** (this.#attempts - 1)) <= maxTotalMs;
  }
}

/** Retries that may still be made, so that they stay a small share of all requests. */
export class RetryBudget {
  readonly #policy: BudgetPolicy;
  readonly #clock: Clock;
  /** As of an instant; below zero they are reserved by those who wait. */
  #tokens: number;
  #tokensAtMs: number;

  constructor(policy: BudgetPolicy, clock: Clock) {
    this.#policy = policy;
    this.#clock = clock;
    this.#tokens = policy.burst;
    this.#tokensAtMs = clock.nowMs();
  }

  recordSuccess(): void {
    this.#earn(this.#policy.perSuccess);
  }

  /** Takes a retry, or reserves one. @returns milliseconds to wait for it */
  spend(): number {
    const { maxWaitMs, refillMs } = this.#policy;
    this.#earn(0);
    this.#tokens = Math.max(-maxWaitMs / refillMs, this.#tokens - 1);
    return Math.max(0, -this.#tokens * refillMs);
  }

  #earn(tokens: number): void {
    const { burst, refillMs } = this.#policy;
    const nowMs = this.#clock.nowMs();
    const refilled = Math.max(0, nowMs - this.#tokensAtMs) / refillMs;
    this.#tokens = Math.min(burst, this.#tokens + refilled + tokens);
    this.#tokensAtMs = Math.max(nowMs, this.#tokensAtMs);
  }
}

/** Other requests that must have been answered since one failed, for the next failure to be one of its record too. */
const ANSWERS_BETWEEN = 10;

/**
 * Tells failures that may lie with the record that was asked for from those of a shop that is overloaded, where one request after
 * the other fails. That the same request fails again says nothing new about the shop.
 */
export class LoneFailures {
  readonly #failed = new WeakSet();
  readonly #refused = new WeakMap<object, number>();
  #answers = ANSWERS_BETWEEN;
  #allAnswers = 0;

  recordAnswer(): void {
    this.#answers++;
    this.#allAnswers++;
  }

  /** Whether a request is refused again although enough others were answered since: no limit of requests does that. */
  isRefusedAlone(request: object): boolean {
    const before = this.#refused.get(request);
    this.#refused.set(request, this.#allAnswers);
    return before !== undefined && this.#allAnswers - before >= ANSWERS_BETWEEN;
  }

  /** @param request the same object for all attempts of a request */
  isLone(request: object): boolean {
    if (this.#failed.has(request)) return true;
    this.#failed.add(request);
    const isLone = this.#answers >= ANSWERS_BETWEEN;
    this.#answers = 0;
    return isLone;
  }
}
