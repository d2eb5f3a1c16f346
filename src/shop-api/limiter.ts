import pLimit from 'p-limit';
import pThrottle from 'p-throttle';

/** Runs tasks of one shop: at most so many at once, and at most so many starts per second. */
export type Limiter = {
  /** Tasks running now. */
  readonly active: number;
  /** @throws the signal's reason where it is aborted before the task's turn comes; whatever the task throws */
  run<Result>(task: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
};

/**
 * @param maxConcurrency tasks in flight at once
 * @param maxRps starts per second; below 1 the pause between two starts grows accordingly
 */
export function createLimiter(maxConcurrency: number, maxRps: number): Limiter {
  const limit = pLimit(maxConcurrency);
  const perInterval = Math.max(1, Math.floor(maxRps));
  // Strict: in any second, not only in those that the limiter counts by.
  const throttle = pThrottle({ limit: perInterval, interval: (perInterval / maxRps) * 1000, strict: true });
  const turn = throttle(async () => {});
  return {
    get active() {
      return limit.activeCount;
    },
    run: (task, signal) =>
      limit(async () => {
        signal?.throwIfAborted();
        await (signal ? unlessAborted(turn(), signal) : turn());
        return task();
      }),
  };
}

async function unlessAborted(turn: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<void>();
  const onAbort = () => aborted.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([turn, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  signal.throwIfAborted();
}
