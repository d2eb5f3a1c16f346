import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import type { GuestSecret } from './stored-shop-state.ts';
import { fence, type Lease, leaseLost } from './lease.ts';
import { guestSecrets } from '../schema/ops.ts';

/**
 * Stores the secret of a shop that has none yet.
 *
 * @throws LeaseLostError when another process took the lease; then nothing is written
 */
export async function addGuestSecret(db: Db, lease: Lease, { secret, digest }: GuestSecret): Promise<void> {
  const { rows } = await db.execute(sql`
    WITH fence AS (${fence(lease)}),
    added AS (
      INSERT INTO ops.guest_secrets (shop_id, secret, digest)
      SELECT shop_id, ${secret}::text, ${digest}::text FROM fence ON CONFLICT DO NOTHING
    )
    SELECT FROM fence`);
  if (rows.length === 0) throw leaseLost(lease);
}

export async function replaceGuestSecret(tx: Tx, shopId: number, kept: GuestSecret): Promise<void> {
  await tx
    .insert(guestSecrets)
    .values({ shop_id: shopId, ...kept })
    .onConflictDoUpdate({
      target: guestSecrets.shop_id,
      set: { secret: sql`excluded.secret`, digest: sql`excluded.digest` },
    });
}
