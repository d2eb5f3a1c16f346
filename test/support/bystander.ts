/**
 * A second shop in every warehouse that a test works in. Its orders, accounts and groups have the numbers of those that tests
 * use, with other contents, so whatever forgets to say whose rows it means reaches them. It is retired, so that a worker leaves
 * it alone.
 */
import type { Client } from 'pg';

export const BYSTANDER = 'bystander';

export type BystanderRows = Readonly<Record<string, string>>;

/** Number and checksum of the bystander's rows, by table. */
export async function readBystander(client: Client): Promise<BystanderRows> {
  const { rows: tables } = await client.query<{ name: string }>(`
    SELECT format('%I.%I', nspname, relname) AS name
    FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
    WHERE attname = 'shop_id' AND NOT attisdropped AND relkind IN ('r', 'p') AND nspname IN ('core', 'raw', 'ops') ORDER BY 1`);
  // How values are written is a setting of the database, which a test may have changed.
  await client.query(
    `SET timezone = 'UTC'; SET datestyle = 'ISO'; SET intervalstyle = 'postgres'; SET extra_float_digits = 1`,
  );
  const sums = tables.map(
    ({
      name,
    }) => `SELECT '${name}' AS name, count(*) || ' rows, ' || coalesce(md5(string_agg(t::text, E'\\n' ORDER BY t::text)), '') AS sum
      FROM ${name} t WHERE shop_id = (SELECT shop_id FROM core.shops WHERE shop_key = '${BYSTANDER}')`,
  );
  const { rows } = await client.query<{ name: string; sum: string }>(sums.join(' UNION ALL '));
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
}
