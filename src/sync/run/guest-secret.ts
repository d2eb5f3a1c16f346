/** The secret that hashes a shop's guests to customer keys: the same for all rows, or one guest would count as two. */
import { createHash, randomBytes } from 'node:crypto';

import { TerminalError } from '../../model/errors.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { type GuestSecret, keepGuestSecret } from '../../warehouse/ops/stored-shop-state.ts';
import { dropDue } from '../../warehouse/ops/due.ts';
import { fenced, type Lease } from '../../warehouse/ops/lease.ts';
import type { RunShop } from './context.ts';
import { nextStep } from '../../model/next-step.ts';

const SECRET_BYTES = 32;

export type GuestSecretDeps = {
  readonly db: Db;
  readonly lease: Lease;
  readonly shop: RunShop;
  /** The guests' keys are about to be recreated. */
  readonly rekey?: boolean;
  /** Identifiers of erased persons that are remembered by their hashes. */
  readonly erasedIdentifiers: number;
};

/**
 * The secret for customer keys: the configured one, which must be the one that made the existing rows, or else a random
 * one, stored in the warehouse where no BI role sees it. Of a configured one only the digest is stored.
 *
 * @param present what is stored; undefined for a shop that has no rows yet
 * @throws TerminalError when the keys of the shop's guests were made with another secret
 */
export async function settleGuestSecret(
  { db, erasedIdentifiers, lease, rekey, shop }: GuestSecretDeps,
  present: GuestSecret | undefined,
): Promise<string> {
  const known = shop.guestSecret ?? present?.secret;
  if (present !== undefined && rekey !== true) {
    if (known && hashSecret(known) === present.digest) return known;
    throw new TerminalError(
      `the guests' customer keys of shop ${shop.shopKey} were made with another PII_SECRET` +
        `${present.secret === null ? ': set that one' : ' (none): unset it'}, or run ${nextStep('replace guest keys', { shop: shop.shopKey })} to recreate all of these keys`,
    );
  }
  const secret = known ?? randomBytes(SECRET_BYTES).toString('hex');
  const next = { secret: shop.guestSecret === undefined ? secret : null, digest: hashSecret(secret) };
  if (present?.digest === next.digest && present.secret === next.secret) return secret;
  if (present !== undefined && present.digest !== next.digest && erasedIdentifiers > 0) {
    throw new TerminalError(
      `shop ${shop.shopKey} remembers ${erasedIdentifiers} identifiers of erased persons by hashes made with the present ` +
        'secret; with another one, these persons would be stored again: keep the secret',
    );
  }
  await fenced(db, lease, async (tx) => {
    await keepGuestSecret(tx, lease.shopId, next);
    // An unfinished replay made its keys with another secret.
    await dropDue(tx, lease.shopId, 'replay', ['']);
  });
  return secret;
}

function hashSecret(secret: string): string {
  return createHash('sha256').update('order-sync guest keys\0').update(secret).digest('hex');
}
