import { eq, sql } from 'drizzle-orm';

import { nextStep } from '../../model/next-step.ts';
import { TerminalError } from '../../model/errors.ts';
import { GUEST_OID } from '../../model/persons.ts';
import type { Db, Tx } from '../db/database.ts';
import { DOCUMENTED_PAYMENTS, DOCUMENTED_STATUSES } from './documented-codes.ts';
import { shopState } from '../schema/shop-state.ts';
import { orderStatuses, paymentStatuses, shops } from '../schema/shops.ts';
import { users } from '../schema/users.ts';

export type ShopIdentity = {
  readonly shopKey: string;
  readonly baseUrl: string;
  /** IANA zone of the shop's times. */
  readonly timezone: string;
};

/** The initial state of a shop; see `ops/stored-shop-state.ts`. */
export type FirstState = Pick<typeof shopState.$inferInsert, 'freshness' | 'normalizer_version'>;

/**
 * Registers a shop, or finds it by its key, and returns its `shop_id`. A new address is saved; another zone is refused,
 * since every stored instant was computed with the first.
 *
 * @param found the shop, if it was already looked up
 * @throws TerminalError when the shop is registered with another zone
 */
export async function registerShop(
  db: Db,
  shop: ShopIdentity,
  first: FirstState,
  found?: FoundShop,
): Promise<number> {
  const registered = found ?? (await findShop(db, shop.shopKey));
  if (registered !== undefined) assertSameZone(shop.shopKey, registered.timezone, shop.timezone);
  // Nearly always, there is nothing to write.
  if (registered?.isSeeded && registered.baseUrl === shop.baseUrl) return registered.shopId;
  return db.transaction(async (tx) => {
    const row = { shop_key: shop.shopKey, base_url: shop.baseUrl, timezone: shop.timezone };
    // An insert consumes an id even on conflict.
    if (registered === undefined) await tx.insert(shops).values(row).onConflictDoNothing();
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
    await seedShop(tx, stored.shop_id, first);
    return stored.shop_id;
  });
}

/** @throws TerminalError when the shop is registered with another zone */
export function assertSameZone(shopKey: string, registered: string, input: string): void {
  if (registered === input) return;
  throw new TerminalError(
    `shop ${shopKey} is registered with time zone ${registered}, which its stored times depend on; ` +
      `set the time zone to it, or, if ${input} is right, run ${nextStep('correct zone', { shop: shopKey, to: input })}`,
  );
}

const DOCUMENTED_CODES = DOCUMENTED_STATUSES.length + DOCUMENTED_PAYMENTS.length;

/** Leaves existing rows alone: an analyst may have edited them. */
async function seedShop(tx: Tx, shopId: number, first: FirstState): Promise<void> {
  await tx
    .insert(shopState)
    .values({ shop_id: shopId, ...first })
    .onConflictDoNothing();
  const own = { shop_id: shopId, is_documented: true };
  await tx
    .insert(orderStatuses)
    .values(DOCUMENTED_STATUSES.map(({ code, ...seed }) => ({ ...seed, ...own, status_code: code })))
    .onConflictDoNothing();
  await tx
    .insert(paymentStatuses)
    .values(DOCUMENTED_PAYMENTS.map(({ code, name }) => ({ ...own, name, pay_status_code: code })))
    .onConflictDoNothing();
  await tx
    .insert(users)
    .values({ shop_id: shopId, user_oid: GUEST_OID, fetch_state: 'guest' })
    .onConflictDoNothing();
}

export type StoredShop = ShopIdentity & {
  readonly shopId: number;
  readonly registeredAt: Temporal.Instant;
  /** Since when it is not synced until somebody resumes it. */
  readonly pausedAt: Temporal.Instant | undefined;
  /** Since when it is being deleted: what is left of it is incomplete. */
  readonly deletionStartedAt: Temporal.Instant | undefined;
};

/** `isSeeded`: it has its state, and all documented codes. */
export type FoundShop = StoredShop & { readonly isSeeded: boolean };

export async function findShop(db: Db, shopKey: string): Promise<FoundShop | undefined> {
  // Not by the outer row: a Citus cannot look up distributed rows for each row of a table that is on every node.
  const isOfShop = sql`shop_id = (SELECT shop_id FROM core.shops WHERE shop_key = ${shopKey})`;
  const [row] = await db
    .select({
      shop: shops,
      codes: sql<number>`
        (SELECT count(*)::int FROM core.order_statuses WHERE ${isOfShop} AND is_documented)
        + (SELECT count(*)::int FROM core.payment_statuses WHERE ${isOfShop} AND is_documented)`,
      hasState: sql<boolean>`EXISTS (SELECT 1 FROM ops.shop_state WHERE ${isOfShop})`,
    })
    .from(shops)
    .where(eq(shops.shop_key, shopKey));
  if (row === undefined) return undefined;
  return { ...toStoredShop(row.shop), isSeeded: row.hasState && row.codes >= DOCUMENTED_CODES };
}

/** All shops of this warehouse, by key. */
export async function listShops(db: Db | Tx): Promise<readonly StoredShop[]> {
  const rows = await db.select().from(shops).orderBy(shops.shop_key);
  return rows.map(toStoredShop);
}

/** The shops that are not being deleted, by key; paused ones too. */
export async function listKeptShops(db: Db | Tx): Promise<readonly StoredShop[]> {
  return (await listShops(db)).filter(({ deletionStartedAt }) => deletionStartedAt === undefined);
}

function toStoredShop(row: typeof shops.$inferSelect): StoredShop {
  return {
    shopId: row.shop_id,
    shopKey: row.shop_key,
    baseUrl: row.base_url,
    timezone: row.timezone,
    registeredAt: row.created_at,
    pausedAt: row.paused_at ?? undefined,
    deletionStartedAt: row.deletion_started_at ?? undefined,
  };
}
