import type { Db } from '../../src/warehouse/db/database.ts';
import { type Lease, takeLease } from '../../src/warehouse/ops/lease.ts';

/** Takes the lease of a shop that nobody holds. @throws Error when somebody does */
export async function heldLease(db: Db, shopId: number, holder = 'one'): Promise<Lease> {
  const answer = await takeLease(db, shopId, holder);
  if (answer.kind === 'held') throw new Error(`the lease is held by ${answer.holder}`);
  return answer.lease;
}
