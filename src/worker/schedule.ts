import { schedule } from 'node-cron';

import type { Logger } from '../sync/run/context.ts';

/** A scheduled moment, the same for every worker. */
export type Tick = {
  readonly at: Date;
  /** Time until the next tick, at most a minute. */
  readonly spanMs: number;
};

const MAX_SPAN_MS = 60_000;

/**
 * Calls `onTick` on a cron schedule in UTC; one that fails is logged. Missed or repeated ticks only shift the time of a
 * sweep: the ledger decides what is due.
 */
export function startSchedule(
  cron: string,
  onTick: (tick: Tick) => Promise<void>,
  logger: Logger,
): Disposable {
  const task = schedule(
    cron,
    async ({ date }) => {
      const nextMs = task.getNextRun()?.getTime() ?? Number.POSITIVE_INFINITY;
      try {
        await onTick({ at: date, spanMs: Math.min(MAX_SPAN_MS, nextMs - date.getTime()) });
      } catch (error) {
        logger.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'tick failed');
      }
    },
    { timezone: 'UTC', suppressMissedWarning: true },
  );
  return {
    [Symbol.dispose]() {
      void task.destroy();
    },
  };
}
