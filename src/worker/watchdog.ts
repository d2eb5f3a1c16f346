import { TransientError } from '../errors.ts';

/** What was told to stop has this long to do so. */
const GRACE_MS = 10_000;

/**
 * Runs work that is to end by a deadline: then its signal is aborted, and if even that does not end it, it is left
 * behind, so that one hanging sweep does not take its turn for ever.
 *
 * @param signals others that stop the work
 * @throws TransientError at the deadline, or the reason of the other signals, or what `work` throws
 */
export async function withWatchdog<Result>(
  deadlineMs: number,
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const hung = Promise.withResolvers<never>();
  const seconds = Math.round(deadlineMs / 1000);
  const error = new TransientError(`the sweep was ended after ${seconds} s, since it took too long`);
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
