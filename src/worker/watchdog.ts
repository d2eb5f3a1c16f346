import { TransientError } from '../model/errors.ts';

/** Time to stop after an abort. */
const GRACE_MS = 10_000;

/**
 * Aborts the work at the deadline, and abandons it if it does not stop, so that a hanging sweep frees its slot.
 *
 * @param signals that stop the work as well
 * @throws TransientError at the deadline, the reason of the other signals, or what `work` throws
 */
export async function withWatchdog<Result>(
  deadlineMs: number,
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const hung = Promise.withResolvers<never>();
  const seconds = Math.round(deadlineMs / 1000);
  const error = new TransientError(`the sweep was stopped after ${seconds} s because it took too long`);
  const deadline = setTimeout(() => late.abort(error), deadlineMs);
  const signal = AbortSignal.any([late.signal, ...signals]);
  let grace: NodeJS.Timeout | undefined;
  const onAbort = () => {
    grace = setTimeout(() => hung.reject(signal.reason), GRACE_MS);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work(signal), hung.promise]);
  } finally {
    clearTimeout(deadline);
    clearTimeout(grace);
    signal.removeEventListener('abort', onAbort);
  }
}
