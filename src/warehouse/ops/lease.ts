import { sql } from 'drizzle-orm';

import { LeaseLostError } from '../../errors.ts';
import type { Db, Tx } from '../db/database.ts';

/** The right to write one shop's tables. Each new owner gets a higher epoch, which every transaction checks. */
export type Lease = { readonly shopId: number; readonly epoch: bigint };

export type LeaseAnswer =
  | { readonly kind: 'taken'; readonly lease: Lease }
  | { readonly kind: 'held'; readonly holder: string; readonly expiresAt: Temporal.Instant };

/**
 * Takes the lease when it is free, expired, or its holder is known to be dead.
 *
 * @param isDead whether a holder is certainly not running any more
 */
export async function takeLease(
  db: Db,
  shopId: number,
  holder: string,
  ttlMs: number,
  isDead: (holder: string) => boolean = () => false,
): Promise<LeaseAnswer> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`
      INSERT INTO ops.leases (shop_id, epoch, holder, expires_at) VALUES (${shopId}, 0, '', '-infinity')
      ON CONFLICT (shop_id) DO NOTHING`);
    const { rows } = await tx.execute<{ holder: string; expires: string; is_free: boolean }>(sql`
      SELECT holder, to_json(greatest(expires_at, 'epoch')) #>> '{}' AS expires, expires_at <= now() AS is_free
      FROM ops.leases WHERE shop_id = ${shopId} FOR UPDATE`);
    const [current] = rows;
    if (current !== undefined && !current.is_free && !isDead(current.holder)) {
      return { kind: 'held', holder: current.holder, expiresAt: Temporal.Instant.from(current.expires) };
    }
    const taken = await tx.execute<{ epoch: string }>(sql`
      UPDATE ops.leases SET epoch = epoch + 1, holder = ${holder}, expires_at = ${expiry(ttlMs)}
      WHERE shop_id = ${shopId} RETURNING epoch`);
    return { kind: 'taken', lease: { shopId, epoch: BigInt(taken.rows[0]?.epoch ?? 0) } };
  });
}

/** @throws LeaseLostError when another process took it */
export async function renewLease(db: Db, lease: Lease, ttlMs: number): Promise<void> {
  // Locked first: a long write may hold the row, and the lease must last from when it ends.
  const result = await db.execute(sql`
    UPDATE ops.leases SET expires_at = ${expiry(ttlMs)}
    WHERE shop_id = (
      SELECT shop_id FROM ops.leases WHERE shop_id = ${lease.shopId} AND epoch = ${lease.epoch} FOR UPDATE)`);
  if (result.rowCount === 0) throw lost(lease);
}

/** Releases the lease, so that the next process need not wait for it to expire. */
export async function releaseLease(db: Db, lease: Lease): Promise<void> {
  await db.execute(sql`
    UPDATE ops.leases SET expires_at = now() WHERE shop_id = ${lease.shopId} AND epoch = ${lease.epoch}`);
}

/**
 * Runs a write under the lease. The lease row stays locked until the commit, so that nobody can take the lease between
 * the check and the write. The server disconnects a process that hangs meanwhile, after as long as a lease lasts.
 *
 * @throws LeaseLostError when another process took it; then nothing is written
 */
export async function fenced<Result>(
  db: Db,
  lease: Lease,
  write: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.execute(sql`
      SELECT set_config('idle_in_transaction_session_timeout', '30s', true)
      FROM ops.leases WHERE shop_id = ${lease.shopId} AND epoch = ${lease.epoch} FOR SHARE`);
    if (rows.length === 0) throw lost(lease);
    return write(tx);
  });
}

/** Not `now()`: the transaction may have waited for the row. */
const expiry = (ttlMs: number) => sql`clock_timestamp() + make_interval(secs => ${ttlMs / 1000})`;

function lost(lease: Lease): LeaseLostError {
  return new LeaseLostError(
    `another process took over shop ${lease.shopId}; this one stopped writing, and the other continues`,
  );
}
