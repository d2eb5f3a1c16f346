import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

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
/** On the average things may be done so late, for so much of the time something may have to be done. */
const [LATE_MS, BUSY] = [3, 0.75];
const monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let measured = { atMs: -Infinity, isLate: false, utilization: performance.eventLoopUtilization() };

/**
 * Whether this process does things late at the moment, because it has too much to do or because the machine has: then what
 * an answer takes says nothing of the server.
 */
export function isLate(): boolean {
  const nowMs = performance.now();
  if (nowMs - measured.atMs < WINDOW_MS) return measured.isLate;
  const { utilization } = performance.eventLoopUtilization(measured.utilization);
  // NaN before the first measurement.
  const delayMs = (monitor.mean || 0) / 1e6 - RESOLUTION_MS;
  measured = {
    atMs: nowMs,
    isLate: delayMs > LATE_MS || utilization > BUSY,
    utilization: performance.eventLoopUtilization(),
  };
  monitor.reset();
  monitor.enable();
  return measured.isLate;
}
