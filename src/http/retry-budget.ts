import type { Clock } from './clock.ts';
import type { BudgetPolicy } from './http-options.ts';

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
