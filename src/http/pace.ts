/** The one place that decides how many requests are in flight, how many start in a second, and how many are retries. */
import pLimit from 'p-limit';
import pThrottle from 'p-throttle';

import { type Clock, unlessAborted } from './clock.ts';
import type { BudgetPolicy } from './http-options.ts';

/** The task was not run. */
export const SHUT = Symbol('shut');

/** Successes that lead from one request in flight back to the maximum, whatever the maximum. */
const SUCCESSES_TO_MAX = 150;

export type PaceOptions = {
  /** Requests in flight at once. */
  readonly maxConcurrency: number;
  /** Starts per second; below 1 the pause between two starts grows accordingly. */
  readonly maxRps: number;
  readonly budget: BudgetPolicy;
  readonly clock: Clock;
};

/**
 * Gives each request of a shop its turn. How many may be in flight is increased by every success, and halved when the
 * shop is overloaded. Retries have a budget, so that they stay a small share of all requests.
 */
export class Pace {
  readonly #options: PaceOptions;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #turn: () => Promise<void>;
  #lastStarted = 0;
  /** Its whole part is what may be in flight now. */
  #allowed: number;
  #lowest: number;
  /** Requests up to this number were started before the last decrease, which took their failures into account. */
  #decreasedAfter = 0;
  /** Retries that may still be made, as of an instant; below zero they are reserved by those who wait. */
  #tokens: number;
  #tokensAtMs: number;

  constructor(options: PaceOptions) {
    const { maxConcurrency, maxRps, budget, clock } = options;
    const limit = Math.max(1, Math.floor(maxRps));
    this.#options = options;
    this.#limit = pLimit(maxConcurrency);
    // Strict: in any second, not only in those that the limiter counts by.
    this.#turn = pThrottle({ limit, interval: (limit / maxRps) * 1000, strict: true })(async () => {});
    this.#allowed = maxConcurrency;
    this.#lowest = maxConcurrency;
    this.#tokens = budget.burst;
    this.#tokensAtMs = clock.nowMs();
  }

  /** Requests that may be in flight now. */
  get concurrency(): number {
    return this.#limit.concurrency;
  }

  /** The fewest requests that were ever allowed to be in flight. */
  get lowestConcurrency(): number {
    return this.#lowest;
  }

  /** Number of the request started last; they are counted from 1. */
  get lastStarted(): number {
    return this.#lastStarted;
  }

  /**
   * @param isShut called when the task's turn comes; where it returns true, the task is not run and uses no turn
   * @throws the signal's reason where it is aborted before the task's turn comes; whatever the task throws
   */
  run<Result>(
    task: (number: number) => Promise<Result>,
    signal?: AbortSignal,
    isShut = () => false,
  ): Promise<Result | typeof SHUT> {
    return this.#limit(async () => {
      signal?.throwIfAborted();
      // Checked twice: an unused turn must not slow others down, and the wait for it may be long.
      if (isShut()) return SHUT;
      await unlessAborted(this.#turn(), signal);
      return isShut() ? SHUT : task(++this.#lastStarted);
    });
  }

  recordSuccess(): void {
    const { maxConcurrency, budget } = this.#options;
    this.#allow(Math.min(maxConcurrency, this.#allowed + (maxConcurrency - 1) / SUCCESSES_TO_MAX));
    this.#earn(budget.perSuccess);
  }

  /** @param number of the request that failed for a cause that lies with the shop as a whole */
  recordFailure(number: number): void {
    if (number <= this.#decreasedAfter) return;
    this.#decreasedAfter = this.#lastStarted;
    this.#allow(Math.max(1, Math.floor(this.#allowed / 2)));
  }

  /** Takes a retry from the budget, or reserves one. @returns milliseconds to wait for it */
  spendRetry(): number {
    const { maxWaitMs, refillMs } = this.#options.budget;
    this.#earn(0);
    this.#tokens = Math.max(-maxWaitMs / refillMs, this.#tokens - 1);
    return Math.max(0, -this.#tokens * refillMs);
  }

  #allow(allowed: number): void {
    this.#allowed = allowed;
    const whole = Math.floor(allowed);
    this.#lowest = Math.min(this.#lowest, whole);
    if (this.#limit.concurrency !== whole) this.#limit.concurrency = whole;
  }

  #earn(tokens: number): void {
    const { budget, clock } = this.#options;
    const nowMs = clock.nowMs();
    const refilled = Math.max(0, nowMs - this.#tokensAtMs) / budget.refillMs;
    this.#tokens = Math.min(budget.burst, this.#tokens + refilled + tokens);
    this.#tokensAtMs = Math.max(nowMs, this.#tokensAtMs);
  }
}
