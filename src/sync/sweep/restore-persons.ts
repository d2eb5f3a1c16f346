import { requestUsersAgain } from '../../warehouse/directory/users.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { updateShopState } from '../../warehouse/ops/stored-shop-state.ts';
import { hasPseudonymized } from '../../warehouse/orders/live-orders.ts';
import type { Sweep } from '../run/context.ts';
import type { SweepRequest } from './sweep-request.ts';
import { nextStep } from '../../model/next-step.ts';

const warningOf = (shop: string) =>
  'buyers were not stored so far (PII_MODE=pseudonymize), and are now: orders get their buyers back when they are read ' +
  `again; run ${nextStep('load again', { shop })} to read all of them`;

/**
 * After `PII_MODE` was set back to `keep`, each order that is read counts as changed, as its fingerprint was a keyed one. A
 * forced sweep requests users anew as well.
 */
export async function beginRestoring(sweep: Sweep, request: SweepRequest): Promise<void> {
  if (!lacksPersons(sweep) || request.force !== true) return;
  const { db, lease } = sweep.ports;
  await fenced(db, lease, (tx) => requestUsersAgain(tx, lease.shopId));
}

/** @returns a warning while stored orders lack their buyers */
export async function finishRestoring(sweep: Sweep): Promise<string | undefined> {
  if (!lacksPersons(sweep)) return undefined;
  const { ports, state } = sweep;
  const { db, lease, now, shop } = ports;
  if (await hasPseudonymized(db, lease.shopId)) return warningOf(shop.shopKey);
  await fenced(db, lease, (tx) => updateShopState(tx, lease.shopId, { privacy_policy: null }, now()));
  state.privacyPolicy = null;
  return undefined;
}

function lacksPersons({ ports, state }: Sweep): boolean {
  return ports.shop.pseudonymize === undefined && state.privacyPolicy !== null;
}
