import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The client's time: pauses, circuit and budget go by it alone. */
export type Clock = {
  /** Milliseconds since the epoch; never runs backwards. */
  nowMs(): number;
  /** @throws the signal's reason as soon as it is aborted */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

export const REAL_CLOCK: Clock = {
  // A system clock that is set back must not make a pause longer.
  nowMs: () => performance.timeOrigin + performance.now(),
  async sleep(ms, signal) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    try {
      await unlessAborted(promise, signal);
    } finally {
      clearTimeout(timer);
    }
  },
};

/** Awaits a promise, but not for longer than the signal allows. @throws the signal's reason */
export async function unlessAborted<Result>(
  promise: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return promise;
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const [RESOLUTION_MS, WINDOW_MS] = [10, 250];
const monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let [meanMs, readAtMs] = [0, 0];

/** How late this process does things at the moment, in milliseconds: no answer of a server may be blamed for that. */
export function ownDelayMs(): number {
  const nowMs = performance.now();
  if (nowMs - readAtMs < WINDOW_MS) return meanMs;
  // NaN before the first measurement.
  meanMs = Math.max(0, (monitor.mean || 0) / 1e6 - RESOLUTION_MS);
  readAtMs = nowMs;
  monitor.reset();
  monitor.enable();
  return meanMs;
}
