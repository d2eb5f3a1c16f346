import type { Client } from 'pg';

/** Every row of every table as text, of whatever schema, as in a full dump, but for those of the bystander. */
export async function dumpTables(client: Client): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  const { rows: shops } = await client.query<{ id: number }>('SELECT shop_id AS id FROM tested.shops');
  const each = tables.map(
    ({ name }) => `SELECT '${name}' AS name, string_agg(t::text, E'\\n') AS text FROM ${name} t
       WHERE coalesce((to_jsonb(t) ->> 'shop_id')::int, $1::int) = ANY ($2)`,
  );
  const { rows } = await client.query<{ name: string; text: string | null }>(each.join(' UNION ALL '), [
    shops[0]?.id,
    shops.map(({ id }) => id),
  ]);
  return rows.map(({ name, text }) => `${name}\n${text ?? ''}`).join('\n');
}

export type ViewRows = Readonly<Record<string, readonly string[]>>;

/**
 * The rows of every view of `bi`, sorted, but for columns that tell when and how a sync worked.
 *
 * @param left columns to leave out
 */
export async function readMarts(client: Client, left: readonly string[] = []): Promise<ViewRows> {
  const { rows: views } = await client.query<{ name: string }>(
    `SELECT viewname AS name FROM pg_views WHERE schemaname = 'bi' AND viewname NOT IN ('calendar', 'completeness', 'sync_freshness') ORDER BY 1`,
  );
  const marts: Record<string, readonly string[]> = {};
  for (const { name } of views) {
    const { rows } = await client.query<{ text: string }>(
      `SELECT (to_jsonb(v) - $1::text[])::text AS text FROM tested.bi_${name} v ORDER BY 1`,
      [left],
    );
    marts[name] = rows.map(({ text }) => text);
  }
  return marts;
}
