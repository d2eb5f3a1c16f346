import { setTimeout as sleep } from 'node:timers/promises';

import type { Rejection } from '../../../normalize/rejection.ts';
import { allowance } from '../../../plan/load/allowance.ts';
import {
  type DueUser,
  loadUsers,
  readDueUsers,
  type UserToLoad,
} from '../../../warehouse/directory/users.ts';
import type { Sweep } from '../../run/context.ts';
import { writeNormalized } from '../../run/write-normalized.ts';
import { asRecordFault, faultText } from '../../ask/record-faults.ts';

/** How often to look for buyers of orders that were loaded meanwhile. */
const POLL_MS = 1_000;

/**
 * Fetches buyers that are unknown, failed a while ago, or are outdated, until none is left: beside the orders, so that few are
 * left when these are in.
 *
 * @param orders settles when no more orders will be loaded, even after a failure
 */
export async function sweepUsers(sweep: Sweep, orders: Promise<unknown>): Promise<void> {
  const { db, lease, mayAsk, now, shop, signal } = sweep.ports;
  let areOrdersIn = false;
  const ordersIn = Promise.allSettled([orders]).then(() => {
    areOrdersIn = true;
  });
  const pause = () => Promise.race([ordersIn, sleep(POLL_MS, undefined, { ref: false })]);
  // The orders of a short sweep are in by then.
  await pause();
  while (mayAsk()) {
    signal.throwIfAborted();
    const isRest = areOrdersIn;
    const size = allowance(sweep.state.counters.usersDone);
    const due = await readDueUsers(db, lease.shopId, shop.usersMaxAgeMs, size, now());
    if (due.length > 0) await loadBatch(sweep, due);
    if (due.length === size) continue;
    if (isRest) return;
    await pause();
  }
}

async function loadBatch(sweep: Sweep, due: readonly DueUser[]): Promise<void> {
  const { counters, problems } = sweep.state;
  const fetched = await Promise.all(due.map((user) => fetchUser(sweep, user)));
  const rejections = fetched.flatMap((user) => user.rejections);
  // A user that is gone has nothing left to normalize, so its rejections are resolved too.
  const settled = fetched.flatMap(({ user }) => (user.answer.kind === 'failed' ? [] : [user.userOid]));
  const users = fetched.map(({ user }) => user);
  const normalized = [{ resource: 'user' as const, sourceKeys: settled }];
  const changed = await writeNormalized(sweep, normalized, rejections, (tx, shopId) =>
    loadUsers(tx, shopId, users),
  );
  if (changed > 0) await sweep.ports.recordRun();
  counters.usersDone += due.length;
  problems.push(...fetched.flatMap(({ failure }) => failure ?? []));
}

async function fetchUser({ ports }: Sweep, { userOid, attempts }: DueUser) {
  const { now, privacy, questions, signal } = ports;
  const failed = (reason: string) => ({ kind: 'failed' as const, reason, attempts: attempts + 1 });
  const answered = (
    answer: UserToLoad['answer'],
    rejections: readonly Rejection[] = [],
    failure?: string,
  ) => ({ user: { userOid, fetchedAt: now(), answer }, rejections, failure });
  const unread = (reason: string) => answered(failed(reason), [], reason);
  try {
    const found = await questions.user(userOid, signal);
    if (found.kind === 'not-found') return answered({ kind: 'not_found' });
    if (found.kind === 'unknown') {
      return unread(found.reason);
    }
    const { row, person, payload, rejections } = privacy.user(userOid, found.raw);
    if (row === undefined) {
      const reason = 'a user could not be normalized';
      return answered({ ...failed(reason), payload }, rejections, reason);
    }
    return answered({ kind: 'found', row, person, payload }, rejections);
  } catch (error) {
    return unread(faultText(asRecordFault(error, signal), 'this user'));
  }
}
