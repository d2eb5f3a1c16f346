import { ShapeError, TransientError, UnavailableError } from '../errors.ts';
import type { Clock } from './clock.ts';
import type { BudgetPolicy, RetryPolicy } from './http-options.ts';

/** Outages whose failures are not held against a request; a record that always fails must come to an end. */
const MAX_FORGIVEN = 5;

/** What a request has cost so far, and whether it may cost more. */
export class Effort {
  readonly #policy: RetryPolicy;
  readonly #clock: Clock;
  #attempts = 0;
  #mismatches = 0;
  #forgiven = 0;
  #refusals = 0;
  /** Attempts and pauses, in milliseconds; what was waited for the shop as a whole is not in it. */
  #ownMs = 0;
  #failedAtMs = 0;

  constructor(policy: RetryPolicy, clock: Clock) {
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
