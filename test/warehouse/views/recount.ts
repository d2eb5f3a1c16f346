/** What the views that read sums show, against a count of all orders. */
import type { TestWarehouse } from '../test-warehouse.ts';

const VIEWS_WITH_SUMS = [
  'daily_sales',
  'customers',
  'customer_currencies',
  'customer_rfm',
  'cohorts_monthly',
  'cohort_revenue',
  'products',
  'basket',
  'status_funnel',
  'completeness',
  'sync_freshness',
];

/** The first rows of a shop, or of all, that only one of both has. */
export async function differences(
  { database }: Pick<TestWarehouse, 'database'>,
  shopId?: number,
): Promise<readonly Record<string, unknown>[]> {
  const rows = VIEWS_WITH_SUMS.map(
    (view) =>
      `SELECT '${view}' AS view, v::text AS row FROM bi.${view} v WHERE ${shopId ?? 'shop_id'} = shop_id`,
  ).join(' UNION ALL ');
  const client = await database.connect();
  try {
    // Where all sums are stale, the views count all orders.
    await client.query(`BEGIN; CREATE TEMP TABLE shown AS ${rows}; SELECT ops.mark_everything()`);
    const found = await client.query(`
      WITH counted AS MATERIALIZED (${rows})
      (SELECT 'too much' AS kind, x.* FROM (TABLE shown EXCEPT ALL TABLE counted) x LIMIT 5)
      UNION ALL (SELECT 'lacking', x.* FROM (TABLE counted EXCEPT ALL TABLE shown) x LIMIT 5)`);
    return found.rows;
  } finally {
    await client.end();
  }
}
