import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

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
  const isLate = delayMs > LATE_MS || utilization > BUSY;
  measured = { atMs: nowMs, isLate, utilization: performance.eventLoopUtilization() };
  monitor.reset();
  monitor.enable();
  return isLate;
}
