import { impossibleId } from '../../plan/impossible-id.ts';
import { readLatestUsers } from '../../warehouse/directory/load-users.ts';
import { readLargestIds } from '../../warehouse/orders/largest-ids.ts';
import type { Run, Sweep, SweepState } from '../run/context.ts';
import { createQuestions } from '../run/create-questions.ts';

/** Starts the sweep of a run. It extends the run's own state object, so that the run saves what the sweep changes. */
export function beginSweep({ ports, state }: Run, acceptsMissing: boolean): Sweep {
  const { api, db, lease, now } = ports;
  const own: Omit<SweepState, keyof Run['state']> = {
    days: {
      verified: new Set(),
      changed: new Set(),
      doubtful: new Set(),
      restless: new Set(),
      unconfirmed: new Set(),
    },
    questions: createQuestions(api, {
      async readIds() {
        const largest = await readLargestIds(db, lease.shopId);
        return { order: impossibleId(largest.order), user: impossibleId(largest.user) };
      },
      readKnownUsers: async (limit) => readLatestUsers(db, lease.shopId, limit),
    }),
    recognition: { began: now(), isSeen: false },
    findings: new Map(),
    fields: { order: new Set(), line: new Set() },
    acceptsMissing,
    isCut: false,
  };
  return { ports, state: Object.assign(state, own) };
}
