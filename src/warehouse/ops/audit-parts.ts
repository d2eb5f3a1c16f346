import { eq } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { auditParts } from '../schema/ops.ts';

type AuditPart = Omit<typeof auditParts.$inferSelect, 'shop_id'>;

/** What an audit has read that did not end, in the order of the list. */
export async function readAuditParts(db: Db, shopId: number): Promise<readonly AuditPart[]> {
  return db.select().from(auditParts).where(eq(auditParts.shop_id, shopId)).orderBy(auditParts.orders_read);
}

/** @param part `order_ids` are those since the part before it, `orders_read` counts all */
export async function saveAuditPart(tx: Tx, shopId: number, part: AuditPart): Promise<void> {
  await tx.insert(auditParts).values({ shop_id: shopId, ...part });
}

export async function dropAuditParts(tx: Tx, shopId: number): Promise<void> {
  await tx.delete(auditParts).where(eq(auditParts.shop_id, shopId));
}
