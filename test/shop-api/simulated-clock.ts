/** Time that passes only when everybody sleeps, for tests of pauses that would take minutes. */
import type { Clock } from '../../src/http/clock.ts';

export type SimulatedClock = Clock & {
  /**
   * Runs actors side by side until all are done. Each is asleep or waits for something real, such as an answer; time
   * passes when all of them sleep.
   */
  run(actors: readonly (() => Promise<void>)[]): Promise<void>;
};

type Sleeper = { readonly atMs: number; readonly wake: () => void };

export function simulatedClock(startMs = 0): SimulatedClock {
  const sleepers = new Set<Sleeper>();
  let nowMs = startMs;
  let awake = 0;
  /** Wakes those who are next, once nobody is awake any more. */
  const pass = () => {
    if (awake > 0 || sleepers.size === 0) return;
    nowMs = Math.max(nowMs, Math.min(...[...sleepers].map(({ atMs }) => atMs)));
    for (const sleeper of sleepers) {
      if (sleeper.atMs > nowMs) continue;
      sleepers.delete(sleeper);
      awake += 1;
      sleeper.wake();
    }
  };
  const rest = () => {
    awake -= 1;
    pass();
  };
  return {
    nowMs: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const onAbort = () => {
          sleepers.delete(sleeper);
          awake += 1;
          reject(signal?.reason);
        };
        const wake = () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        };
        const sleeper = { atMs: nowMs + ms, wake };
        signal?.addEventListener('abort', onAbort, { once: true });
        sleepers.add(sleeper);
        rest();
      }),
    async run(actors) {
      awake += actors.length;
      await Promise.all(actors.map((actor) => actor().finally(rest)));
    },
  };
}
