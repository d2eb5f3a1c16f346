import type { Database } from '../db/database.ts';

/** The views of some schemas, such as `bi.orders`, in the order of their names. */
export async function listViews(
  { query }: Pick<Database, 'query'>,
  schemas: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await query(
    `SELECT schemaname || '.' || viewname AS name FROM pg_views WHERE schemaname = ANY ($1) ORDER BY 1`,
    [schemas],
  );
  return rows.map((row: { readonly name: string }) => row.name);
}
