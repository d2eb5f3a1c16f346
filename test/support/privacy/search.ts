import type { Client } from 'pg';

/** Every row of every table as text, of whatever schema but the system's own and that of the tests. Views hold nothing else. */
export async function readEverything(client: Client): Promise<string> {
  const { rows: relations } = await client.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c
     WHERE c.relkind = ANY ('{r,m}') AND c.relnamespace::regnamespace::text !~ '^(pg_|(information_schema|tested)$)' ORDER BY 1`,
  );
  const each = relations.map(
    ({ name }) =>
      `SELECT '${name}' AS name, string_agg(t::text, E'\\n' ORDER BY t::text) AS text FROM ${name} t`,
  );
  const { rows } = await client.query<{ name: string; text: string | null }>(each.join(' UNION ALL '));
  return rows.map(({ name, text }) => `${name}\n${text ?? ''}`).join('\n');
}
