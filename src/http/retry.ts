import { ShapeError, TransientError, UnavailableError } from '../errors.ts';
import type { Clock } from './clock.ts';
import type { RetryPolicy } from './http-options.ts';

/** Outages whose failures are not held against a request; a record that always fails must come to an end. */
const MAX_FORGIVEN = 5;

/** What a request has cost so far, and whether it may cost more. */
export class Effort {
  readonly #policy: RetryPolicy;
  readonly #clock: Clock;
  #attempts = 0;
  #mismatches = 0;
  #forgiven = 0;
  /** Attempts and pauses, in milliseconds; what was waited for the shop as a whole is not in it. */
  #ownMs = 0;
  #failedAtMs = 0;

  constructor(policy: RetryPolicy, clock: Clock) {
    this.#policy = policy;
    this.#clock = clock;
  }

  /** Every attempt is counted, however it ends. */
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
