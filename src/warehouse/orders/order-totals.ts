import { sql } from 'drizzle-orm';

/** Rows `shop_id`, `orders`, whose sum is the number of orders that are not deleted: most days are counted already. Exact at any time. */
export const ORDER_TOTALS = sql`(
  SELECT p.shop_id, p.orders FROM core.status_paths p
  WHERE NOT EXISTS (SELECT FROM ops.stale_days s WHERE s.shop_id = p.shop_id AND s.day = p.day)
  UNION ALL SELECT shop_id, 1 FROM core.stale_orders) AS totals`;
