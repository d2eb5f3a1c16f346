import { createTask } from 'node-cron';

/** A shorter tick is not worth spreading over: a slot looks for its next turn once a second. */
const MIN_SPAN_MS = 10_000;
const MAX_SPAN_MS = 60_000;

/** Says how long a shop waits from now until the next tick of a schedule, its own place in the tick included. */
export type Schedule = (shopKey: string, shopKeys: readonly string[]) => number;

/**
 * Only the time until a tick counts, never the time of day that it has: so a clock that is set delays nothing.
 *
 * @param cron in UTC
 * @param slots number of shops that one worker sweeps at once
 */
export function createSchedule(cron: string, slots: number): Schedule {
  const task = createTask(cron, () => undefined, { timezone: 'UTC' });
  return (shopKey, shopKeys) => {
    const now = Date.now();
    const [next = now + MAX_SPAN_MS, after = next + MAX_SPAN_MS] = task
      .getNextRuns(2)
      .map((run) => run.getTime());
    return next - now + placeMs(shopKey, shopKeys, Math.min(MAX_SPAN_MS, after - next), slots);
  };
}

/**
 * A shop's place in a tick, in milliseconds from its begin. Shops are spread evenly. The order of their keys decides, so that
 * a shop has the same place at every tick and in every worker, and an added shop moves the others by less than their distance.
 *
 * @param atOnce as many shops need no spreading, since one worker can sweep them at once
 */
export function placeMs(
  shopKey: string,
  shopKeys: readonly string[],
  spanMs: number,
  atOnce: number,
): number {
  if (shopKeys.length <= atOnce || spanMs < MIN_SPAN_MS) return 0;
  const earlier = shopKeys.filter((each) => each < shopKey).length;
  return (earlier * spanMs) / shopKeys.length;
}
