/** Waiting for something, which always ends: with it, or by saying what did not come. */
import { setTimeout as sleep } from 'node:timers/promises';

import { patienceMs } from './patience.ts';

/**
 * Waits until something is so.
 *
 * @param probe returns true, or else false or what is so instead
 * @throws Error with that when it takes too long
 */
export async function until(
  what: string,
  probe: () => boolean | string | Promise<boolean | string>,
  withinMs = patienceMs(),
  everyMs = 10,
): Promise<void> {
  const end = performance.now() + withinMs;
  for (;;) {
    const state = await probe();
    if (state === true) return;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what} (${String(state)})`);
    await sleep(everyMs);
  }
}

/** What a promise settles with. @throws Error when that takes too long */
export async function within<Result>(
  what: string,
  promise: Promise<Result>,
  withinMs = patienceMs(),
): Promise<Result> {
  const over = new AbortController();
  const late = sleep(withinMs, undefined, { signal: over.signal }).then(
    () => Promise.reject(new Error(`not within ${withinMs} ms: ${what}`)),
    () => promise,
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    over.abort();
  }
}

/** The connections to a database that wait for a lock, one a row. */
export const WAITING_FOR_LOCK =
  "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

/** Waits until so many connections wait for a lock. @param ask sends `WAITING_FOR_LOCK` */
export async function untilLocked(
  connections: number,
  ask: () => Promise<{ readonly rows: readonly unknown[] }>,
): Promise<void> {
  await until(`${connections} connections wait for a lock`, async () => {
    const { length } = (await ask()).rows;
    return length >= connections || `${length} do`;
  });
}
