import { once } from 'node:events';

/** Resolves when the process is interrupted, and keeps it alive until then. */
export async function untilInterrupted(signal: AbortSignal): Promise<void> {
  const alive = setInterval(() => undefined, 60_000);
  try {
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    clearInterval(alive);
  }
}
