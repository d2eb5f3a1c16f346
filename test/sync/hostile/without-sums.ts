import { withClient } from '../../support/database-clients.ts';

/**
 * Takes the upkeep of the views' sums out of a database: it has tests of its own, costs as much as a small sweep, and
 * lets one sweep at a time pass.
 */
export async function withoutSums(url: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(
      `CREATE OR REPLACE FUNCTION ops.refresh_summaries() RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint'`,
    );
    const { rows } = await client.query<{ command: string }>(
      `SELECT format('ALTER TABLE %s DISABLE TRIGGER %I', tgrelid::regclass, tgname) AS command FROM pg_trigger
       WHERE NOT tgisinternal AND tgname LIKE 'marks_%'`,
    );
    for (const { command } of rows) await client.query(command);
  });
}
