import { monitorEventLoopDelay } from 'node:perf_hooks';

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
