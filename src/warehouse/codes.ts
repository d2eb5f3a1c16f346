import { sql } from 'drizzle-orm';

import type { Db, Tx } from './database.ts';

/** Status and payment codes that a shop's tables hold. */
export type KnownCodes = {
  readonly statuses: ReadonlySet<string>;
  readonly payStatuses: ReadonlySet<string>;
};

export async function readKnownCodes(db: Db, shopId: number): Promise<KnownCodes> {
  await resolveDescribedCodes(db, shopId);
  const { rows } = await db.execute<{ kind: string; code: string }>(sql`
    SELECT 'status' AS kind, status_code AS code FROM core.order_statuses WHERE shop_id = ${shopId}
    UNION ALL
    SELECT 'payment', pay_status_code FROM core.payment_statuses WHERE shop_id = ${shopId}`);
  const codes = (kind: string) => new Set(rows.filter((row) => row.kind === kind).map((row) => row.code));
  return { statuses: codes('status'), payStatuses: codes('payment') };
}

/** A code that was remarked upon as unknown, and that an analyst has described since, needs no more attention. */
async function resolveDescribedCodes(db: Db, shopId: number): Promise<void> {
  await db.execute(sql`
    UPDATE ops.rejections r SET resolved_at = now()
    WHERE r.shop_id = ${shopId} AND r.resolved_at IS NULL AND r.resource = 'order' AND (
      r.field = 'status' AND EXISTS (SELECT 1 FROM core.order_statuses s
        WHERE s.shop_id = r.shop_id AND s.status_code = r.value AND s.stage <> 'unknown')
      OR r.field = 'pay_status' AND EXISTS (SELECT 1 FROM core.payment_statuses p
        WHERE p.shop_id = r.shop_id AND p.pay_status_code = r.value AND p.name <> p.pay_status_code))`);
}

/** Adds codes that the shop made up: they count as no sale until an analyst says otherwise. */
export async function addUnknownCodes(
  tx: Tx,
  shopId: number,
  rows: readonly { readonly status_code: string; readonly pay_status_code: string }[],
): Promise<void> {
  const given = (codes: readonly string[]) =>
    sql`json_array_elements_text(${JSON.stringify([...new Set(codes)].toSorted())}::json) AS code`;
  await tx.execute(sql`
    INSERT INTO core.order_statuses (shop_id, status_code, name, stage, is_sale, is_final, is_documented)
    SELECT ${shopId}, code, code, 'unknown', false, false, false FROM ${given(rows.map((row) => row.status_code))}
    ON CONFLICT DO NOTHING`);
  await tx.execute(sql`
    INSERT INTO core.payment_statuses (shop_id, pay_status_code, name, is_documented)
    SELECT ${shopId}, code, code, false FROM ${given(rows.map((row) => row.pay_status_code))}
    ON CONFLICT DO NOTHING`);
}
