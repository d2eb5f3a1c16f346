/** The secret with which a shop's guests are hashed to customer keys: one for all rows, or a guest would be two. */
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
  /** The guests' keys are about to be made anew. */
  readonly rekey?: boolean;
  readonly state: Pick<ShopState, 'replay'>;
};

/**
 * The secret to make customer keys with: the configured one, which must be that of the rows that are there, or else one
 * that was drawn for this shop and is kept in the warehouse, where no BI role sees it.
 *
 * @param present the one that is stored
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
  if (secret !== null && digestOf(secret) === kept.digest) return secret;
  throw new TerminalError(
    `the customer keys of the guests of shop ${shop.shopKey} were made with another PII_SECRET: set it to the one that ` +
      `they were made with${kept.secret === null ? '' : ', which is none,'} or run replay --rekey to make all of these keys anew`,
  );
}

/** What to keep of a shop for which nothing is kept yet. */
async function adopt(deps: GuestSecretDeps): Promise<GuestSecret> {
  const { db, lease, shop } = deps;
  const samples = await readGuestSamples(db, lease.shopId, GUESTS_LOOKED_AT);
  // Rows of versions that kept none: without a setting they took this one.
  const earlier = shop.guestSecret ?? `order-sync ${shop.shopKey}`;
  const isEarlier = samples.some(({ customerKey, payload }) => {
    const context = { timezone: shop.timezone, guestSecret: earlier };
    return isJsonObject(payload) && normalizeOrder(payload, context).row?.customer_key === customerKey;
  });
  const drawn = () => randomBytes(SECRET_BYTES).toString('hex');
  const kept = (secret: string): GuestSecret => {
    return { secret: shop.guestSecret === undefined ? secret : null, digest: digestOf(secret) };
  };
  // Of rows that were made with neither nothing is known but that they were made with another.
  if (samples.length > 0 && !isEarlier) return { secret: null, digest: '' };
  const own = kept(samples.length > 0 ? earlier : (shop.guestSecret ?? drawn()));
  await addGuestSecret(db, lease, own);
  return own;
}

async function replace(deps: GuestSecretDeps, present: GuestSecret | undefined): Promise<string> {
  const { db, lease, shop, state } = deps;
  const secret = shop.guestSecret ?? present?.secret ?? randomBytes(SECRET_BYTES).toString('hex');
  const next: GuestSecret = {
    secret: shop.guestSecret === undefined ? secret : null,
    digest: digestOf(secret),
  };
  if (present?.digest === next.digest && present.secret === next.secret) return secret;
  // What an unfinished replay has made so far was made with another secret.
  const replay = { ...state.replay, position: undefined };
  await fenced(db, lease, async (tx) => {
    await replaceGuestSecret(tx, lease.shopId, next);
    await saveReplayState(tx, lease.shopId, replay, deps.now());
  });
  state.replay = replay;
  return secret;
}

function digestOf(secret: string): string {
  return createHash('sha256').update('order-sync guest keys\0').update(secret).digest('hex');
}
