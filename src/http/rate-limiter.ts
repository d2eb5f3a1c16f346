import type { Clock } from './clock.ts';
import { cut, fullConcurrency, grown } from './aimd.ts';
import { createLimiter, type SHUT } from './concurrency-limiter.ts';
import { type BudgetPolicy, earn, fullBudget, spend } from './retry-budget.ts';

export type ThrottleOptions = {
  readonly maxConcurrency: number;
  /** Starts per second. */
  readonly maxRps: number;
  readonly budget: Required<BudgetPolicy>;
  readonly clock: Clock;
};

/** How much a shop is asked at once, per second, and again; it learns from how the shop bears it. */
export type Throttle = {
  /** Number of the request started last. */
  readonly newest: number;
  /** @returns SHUT where `isShut` said so when the task's turn came; see Limiter */
  run<Result>(
    task: (number: number) => Promise<Result>,
    signal: AbortSignal | undefined,
    isShut?: () => boolean,
  ): Promise<Result | typeof SHUT>;
  answered(): void;
  /** @param number of the request that failed for a cause that lies with the shop as a whole */
  failed(number: number): void;
  /** Takes a retry from the budget. @returns milliseconds to wait for it */
  spendRetry(): number;
  /** Requests that may be in flight now, and the fewest that were ever allowed. */
  readonly concurrency: number;
  readonly lowestConcurrency: number;
};

export function createThrottle({ maxConcurrency, maxRps, budget: policy, clock }: ThrottleOptions): Throttle {
  const limiter = createLimiter(maxConcurrency, maxRps);
  let concurrency = fullConcurrency(maxConcurrency);
  let budget = fullBudget(policy, clock.nowMs());
  let newest = 0;
  const apply = (next: typeof concurrency) => {
    concurrency = next;
    limiter.concurrency = Math.floor(next.allowed);
  };
  return {
    get newest() {
      return newest;
    },
    run: (task, signal, isShut) => limiter.run(() => task(++newest), signal, isShut),
    answered() {
      apply(grown(concurrency));
      budget = earn(budget, policy, clock.nowMs());
    },
    failed: (number) => apply(cut(concurrency, number, newest)),
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
