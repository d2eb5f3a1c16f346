import pLimit from 'p-limit';
import pThrottle from 'p-throttle';

import { unlessAborted } from './abort.ts';

/** Runs tasks of one shop: at most so many at once, and at most so many starts per second. */
export type ConcurrencyLimiter = {
  /** Tasks running now. */
  readonly active: number;
  /** Tasks that may run at once; those that run already are not stopped when it is lowered. */
  concurrency: number;
  /**
   * @param isShut called when the task's turn comes; where it returns true, the task is not run and uses no turn
   * @throws the signal's reason where it is aborted before the task's turn comes; whatever the task throws
   */
  run<Result>(
    task: () => Promise<Result>,
    signal?: AbortSignal,
    isShut?: () => boolean,
  ): Promise<Result | typeof SHUT>;
};

/** The task was not run. */
export const SHUT = Symbol('shut');

/**
 * @param maxConcurrency tasks in flight at once
 * @param maxRps starts per second; below 1 the pause between two starts grows accordingly
 */
export function createConcurrencyLimiter(maxConcurrency: number, maxRps: number): ConcurrencyLimiter {
  const limit = pLimit(maxConcurrency);
  const perInterval = Math.max(1, Math.floor(maxRps));
  // Strict: in any second, not only in those that the limiter counts by.
  const throttle = pThrottle({ limit: perInterval, interval: (perInterval / maxRps) * 1000, strict: true });
  const turn = throttle(async () => {});
  return {
    get active() {
      return limit.activeCount;
    },
    get concurrency() {
      return limit.concurrency;
    },
    set concurrency(allowed) {
      if (limit.concurrency !== allowed) limit.concurrency = allowed;
    },
    run: (task, signal, isShut = () => false) =>
      limit(async () => {
        signal?.throwIfAborted();
        // Checked twice: an unused turn must not slow others down, and the wait for it may be long.
        if (isShut()) return SHUT;
        await unlessAborted(turn(), signal);
        return isShut() ? SHUT : task();
      }),
  };
}
