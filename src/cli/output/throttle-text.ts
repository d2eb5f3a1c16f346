import type { ShopReport } from '../../sync/report/shop-report.ts';
import { utcText } from '../../sync/run/throttle-state.ts';

/** How a shop is treated, for people. */
export function throttleText({
  throttle,
  pausedUntil,
}: Pick<ShopReport, 'throttle' | 'pausedUntil'>): string {
  if (throttle === undefined) return 'no run yet';
  const { concurrency, maxConcurrency, maxRps, circuit } = throttle;
  const state = circuit === 'closed' ? '' : `; it did not answer (circuit ${circuit})`;
  const pause = pausedUntil === undefined ? '' : `; it asked to come back at ${utcText(pausedUntil)}`;
  return `${concurrency} of ${maxConcurrency} requests at once, ${maxRps} per second${state}${pause}`;
}
