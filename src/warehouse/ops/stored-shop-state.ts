import { eq, type SQL, sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { erasures, guestSecrets } from '../schema/ops.ts';
import { shopState } from '../schema/shop-state.ts';
import { shops } from '../schema/shops.ts';
import { type Lease, leasedShop, leaseLost } from './lease.ts';
import { upsert } from '../db/upsert.ts';

export type ShopStateRow = typeof shopState.$inferSelect;

/** Columns to write; others stay as they are. */
export type ShopStateChanges = Partial<Omit<ShopStateRow, 'shop_id'>>;

/** `secret` is null where it is in the settings: then only its digest is stored. */
export type GuestSecret = { readonly secret: string | null; readonly digest: string };

export type StoredShopState = {
  readonly row: ShopStateRow;
  readonly guestSecret: GuestSecret | undefined;
  /** Hashes of erased persons' identifiers. */
  readonly erasures: ReadonlySet<string>;
  readonly pausedAt: Temporal.Instant | undefined;
  readonly deletionStartedAt: Temporal.Instant | undefined;
  readonly timezone: string;
};

/** @returns undefined for a shop that was not registered properly */
export async function loadShopState(db: Db, shopId: number): Promise<StoredShopState | undefined> {
  const [found] = await db
    .select({
      row: shopState,
      shop: {
        timezone: shops.timezone,
        paused: shops.paused_at,
        deletion: shops.deletion_started_at,
      },
      // The first column tells Drizzle whether there is a row: it is never null.
      guestSecret: { digest: guestSecrets.digest, secret: guestSecrets.secret },
      erasures: sql<readonly string[]>`ARRAY(
        SELECT ${erasures.identifier_hash} FROM ${erasures} WHERE ${erasures.shop_id} = ${shopId})`,
    })
    .from(shopState)
    .innerJoin(shops, eq(shops.shop_id, shopState.shop_id))
    .leftJoin(guestSecrets, eq(guestSecrets.shop_id, shopState.shop_id))
    .where(eq(shopState.shop_id, shopId));
  return (
    found && {
      row: found.row,
      guestSecret: found.guestSecret ?? undefined,
      erasures: new Set(found.erasures),
      timezone: found.shop.timezone,
      pausedAt: found.shop.paused ?? undefined,
      deletionStartedAt: found.shop.deletion ?? undefined,
    }
  );
}

/** Without secret and erasures. */
export async function readShopState(db: Db | Tx, shopId: number): Promise<ShopStateRow | undefined> {
  const [row] = await db.select().from(shopState).where(eq(shopState.shop_id, shopId));
  return row;
}

/** Of all shops, without secrets. */
export async function readShopStates(db: Db | Tx): Promise<readonly ShopStateRow[]> {
  return db.select().from(shopState);
}

const saving = (db: Db | Tx, shop: SQL, changes: ShopStateChanges, savedAt: Temporal.Instant) =>
  db
    .update(shopState)
    .set({ ...changes, saved_at: savedAt })
    .where(sql`${shopState.shop_id} = ${shop}`);

/** For callers with their own transaction, or without a lease. */
export async function updateShopState(
  db: Db | Tx,
  shopId: number,
  changes: ShopStateChanges,
  savedAt: Temporal.Instant,
): Promise<void> {
  await saving(db, sql`${shopId}`, changes, savedAt);
}

/** @throws LeaseLostError when another process took the lease; then nothing is written */
export async function saveShopState(
  db: Db,
  lease: Lease,
  changes: ShopStateChanges,
  savedAt: Temporal.Instant,
): Promise<void> {
  const { rowCount } = await saving(db, leasedShop(lease), changes, savedAt);
  if (rowCount === 0) throw leaseLost(lease);
}

export async function keepGuestSecret(tx: Tx, shopId: number, kept: GuestSecret): Promise<void> {
  await upsert(tx, guestSecrets, [{ shop_id: shopId, ...kept }]);
}

export async function rememberErasures(tx: Tx, shopId: number, hashes: readonly string[]): Promise<void> {
  const rows = [...new Set(hashes)].map((identifier_hash) => ({ shop_id: shopId, identifier_hash }));
  await upsert(tx, erasures, rows);
}
