import { TransientError } from '../model/errors.ts';

/** Time to stop after an abort. */
const GRACE_MS = 10_000;

/**
 * Aborts the work at the deadline, and abandons it if it does not stop, so that a hanging sweep frees its slot.
 *
 * @param stopping stops the work as well
 * @throws TransientError at the deadline, the reason of `stopping`, or what `work` throws
 */
export async function withWatchdog<Result>(
  deadlineMs: number,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const [late, hung] = [new AbortController(), Promise.withResolvers<never>()];
  const signal = AbortSignal.any([late.signal, stopping]);
  const reason = `the sweep was stopped after ${Math.round(deadlineMs / 1000)} s because it took too long`;
  const deadline = setTimeout(() => late.abort(new TransientError(reason)), deadlineMs);
  let grace: NodeJS.Timeout | undefined;
  const onAbort = () => {
    grace = setTimeout(() => hung.reject(signal.reason), GRACE_MS);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work(signal), hung.promise]);
  } finally {
    clearTimeout(deadline);
    clearTimeout(grace);
    signal.removeEventListener('abort', onAbort);
  }
}
