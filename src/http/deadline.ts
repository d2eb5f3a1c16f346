/**
 * Runs `work` until it ends, `timeoutMs` have passed, or `outer` is aborted; then its own signal is aborted too. Its
 * end is not waited for: once the headers are in, a signal that was handed to `fetch` may be forgotten by the garbage
 * collector, and the body would be awaited for minutes.
 *
 * @param onTimeout makes the error for the time-out
 * @throws what `work` throws, what `onTimeout` returns, or the reason of `outer`
 */
export async function withDeadline<Result>(
  timeoutMs: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
  onTimeout: () => Error,
): Promise<Result> {
  outer?.throwIfAborted();
  const inner = new AbortController();
  const stopped = Promise.withResolvers<never>();
  const stop = (reason: unknown) => {
    stopped.reject(reason);
    inner.abort(reason);
  };
  const onAbort = () => stop(outer?.reason);
  const timer = setTimeout(() => stop(onTimeout()), timeoutMs);
  outer?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work(inner.signal), stopped.promise]);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', onAbort);
  }
}
