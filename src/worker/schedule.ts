import { schedule } from 'node-cron';

import type { Logger } from '../sync/run/context.ts';

export type Schedule = Disposable & {
  /** A tick out of turn; one that fails is logged like any other. */
  tickNow(): void;
};

/**
 * Calls `tick` now, and whenever the cron expression says so, in UTC. It is only a hint: a tick that is missed or comes
 * twice changes nothing but the moment, since what is due is in the ledger.
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
