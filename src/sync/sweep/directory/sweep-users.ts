import { setTimeout as sleep } from 'node:timers/promises';

import { isJsonObject } from '../../../model/json.ts';
import type { Profile } from '../../../model/persons.ts';
import type { Rejection } from '../../../normalize/rejection.ts';
import { allowance } from '../../../plan/load/allowance.ts';
import type { Tx } from '../../../warehouse/db/database.ts';
import { removeUnusedCodes } from '../../../warehouse/directory/owner-codes.ts';
import {
  type DueUser,
  readDueUsers,
  storeUsers,
  type UserToStore,
} from '../../../warehouse/directory/users.ts';
import { keepNoVersions } from '../../../warehouse/ops/change-stamp.ts';
import { makeDue } from '../../../warehouse/ops/ledger.ts';
import { clearFingerprints } from '../../../warehouse/orders/compare-orders.ts';
import { readTextsOf } from '../../../warehouse/orders/persons.ts';
import { asRecordFault, faultText } from '../../ask/record-faults.ts';
import type { RunPorts, Sweep } from '../../run/context.ts';
import { replayOrdersOf } from '../../run/replay-orders.ts';
import { writeNormalized } from '../../run/write-normalized.ts';

/** How often to look for buyers of orders that were loaded meanwhile. */
const POLL_MS = 1_000;

/**
 * Fetches buyers that are unknown, failed a while ago, or are outdated, until none is left: beside the orders, so that few are
 * left when these are in.
 *
 * @param orders settles when no more orders will be loaded, even after a failure
 */
export async function sweepUsers(sweep: Sweep, orders: Promise<unknown>): Promise<void> {
  const { db, lease, hasTimeLeft, now, shop, signal } = sweep.ports;
  let areOrdersIn = false;
  const ordersIn = Promise.allSettled([orders]).then(() => {
    areOrdersIn = true;
  });
  const pause = () => Promise.race([ordersIn, sleep(POLL_MS, undefined, { ref: false })]);
  // The orders of a short sweep are in by then. Where no person is stored, orders make their accounts due again: each is read once.
  await (shop.pseudonymize === undefined ? pause() : ordersIn);
  while (hasTimeLeft()) {
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
  const users = fetched.map(({ user }) => user);
  const profiles = fetched.flatMap(({ user, profile }) =>
    profile ? [[user.userOid, profile] as const] : [],
  );
  const { changed } = await writeNormalized(sweep, async (tx, shopId) => {
    const changed = await storeUsers(tx, shopId, users);
    // Their orders were stored before it was known who the buyers are.
    await withholdProfiles(tx, sweep.ports, new Map(profiles));
    // A user that is gone has nothing left to normalize, so its rejections are resolved too.
    const sourceKeys = users.flatMap(({ failure, userOid }) => (failure ? [] : [userOid]));
    const rejections = fetched.flatMap((user) => user.rejections);
    return { normalized: [{ resource: 'user', sourceKeys }], rejections, changed };
  });
  if (changed > 0) counters.hasWritten = true;
  counters.usersDone += due.length;
  problems.push(...users.flatMap(({ failure }) => failure?.reason ?? []));
}

async function fetchUser({ ports }: Sweep, { userOid, attempts }: DueUser) {
  const { now, privacy, questions, signal } = ports;
  const answered = (
    user: Omit<UserToStore, 'userOid' | 'fetchedAt'>,
    rejections: readonly Rejection[] = [],
    profile?: Profile,
  ) => ({ user: { ...user, userOid, fetchedAt: now() }, rejections, profile });
  const failed = (reason: string) => {
    return { fetchState: 'failed', failure: { reason, attempts: attempts + 1 } };
  };
  try {
    const found = await questions.user(userOid, signal);
    if (found.kind === 'not-found') return answered({ fetchState: 'not_found', payload: null });
    if (found.kind === 'unknown') return answered(failed(found.reason));
    const { row, person, payload, rejections } = privacy.user(userOid, found.raw);
    if (row === undefined)
      return answered({ ...failed('a user could not be normalized'), payload }, rejections);
    const content = isJsonObject(found.raw['content']) ? [found.raw['content']] : [];
    return answered({ fetchState: 'ok', row, person, payload }, rejections, [found.raw, ...content]);
  } catch (error) {
    return answered(failed(faultText(asRecordFault(error, signal), 'this user')));
  }
}

/**
 * Takes the persons of accounts out of the texts of their stored orders. Orders of which nothing is stored any more that could be
 * replayed are read again.
 *
 * @param profiles by the numbers of accounts
 */
async function withholdProfiles(
  tx: Tx,
  { lease, privacy }: Pick<RunPorts, 'lease' | 'privacy'>,
  profiles: ReadonlyMap<string, Profile>,
): Promise<void> {
  const { shopId } = lease;
  const orders = await readTextsOf(tx, shopId, [...profiles.keys()]);
  const found = orders.filter(({ userOid, order, lines }) =>
    privacy.isFoundIn(profiles.get(userOid) ?? [], order, lines),
  );
  if (found.length === 0) return;
  await keepNoVersions(tx);
  const ids = found.map(({ orderId }) => orderId);
  const replayed = await replayOrdersOf(tx, { lease, privacy }, ids, profiles);
  const others = found.filter(({ orderId }) => !replayed.has(orderId));
  const otherIds = others.map(({ orderId }) => orderId);
  await clearFingerprints(tx, shopId, otherIds);
  const days = others.flatMap(({ createdOn }) => createdOn ?? []);
  await makeDue(tx, shopId, days);
  await removeUnusedCodes(tx, shopId);
}
