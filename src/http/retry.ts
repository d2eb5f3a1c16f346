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
