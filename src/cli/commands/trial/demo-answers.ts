import { type SQL, sql } from 'drizzle-orm';

import type { Db } from '../../../warehouse/db/database.ts';
import { type Block, rowsOf } from '../../output/layout.ts';

/** So that a line fits 80 columns. */
const BAR_CELLS = 30;

const QUESTIONS: readonly (readonly [title: string, query: SQL])[] = [
  [
    'Sales of the last 14 days',
    sql`
      SELECT to_char(order_date, 'Dy DD Mon') AS day,
        repeat('█', (${BAR_CELLS} * revenue / nullif(max(revenue) OVER (), 0))::int) AS sales,
        to_char(revenue, 'FM999,999,990.00') AS revenue, currency, orders
      FROM bi.daily_sales
      WHERE order_date > (SELECT max(order_date) FROM bi.daily_sales) - 14
        AND currency = (SELECT currency FROM bi.daily_sales GROUP BY currency ORDER BY sum(orders) DESC LIMIT 1)
      ORDER BY order_date`,
  ],
  [
    'Top products of the last 30 days',
    sql`
      SELECT max(product_name) AS product, currency, sum(quantity)::int AS pieces,
        to_char(sum(revenue), 'FM999,999,990.00') AS revenue
      FROM bi.product_sales WHERE order_date > (SELECT max(order_date) FROM bi.product_sales) - 30
      GROUP BY shop_id, product_oid, currency ORDER BY sum(revenue) DESC LIMIT 5`,
  ],
  [
    'Completeness',
    sql`
      SELECT shop, count(*) FILTER (WHERE is_verified) AS days_verified, count(*) AS days,
        sum(orders) AS orders_in_shop, sum(warehouse_orders) AS orders_in_warehouse,
        to_char(max(verified_at), 'YYYY-MM-DD HH24:MI:SS "UTC"') AS last_verified
      FROM bi.completeness GROUP BY shop`,
  ],
];

/** Answers of the views to common questions. */
export async function demoAnswers(db: Db): Promise<readonly Block[]> {
  const blocks: Block[] = [];
  for (const [title, query] of QUESTIONS) {
    const { rows } = await db.execute<Record<string, string | number | null>>(query);
    blocks.push('', title, rowsOf(rows));
  }
  return blocks;
}
