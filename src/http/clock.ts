import { setTimeout as timer } from 'node:timers/promises';

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
    try {
      await timer(ms, undefined, { signal });
    } catch (error) {
      // The timer's own error would hide why the signal was aborted.
      signal?.throwIfAborted();
      throw error;
    }
  },
};

/** Awaits a promise, but not for longer than the signal allows. @throws the signal's reason */
export async function unlessAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return promise;
  const aborted = Promise.withResolvers<void>();
  const onAbort = () => aborted.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  signal.throwIfAborted();
}
