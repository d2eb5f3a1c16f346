/** Time that passes only when everybody sleeps, for tests of pauses that would take minutes. */
import { vi } from 'vitest';

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

/** ky pauses before a retry by the timers of the process; until this is disposed of, by the clock instead. */
export function pauseKyBy(clock: Clock): Disposable {
  const pauses = new Map<unknown, AbortController>();
  const { setTimeout: setTimer, clearTimeout: clearTimer } = globalThis;
  const set = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
    end: () => void,
    ms: number,
    ...given: unknown[]
  ) => {
    if (new Error().stack?.includes('ky/distribution/utils/delay') !== true)
      return Reflect.apply(setTimer, undefined, [end, ms, ...given]) as NodeJS.Timeout;
    const [timer, abort] = [{}, new AbortController()];
    pauses.set(timer, abort);
    clock.sleep(ms, abort.signal).then(end, () => undefined);
    return timer;
  }) as typeof setTimeout);
  const clear = vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    const pause = pauses.get(timer);
    if (pause === undefined) clearTimer(timer);
    else pause.abort();
  });
  return {
    [Symbol.dispose]() {
      set.mockRestore();
      clear.mockRestore();
    },
  };
}
