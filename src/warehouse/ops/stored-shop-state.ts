import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { erasures, guestSecrets, suspects } from '../schema/ops.ts';
import { shopState } from '../schema/shop-state.ts';
import { shops } from '../schema/shops.ts';
import { fencedRow, type Lease } from './lease.ts';
import { upsert } from '../db/upsert.ts';

export type ShopStateRow = typeof shopState.$inferSelect;

/** Columns to write; others stay as they are. */
export type ShopStateChanges = Partial<Omit<ShopStateRow, 'shop_id'>>;

/** `secret` is null where it is in the settings: then only its digest is stored. */
export type GuestSecret = { readonly secret: string | null; readonly digest: string };

export type StoredShopState = {
  readonly row: ShopStateRow;
  /** Orders that no list returned, though the shop does not say that they are gone, and since when by the database's clock. */
  readonly suspects: ReadonlyMap<string, Temporal.Instant>;
  readonly guestSecret: GuestSecret | undefined;
  /** Hashes of erased persons' identifiers. */
  readonly erasures: ReadonlySet<string>;
  /** What earlier sweeps found wrong: a sentence for each cause. */
  readonly findings: ReadonlyMap<string, string>;
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
      suspects: sql<Record<string, string> | null>`(
        SELECT json_object_agg(${suspects.order_id}, ${suspects.since})
        FROM ${suspects} WHERE ${suspects.shop_id} = ${shopId})`,
      erasures: sql<readonly string[] | null>`(
        SELECT json_agg(${erasures.identifier_hash})
        FROM ${erasures} WHERE ${erasures.shop_id} = ${shopId})`,
      findings: sql<Record<string, string> | null>`(
        SELECT json_object_agg(f.cause, f.detail) FROM ops.findings f WHERE f.shop_id = ${shopId})`,
    })
    .from(shopState)
    .innerJoin(shops, eq(shops.shop_id, shopState.shop_id))
    .leftJoin(guestSecrets, eq(guestSecrets.shop_id, shopState.shop_id))
    .where(eq(shopState.shop_id, shopId));
  if (found === undefined) return undefined;
  const since = Object.entries(found.suspects ?? {});
  return {
    row: found.row,
    suspects: new Map(since.map(([orderId, text]) => [orderId, Temporal.Instant.from(text)])),
    guestSecret: found.guestSecret ?? undefined,
    erasures: new Set(found.erasures),
    timezone: found.shop.timezone,
    pausedAt: found.shop.paused ?? undefined,
    deletionStartedAt: found.shop.deletion ?? undefined,
    findings: new Map(Object.entries(found.findings ?? {})),
  };
}

/** Without suspects, secret and erasures. */
export async function readShopState(db: Db | Tx, shopId: number): Promise<ShopStateRow | undefined> {
  const [row] = await db.select().from(shopState).where(eq(shopState.shop_id, shopId));
  return row;
}

/** Of all shops, without suspects and secrets. */
export async function readShopStates(db: Db | Tx): Promise<readonly ShopStateRow[]> {
  return db.select().from(shopState);
}

/** Writes columns if any of them changes; for callers with their own transaction, or without a lease. */
export async function updateShopState(
  db: Db | Tx,
  shopId: number,
  changes: ShopStateChanges,
  savedAt: Temporal.Instant,
): Promise<void> {
  await db.execute(sql`UPDATE ops.shop_state s ${setChanged(changes, savedAt)} AND s.shop_id = ${shopId}`);
}

/** Records the setting that all stored rows comply with; null: persons are stored. */
export async function savePrivacyPolicy(
  tx: Tx,
  shopId: number,
  policy: string | null,
  now: Temporal.Instant,
): Promise<void> {
  await updateShopState(tx, shopId, { privacy_policy: policy }, now);
}

/**
 * Writes columns, and all suspects if given, in one statement under the lease.
 *
 * @throws LeaseLostError when another process took the lease; then nothing is written
 */
export async function saveShopState(
  db: Db,
  lease: Lease,
  changes: ShopStateChanges,
  suspected: ReadonlyMap<string, Temporal.Instant> | undefined,
  savedAt: Temporal.Instant,
): Promise<void> {
  const given = [...(suspected ?? [])].map(([order_id, since]) => ({ order_id, since: since.toString() }));
  await fencedRow(
    db,
    lease,
    sql`,
    given AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(given)}::json) AS g (order_id bigint, since timestamptz)
    ),
    removed AS (
      DELETE FROM ops.suspects s USING fence
      WHERE ${suspected !== undefined} AND s.shop_id = fence.shop_id AND s.order_id NOT IN (SELECT order_id FROM given)
    ),
    added AS (
      INSERT INTO ops.suspects AS s (shop_id, order_id, since)
      SELECT fence.shop_id, order_id, since FROM fence CROSS JOIN given
      ON CONFLICT (shop_id, order_id) DO UPDATE SET since = excluded.since WHERE s.since <> excluded.since
    ),
    saved AS (
      UPDATE ops.shop_state s ${setChanged(changes, savedAt)} AND s.shop_id = (SELECT shop_id FROM fence)
    )
    SELECT FROM fence`,
  );
}

/** `SET ... WHERE ...` for the row `s`, which skips an unchanged row. */
function setChanged(changes: ShopStateChanges, savedAt: Temporal.Instant): SQL {
  const changed = sql`json_populate_record(s, ${JSON.stringify(changes)}::json)`;
  const saved = { ...changes, saved_at: savedAt.toString() };
  return sql`
    SET (${COLUMNS}) = (SELECT ${COLUMNS} FROM json_populate_record(s, ${JSON.stringify(saved)}::json))
    WHERE s IS DISTINCT FROM ${changed}`;
}

const COLUMNS = sql.raw(
  Object.keys(getTableColumns(shopState))
    .filter((name) => name !== 'shop_id')
    .join(', '),
);

export async function keepGuestSecret(tx: Tx, shopId: number, kept: GuestSecret): Promise<void> {
  await upsert(tx, guestSecrets, [{ shop_id: shopId, ...kept }]);
}

export async function rememberErasures(tx: Tx, shopId: number, hashes: readonly string[]): Promise<void> {
  const rows = [...new Set(hashes)].map((identifier_hash) => ({ shop_id: shopId, identifier_hash }));
  await upsert(tx, erasures, rows);
}
