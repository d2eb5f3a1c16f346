import type { Client } from 'pg';

/** Tables and views with a `shop_id`, as `core.orders`, and functions that return one. */
export async function listShopTables(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(`
    SELECT nspname || '.' || relname AS name
    FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
    WHERE attname = 'shop_id' AND NOT attisdropped AND relkind IN ('r', 'p', 'v')
      AND nspname IN ('core', 'raw', 'ops', 'bi', 'bi_pii')
    UNION SELECT nspname || '.' || proname FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace
    WHERE 'shop_id' = ANY (proargnames) AND nspname IN ('core', 'raw', 'ops', 'bi', 'bi_pii') ORDER BY 1`);
  return rows.map(({ name }) => name);
}
