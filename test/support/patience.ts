/** How long tests wait for what may never come. */
import { availableParallelism, loadavg } from 'node:os';
import { IS_LONG } from './long.ts';

/**
 * Where more wants to run than can, all takes longer.
 *
 * @returns how many times as long as where each core has two to run
 */
function slowness(): number {
  const [running = 0] = loadavg();
  return Math.min(Math.max(running / availableParallelism() / 2, 1), 20);
}

/** Of one wait: what has not come by then is not going to. */
export const patienceMs = () => Math.round(20_000 * slowness());
/** Of a process that is waited for to its end. */
export const lifeMs = () => Math.round(50_000 * slowness());
/** Of a whole test, for what would never end: what it waited for is said first. Long ones may take an hour. */
export const testTimeoutMs = () => (IS_LONG ? 3_600_000 : Math.round(60_000 * slowness()));
