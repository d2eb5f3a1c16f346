import { eq, sql } from 'drizzle-orm';

import { TerminalError } from '../../errors.ts';
import type { Db, Tx } from '../db/database.ts';
import { DOCUMENTED_ORDER_STATUSES, DOCUMENTED_PAYMENT_STATUSES, GUEST_OID } from './documented-codes.ts';
import { orderStatuses, paymentStatuses, shops } from '../schema/shops.ts';
import { users } from '../schema/users.ts';

export type ShopIdentity = {
  readonly shopKey: string;
  readonly baseUrl: string;
  /** IANA zone of the shop's times. */
  readonly timezone: string;
};

/**
 * Registers a shop, or finds it again by its key, and returns its `shop_id`. A moved address is taken over; another
 * zone is refused, since every stored instant was computed through the first.
 *
 * @throws TerminalError when the shop is registered with another zone
 */
export async function registerShop(db: Db, shop: ShopIdentity): Promise<number> {
  const registered = await readRegistered(db, shop.shopKey);
  if (registered !== undefined) assertSameZone(shop.shopKey, registered.timezone, shop.timezone);
  // As at nearly every run: nothing is to be written then.
  if (registered?.base_url === shop.baseUrl && registered.codes >= DOCUMENTED_CODES)
    return registered.shop_id;
  return db.transaction(async (tx) => {
    const [known] = await tx.select().from(shops).where(eq(shops.shop_key, shop.shopKey));
    if (known === undefined) {
      // Only now: an insert takes a number even where it finds the shop to be there.
      const row = { shop_key: shop.shopKey, base_url: shop.baseUrl, timezone: shop.timezone };
      await tx.insert(shops).values(row).onConflictDoNothing();
    }
    const [stored] = await tx
      .select()
      .from(shops)
      .where(eq(shops.shop_key, shop.shopKey))
      .for('no key update');
    if (stored === undefined) throw new TerminalError(`shop ${shop.shopKey} could not be registered`);
    assertSameZone(shop.shopKey, stored.timezone, shop.timezone);
    if (stored.base_url !== shop.baseUrl) {
      await tx.update(shops).set({ base_url: shop.baseUrl }).where(eq(shops.shop_id, stored.shop_id));
    }
    await seedCodes(tx, stored.shop_id);
    return stored.shop_id;
  });
}

/** With how many documented codes a shop is registered; undefined where it is not. */
async function readRegistered(db: Db, shopKey: string) {
  const { rows } = await db.execute<{
    shop_id: number;
    base_url: string;
    timezone: string;
    codes: number;
  }>(sql`
    SELECT shop_id, base_url, timezone,
      (SELECT count(*)::int FROM core.order_statuses s WHERE s.shop_id = shops.shop_id AND s.is_documented)
      + (SELECT count(*)::int FROM core.payment_statuses p WHERE p.shop_id = shops.shop_id AND p.is_documented) AS codes
    FROM core.shops WHERE shop_key = ${shopKey}`);
  return rows[0];
}

/** @throws TerminalError when a shop is registered with another zone than the one given now */
export function assertSameZone(shopKey: string, registered: string, given: string): void {
  if (registered === given) return;
  throw new TerminalError(
    `shop ${shopKey} is registered with time zone ${registered}, and its times were stored through it; ` +
      `set SHOP_TIMEZONE to that, or give the shop another SHOP_KEY`,
  );
}

const DOCUMENTED_CODES = DOCUMENTED_ORDER_STATUSES.length + DOCUMENTED_PAYMENT_STATUSES.length;

/** Rows that exist are left as they are: an analyst may have edited them. */
async function seedCodes(tx: Tx, shopId: number): Promise<void> {
  const own = { shop_id: shopId, is_documented: true };
  await tx
    .insert(orderStatuses)
    .values(DOCUMENTED_ORDER_STATUSES.map((seed, index) => ({ ...seed, ...own, stage_order: index })))
    .onConflictDoNothing();
  await tx
    .insert(paymentStatuses)
    .values(DOCUMENTED_PAYMENT_STATUSES.map((seed) => ({ ...seed, ...own })))
    .onConflictDoNothing();
  await tx
    .insert(users)
    .values({ shop_id: shopId, user_oid: GUEST_OID, fetch_state: 'guest' })
    .onConflictDoNothing();
}

export type StoredShop = ShopIdentity & { readonly shopId: number };

/** A registered shop. */
export async function findShop(db: Db, shopKey: string): Promise<StoredShop | undefined> {
  return (await listShops(db)).find((shop) => shop.shopKey === shopKey);
}

/** All shops of this warehouse, by key. */
export async function listShops(db: Db): Promise<readonly StoredShop[]> {
  const rows = await db.select().from(shops).orderBy(shops.shop_key);
  return rows.map((row) => ({
    shopId: row.shop_id,
    shopKey: row.shop_key,
    baseUrl: row.base_url,
    timezone: row.timezone,
  }));
}
