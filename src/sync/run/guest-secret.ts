/** The secret that hashes a shop's guests to customer keys: the same for all rows, or one guest would count as two. */
import { createHash, randomBytes } from 'node:crypto';

import { TerminalError } from '../../errors.ts';
import { isJsonObject } from '../../json.ts';
import { normalizeOrder } from '../../normalize/order.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { addGuestSecret, replaceGuestSecret } from '../../warehouse/ops/guest-secrets.ts';
import { fenced, type Lease } from '../../warehouse/ops/lease.ts';
import { readGuestSamples } from '../../warehouse/ops/raw-records.ts';
import type { GuestSecret } from '../../warehouse/ops/stored-shop-state.ts';
import type { RunShop } from './context.ts';
import { saveReplayState } from './replay-state.ts';
import type { ShopState } from './shop-state.ts';

const SECRET_BYTES = 32;
const GUESTS_LOOKED_AT = 20;

export type GuestSecretDeps = {
  readonly db: Db;
  readonly lease: Lease;
  readonly shop: RunShop;
  readonly now: () => Temporal.Instant;
  /** The guests' keys are about to be recreated. */
  readonly rekey?: boolean;
  /** Identifiers of erased persons that are remembered by their hashes. */
  readonly erasedIdentifiers: number;
  readonly state: Pick<ShopState, 'replay'>;
};

/**
 * The secret for customer keys: the configured one, which must be the one that made the existing rows, or else a random
 * one, stored in the warehouse where no BI role sees it.
 *
 * @param present the stored one
 * @throws TerminalError when the keys of the shop's guests were made with another secret
 */
export async function settleGuestSecret(
  deps: GuestSecretDeps,
  present: GuestSecret | undefined,
): Promise<string> {
  const { shop } = deps;
  if (deps.rekey) return replace(deps, present);
  const kept = present ?? (await adopt(deps));
  const secret = shop.guestSecret ?? kept.secret;
  if (secret !== null && hashSecret(secret) === kept.digest) return secret;
  throw new TerminalError(
    `the guests' customer keys of shop ${shop.shopKey} were made with another PII_SECRET` +
      `${kept.secret === null ? ': set that one' : ' (none): unset it'}, or run replay --rekey to recreate all of these keys`,
  );
}

/** The secret to store for a shop that has none stored yet. */
async function adopt(deps: GuestSecretDeps): Promise<GuestSecret> {
  const { db, lease, shop } = deps;
  const samples = await readGuestSamples(db, lease.shopId, GUESTS_LOOKED_AT);
  // Versions that stored no secret used this one if none was configured.
  const earlier = shop.guestSecret ?? `order-sync ${shop.shopKey}`;
  const isEarlier = samples.some(({ customerKey, payload }) => {
    const context = { timezone: shop.timezone, guestSecret: earlier };
    return isJsonObject(payload) && normalizeOrder(payload, context).row?.customer_key === customerKey;
  });
  const randomSecret = () => randomBytes(SECRET_BYTES).toString('hex');
  const kept = (secret: string): GuestSecret => {
    return { secret: shop.guestSecret === undefined ? secret : null, digest: hashSecret(secret) };
  };
  // Rows made with neither were made with some other secret.
  if (samples.length > 0 && !isEarlier) return { secret: null, digest: '' };
  const own = kept(samples.length > 0 ? earlier : (shop.guestSecret ?? randomSecret()));
  await addGuestSecret(db, lease, own);
  return own;
}

async function replace(deps: GuestSecretDeps, present: GuestSecret | undefined): Promise<string> {
  const { db, lease, shop, state } = deps;
  const secret = shop.guestSecret ?? present?.secret ?? randomBytes(SECRET_BYTES).toString('hex');
  const next: GuestSecret = {
    secret: shop.guestSecret === undefined ? secret : null,
    digest: hashSecret(secret),
  };
  if (present?.digest === next.digest && present.secret === next.secret) return secret;
  if (present !== undefined && present.digest !== next.digest && deps.erasedIdentifiers > 0) {
    throw new TerminalError(
      `shop ${shop.shopKey} remembers ${deps.erasedIdentifiers} identifiers of erased persons by hashes made with the present ` +
        'secret; with another one, these persons would be stored again: keep the secret',
    );
  }
  // An unfinished replay made its keys with another secret.
  const replay = { ...state.replay, position: undefined };
  await fenced(db, lease, async (tx) => {
    await replaceGuestSecret(tx, lease.shopId, next);
    await saveReplayState(tx, lease.shopId, replay, deps.now());
  });
  state.replay = replay;
  return secret;
}

function hashSecret(secret: string): string {
  return createHash('sha256').update('order-sync guest keys\0').update(secret).digest('hex');
}
