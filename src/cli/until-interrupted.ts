/** Settles when the process is asked to stop; keeps it alive until then, since a signal alone does not. */
export async function untilInterrupted(signal: AbortSignal): Promise<void> {
  const alive = setInterval(() => undefined, 60_000);
  try {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    clearInterval(alive);
  }
}
