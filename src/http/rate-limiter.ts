import type { Clock } from './clock.ts';
import { decrease, fullConcurrency, increase } from './adaptive-concurrency.ts';
import { createConcurrencyLimiter, type SHUT } from './concurrency-limiter.ts';
import { type BudgetPolicy, earn, fullBudget, spend } from './retry-budget.ts';

export type RateLimiterOptions = {
  readonly maxConcurrency: number;
  /** Starts per second. */
  readonly maxRps: number;
  readonly budget: Required<BudgetPolicy>;
  readonly clock: Clock;
};

/** How many requests a shop gets at once and per second, and how many retries; adapts to how the shop copes. */
export type RateLimiter = {
  /** Number of the request started last. */
  readonly lastStarted: number;
  /** @returns SHUT where `isShut` said so when the task's turn came; see ConcurrencyLimiter */
  run<Result>(
    task: (number: number) => Promise<Result>,
    signal: AbortSignal | undefined,
    isShut?: () => boolean,
  ): Promise<Result | typeof SHUT>;
  recordSuccess(): void;
  /** @param number of the request that failed for a cause that lies with the shop as a whole */
  recordFailure(number: number): void;
  /** Takes a retry from the budget. @returns milliseconds to wait for it */
  spendRetry(): number;
  /** Requests that may be in flight now, and the fewest that were ever allowed. */
  readonly concurrency: number;
  readonly lowestConcurrency: number;
};

export function createRateLimiter({
  maxConcurrency,
  maxRps,
  budget: policy,
  clock,
}: RateLimiterOptions): RateLimiter {
  const limiter = createConcurrencyLimiter(maxConcurrency, maxRps);
  let concurrency = fullConcurrency(maxConcurrency);
  let budget = fullBudget(policy, clock.nowMs());
  let lastStarted = 0;
  const apply = (next: typeof concurrency) => {
    concurrency = next;
    limiter.concurrency = Math.floor(next.allowed);
  };
  return {
    get lastStarted() {
      return lastStarted;
    },
    run: (task, signal, isShut) => limiter.run(() => task(++lastStarted), signal, isShut),
    recordSuccess() {
      apply(increase(concurrency));
      budget = earn(budget, policy, clock.nowMs());
    },
    recordFailure: (number) => apply(decrease(concurrency, number, lastStarted)),
    spendRetry() {
      const spent = spend(budget, policy, clock.nowMs());
      budget = spent.budget;
      return spent.waitMs;
    },
    get concurrency() {
      return limiter.concurrency;
    },
    get lowestConcurrency() {
      return concurrency.lowest;
    },
  };
}
