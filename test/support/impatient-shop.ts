import { parseFreshness } from '../../src/plan/days/freshness.ts';
import { ShopRegistry, type WorkerShop } from '../../src/worker/shop-registry.ts';
import type { SweepEnd } from '../../src/worker/slots.ts';
import { type SweepJobDeps, sweepJob } from '../../src/worker/sweep-job.ts';

/** A shop of a worker in this process whose client waits milliseconds where others wait seconds. */
export const impatientShop = (baseUrl: string) => ({
  shopKey: 'test',
  baseUrl,
  login: 'admin',
  apiKey: 'simulated-key',
  timezone: 'Europe/Berlin',
  pageLimit: 500,
  historyFrom: undefined,
  guestSecret: 'test',
  linesMaxAgeMs: 7e8,
  countEveryMs: 0,
  usersMaxAgeMs: 7e8,
  groupsMaxAgeMs: 7e8,
  maxRps: 10_000,
  freshness: parseFreshness('2d:5m, *:1h'),
  retry: { firstPauseMs: 1, maxPauseMs: 2 },
  budget: { maxWaitMs: 2 },
  circuit: { firstProbeMs: 1, maxProbeMs: 2 },
  maxOutageMs: 20,
});

/** A log that nobody reads. */
export const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined };

/** The shops of a worker, each with a client of its own. */
export function registryOf(...shops: readonly WorkerShop[]): ShopRegistry {
  const registry = new ShopRegistry(quiet);
  registry.configure(shops);
  return registry;
}

/** What a sweep of a worker without queue and server needs, with the usual limits. */
export function sweepJobDeps(
  given: Pick<SweepJobDeps, 'db' | 'registry' | 'now' | 'count'> & Partial<SweepJobDeps>,
): SweepJobDeps {
  return {
    logger: quiet,
    runsKeptMs: 90 * 86_400_000,
    rawKeptMs: undefined,
    budgetMs: 240_000,
    deadlineMs: 420_000,
    hasWaiting: async () => false,
    stopping: new AbortController().signal,
    ...given,
  };
}

/** A worker with one slot and one shop, which looks for its turn at every tick of a test's clock. */
export function workerOfTicks(deps: SweepJobDeps, shopKey = 'test') {
  let dueAt: Temporal.Instant | undefined;
  return {
    /** @returns how the sweep ended; `waits` before it is due */
    tick: async (): Promise<SweepEnd | 'waits'> => {
      const now = deps.now();
      if (dueAt !== undefined && Temporal.Instant.compare(now, dueAt) < 0) return 'waits';
      const end = await sweepJob(deps, shopKey, undefined);
      dueAt = typeof end === 'object' ? now.add({ milliseconds: end.retryMs }) : undefined;
      return end;
    },
  };
}
