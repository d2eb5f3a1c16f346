import type { Clock } from './clock.ts';
import type { BudgetPolicy } from './http-options.ts';

/** A token bucket of retries, so that they stay a small share of all requests. */
export class RetryBudget {
  readonly #policy: BudgetPolicy;
  readonly #clock: Clock;
  /** As of an instant; below zero they are reserved by those who wait. */
  #tokens: number;
  #atMs: number;

  constructor(policy: BudgetPolicy, clock: Clock) {
    this.#policy = policy;
    this.#clock = clock;
    this.#tokens = policy.burst;
    this.#atMs = clock.nowMs();
  }

  recordSuccess(): void {
    this.#tokens = Math.min(this.#policy.burst, this.#tokens + this.#policy.perSuccess);
  }

  /** Takes a retry, or reserves one. @returns milliseconds to wait for it */
  spend(): number {
    const { burst, maxWaitMs, refillMs } = this.#policy;
    const nowMs = Math.max(this.#atMs, this.#clock.nowMs());
    const earned = Math.min(burst, this.#tokens + (nowMs - this.#atMs) / refillMs);
    this.#tokens = Math.max(-maxWaitMs / refillMs, earned - 1);
    this.#atMs = nowMs;
    return Math.max(0, -this.#tokens * refillMs);
  }
}
