import pLimit from 'p-limit';
import pThrottle from 'p-throttle';

/** Runs tasks of one shop: at most so many at once, and at most so many starts per second. */
export type Limiter = {
  /** Tasks running now. */
  readonly active: number;
  run<Result>(task: () => Promise<Result>): Promise<Result>;
};

/**
 * @param maxConcurrency tasks in flight at once
 * @param maxRps starts per second; below 1 the pause between two starts grows accordingly
 */
export function createLimiter(maxConcurrency: number, maxRps: number): Limiter {
  const limit = pLimit(maxConcurrency);
  const perInterval = Math.max(1, Math.floor(maxRps));
  const turn = pThrottle({ limit: perInterval, interval: (perInterval / maxRps) * 1000 })(async () => {});
  return {
    get active() {
      return limit.activeCount;
    },
    run: (task) =>
      limit(async () => {
        await turn();
        return task();
      }),
  };
}
