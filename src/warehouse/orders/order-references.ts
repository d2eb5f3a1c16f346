import { sql } from 'drizzle-orm';

import { ERASED_BELOW } from '../../special-accounts.ts';
import type { Tx } from '../db/database.ts';
import { recordset, typesOf } from '../db/upsert.ts';
import { type OrderRecord, orders } from '../schema/orders.ts';

type References = Pick<OrderRecord, 'status_code' | 'pay_status_code' | 'buyer_oid'>;
type Marked = Pick<OrderRecord, 'order_id' | 'created_on' | 'customer_key'>;

const REFERENCES = typesOf(orders, ['status_code', 'pay_status_code', 'buyer_oid']);

/**
 * Adds what orders refer to and the warehouse does not hold yet: codes that the shop made up, which count as no sale until
 * an analyst classifies them, and buyers, of whom only the number is known before the user is fetched.
 */
export async function addReferences(tx: Tx, shopId: number, rows: readonly References[]): Promise<void> {
  await tx.execute(sql`
    WITH given AS MATERIALIZED (SELECT * FROM ${recordset(REFERENCES, rows)}),
    codes AS (
      INSERT INTO core.order_statuses (shop_id, status_code, name, stage, is_sale, is_final, is_documented)
      SELECT ${shopId}, status_code, status_code, 'unknown', false, false, false FROM given
      GROUP BY status_code ORDER BY status_code
      ON CONFLICT DO NOTHING
    ), payment_codes AS (
      INSERT INTO core.payment_statuses (shop_id, pay_status_code, name, is_documented)
      SELECT ${shopId}, pay_status_code, pay_status_code, false FROM given
      GROUP BY pay_status_code ORDER BY pay_status_code
      ON CONFLICT DO NOTHING
    )
    INSERT INTO core.users (shop_id, user_oid, fetch_state)
    SELECT ${shopId}, buyer_oid, CASE WHEN buyer_oid < ${ERASED_BELOW.toString()}::bigint THEN 'erased' ELSE 'pending' END
    FROM given WHERE buyer_oid IS NOT NULL
    GROUP BY buyer_oid ORDER BY buyer_oid
    ON CONFLICT DO NOTHING`);
}

/**
 * Marks the sums that new orders count towards, for the whole transaction, so that no trigger need look at every row that it
 * writes. An order that is held after all is locked and marked as it was, too, or somebody else could move it to a day that
 * nobody marks.
 *
 * For transactions that write nothing but these orders with their lines and history.
 */
export async function markLoaded(tx: Tx, shopId: number, rows: readonly Marked[]): Promise<void> {
  const given = rows.map(({ order_id, created_on, customer_key }) => ({
    order_id,
    created_on,
    customer_key,
  }));
  await tx.execute(sql`SELECT ops.mark_loaded(${shopId}::int, ${JSON.stringify(given)}::json)`);
}
