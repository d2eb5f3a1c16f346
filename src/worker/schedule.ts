import { schedule } from 'node-cron';

import type { Logger } from '../sync/run/context.ts';

export type Schedule = Disposable & {
  /** An extra tick. */
  tickNow(): void;
};

/**
 * Calls `tick` now and on a cron schedule in UTC; a tick that fails is logged. Missed or repeated ticks only shift the
 * time of a sweep: the ledger decides what is due.
 */
export function startSchedule(cron: string, tick: () => Promise<void>, logger: Logger): Schedule {
  const safely = async () => {
    try {
      await tick();
    } catch (error) {
      logger.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'tick failed');
    }
  };
  const task = schedule(cron, safely, { timezone: 'UTC', suppressMissedWarning: true });
  void safely();
  return {
    tickNow: () => void safely(),
    [Symbol.dispose]() {
      void task.destroy();
    },
  };
}
