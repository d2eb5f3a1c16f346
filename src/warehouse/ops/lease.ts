import { type SQL, sql } from 'drizzle-orm';

import { LeaseLostError } from '../../model/errors.ts';
import type { Db, Tx } from '../db/database.ts';

/** The right to write one shop's tables. Each new owner gets a higher epoch, which every transaction checks. */
export type Lease = { readonly shopId: number; readonly epoch: bigint };

export type LeaseAnswer =
  | { readonly kind: 'taken'; readonly lease: Lease }
  | { readonly kind: 'held'; readonly holder: string; readonly expiresAt: Temporal.Instant };

/** A lease that is not renewed for this long may be taken by another process. Not from `now()`: the transaction may have waited for the row. */
const EXPIRY = sql`clock_timestamp() + interval '30 seconds'`;

/** What ends later than it can was written by a clock that ran ahead, and holds nothing. Whoever still has it renews it. */
export const isHeld = (expiresAt: SQL) =>
  sql`(${expiresAt} > now() AND ${expiresAt} <= clock_timestamp() + interval '1 minute')`;

/** Takes the leases of the shops in `from` that nobody holds: a statement that returns them, as `shop_id` and `epoch`. */
export const takingLeases = (from: SQL, holder: string) => sql`
  INSERT INTO ops.leases AS lease (shop_id, epoch, holder, expires_at)
  SELECT shop_id, 1, ${holder}, ${EXPIRY} FROM ${from}
  ON CONFLICT (shop_id) DO UPDATE SET epoch = lease.epoch + 1, holder = excluded.holder, expires_at = ${EXPIRY}
  WHERE NOT ${isHeld(sql`lease.expires_at`)}
  RETURNING shop_id, epoch`;

/**
 * Takes the lease when it is free, expired, or its holder is known to be dead.
 *
 * @param isDead whether a holder is certainly not running any more
 */
export async function takeLease(
  db: Db,
  shopId: number,
  holder: string,
  isDead: (holder: string) => boolean = () => false,
): Promise<LeaseAnswer> {
  for (;;) {
    const { rows } = await db.execute<{ epoch: string }>(
      takingLeases(sql`(SELECT ${shopId}::int AS shop_id) AS asked`, holder),
    );
    const [taken] = rows;
    if (taken) return { kind: 'taken', lease: { shopId, epoch: BigInt(taken.epoch) } };
    const [current] = await releaseDeadLeases(db, [shopId], isDead);
    if (current) return { kind: 'held', ...current };
    // It became free in between.
  }
}

/** Frees the leases that holders who are certainly dead have of these shops, so that nobody waits until they end. @returns the other holders */
export async function releaseDeadLeases(
  db: Db,
  shopIds: readonly number[],
  isDead: (holder: string) => boolean,
): Promise<readonly LeaseHolder[]> {
  const held = [...(await readLeaseHolders(db, shopIds)).values()].filter(({ isExpired }) => !isExpired);
  const { dead = [], alive = [] } = Object.groupBy(held, ({ holder }) => (isDead(holder) ? 'dead' : 'alive'));
  if (dead.length > 0) {
    await db.execute(sql`
      UPDATE ops.leases SET expires_at = now() WHERE shop_id = ANY (${sql.param(shopIds)}::int[])
        AND holder = ANY (${sql.param(dead.map(({ holder }) => holder))}::text[])`);
  }
  return alive;
}

/** @throws LeaseLostError when another process took it */
export async function renewLease(db: Db, lease: Lease): Promise<void> {
  // Locked first: a long write may hold the row, and the lease must last from when it ends.
  const result = await db.execute(sql`
    UPDATE ops.leases SET expires_at = ${EXPIRY}
    WHERE shop_id = (
      SELECT shop_id FROM ops.leases WHERE shop_id = ${lease.shopId} AND epoch = ${lease.epoch} FOR UPDATE)`);
  if (result.rowCount === 0) throw leaseLost(lease);
}

export async function releaseLease(db: Db, lease: Lease): Promise<void> {
  await db.execute(sql`
    UPDATE ops.leases SET expires_at = now() WHERE shop_id = ${lease.shopId} AND epoch = ${lease.epoch}`);
}

/**
 * Runs a write under the lease. The lease row stays locked until the commit, so that nobody can take the lease between
 * the check and the write, and so does the shop's turn to change orders: triggers date what changes by it. The server disconnects a process that hangs meanwhile, after as long as a lease lasts.
 *
 * @throws LeaseLostError when another process took it; then nothing is written
 */
export async function fenced<Result>(db: Db, lease: Lease, write: (tx: Tx) => Promise<Result>) {
  return db.transaction(async (tx) => {
    const { rows } = await tx.execute(sql`
      SELECT set_config('idle_in_transaction_session_timeout', '30s', true), ops.change_time(shop_id)
      FROM ops.leases WHERE shop_id = ${lease.shopId} AND epoch = ${lease.epoch} FOR SHARE`);
    if (rows.length === 0) throw leaseLost(lease);
    return write(tx);
  });
}

/**
 * The same for a single statement: its shop, or NULL where another process took the lease. The row of the lease is locked until the
 * statement ends.
 */
export const leasedShop = ({ shopId, epoch }: Lease) =>
  sql`(SELECT shop_id FROM ops.leases WHERE shop_id = ${shopId} AND epoch = ${epoch} FOR SHARE)`;

/** Who has, or last had, the lease of a shop. */
export type LeaseHolder = {
  readonly holder: string;
  readonly expiresAt: Temporal.Instant;
  readonly isExpired: boolean;
};

/** The holders of these shops' leases, by shop. Takes no lock. */
export async function readLeaseHolders(
  db: Db | Tx,
  shopIds: readonly number[],
): Promise<ReadonlyMap<number, LeaseHolder>> {
  if (shopIds.length === 0) return new Map();
  const { rows } = await db.execute<LeaseHolder & { shopId: number }>(sql`
    SELECT shop_id AS "shopId", holder, greatest(expires_at, 'epoch') AS "expiresAt",
      NOT ${isHeld(sql`expires_at`)} AS "isExpired"
    FROM ops.leases WHERE shop_id = ANY (${sql.param(shopIds)}::int[])`);
  return new Map(rows.map(({ shopId, ...holder }) => [shopId, holder]));
}

/** Takes the lease away from whoever holds it, so that it writes nothing more: for a change that ends all work on a shop. */
export async function revokeLease(tx: Tx, shopId: number): Promise<void> {
  await tx.execute(sql`
    UPDATE ops.leases SET epoch = epoch + 1, expires_at = clock_timestamp() WHERE shop_id = ${shopId}`);
}

export function leaseLost(lease: Lease): LeaseLostError {
  return new LeaseLostError(
    `another process took over shop ${lease.shopId}; this one stopped writing, and the other continues`,
  );
}
