import { requestUsersAgain } from '../../warehouse/directory/scrub-users.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { saveScrubState } from '../privacy/scrub-state.ts';
import type { Sweep } from '../run/context.ts';
import type { SweepRequest } from './sweep-request.ts';

const WARNING =
  'buyers were not stored so far (PII_MODE=pseudonymize), and are now: orders get their buyers back when they are read ' +
  'again; run backfill --force to read all of them';

/**
 * After `PII_MODE` was set back to `keep`, a forced backfill of all days reads everything again: the fingerprints of all
 * orders differ, and users are requested anew.
 *
 * @returns whether this sweep does that
 */
export async function beginRestoring({ ports, state }: Sweep, request: SweepRequest): Promise<boolean> {
  if (!lacksPersons({ ports, state })) return false;
  const isAll = request.force === true && request.from === undefined && request.to === undefined;
  if (!isAll) return false;
  const { db, lease } = ports;
  await fenced(db, lease, (tx) => requestUsersAgain(tx, lease.shopId));
  return true;
}

/** @param isRestored everything was read again @returns a warning while stored orders lack their buyers */
export async function finishRestoring(sweep: Sweep, isRestored: boolean): Promise<readonly string[]> {
  if (!lacksPersons(sweep)) return [];
  const { ports, state } = sweep;
  const { db, lease, logger, now, shop } = ports;
  if (!isRestored) {
    logger.warn({ shop: shop.shopKey, warning: WARNING }, 'buyers are missing');
    return [WARNING];
  }
  const scrub = { ...state.scrub, policy: null };
  await fenced(db, lease, (tx) => saveScrubState(tx, lease.shopId, scrub, now()));
  state.scrub = scrub;
  return [];
}

function lacksPersons({ ports, state }: Sweep): boolean {
  return ports.shop.pseudonymize === undefined && state.scrub.policy !== null;
}
