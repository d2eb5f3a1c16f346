/** A worker in this process. */
import { runWorker, type WorkerDeps } from '../../src/worker/run-worker.ts';

type Own = Pick<WorkerDeps, 'db' | 'databaseUrl' | 'registry' | 'logger'> & Partial<WorkerDeps>;

/** Starts one that sweeps its shops each second, without a webhook; disposing stops it and waits for its end. */
export async function startWorker(own: Own): Promise<AsyncDisposable & { readonly port: number }> {
  const [ready, stop] = [Promise.withResolvers<number>(), new AbortController()];
  const running = runWorker(
    {
      stopping: stop.signal,
      unreadiness: async () => Promise.resolve(undefined),
      now: () => Temporal.Now.instant(),
      cron: '* * * * * *',
      slots: 1,
      port: 0,
      opsPassword: undefined,
      webhook: undefined,
      runsKeptMs: 8e9,
      rawKeptMs: undefined,
      budgetMs: 60_000,
      ...own,
    },
    ready.resolve,
  );
  const port = await Promise.race([ready.promise, running.then(() => 0)]);
  return {
    port,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}
