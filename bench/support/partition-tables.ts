/** The big tables of a warehouse in partitions, as an operator who wants them has to make them. */
import type { Client } from 'pg';

const TABLES = ['core.orders', 'core.order_lines', 'core.order_history', 'raw.orders', 'raw.order_contents'];
const PARTITIONS = 16;

/** By a hash of the shop: smaller tables to vacuum where there are many shops. */
export async function partitionByShop(client: Client): Promise<void> {
  const parts = Array.from({ length: PARTITIONS }, (_, part) => part);
  await partitionTables(
    client,
    'HASH (shop_id)',
    parts.map((part) => `WITH (MODULUS ${PARTITIONS}, REMAINDER ${part})`),
  );
}

/**
 * By time, for one shop of tens of millions: orders are numbered as they are placed, and the number never changes, while their
 * date may, or may be missing.
 *
 * @param bounds first numbers of all partitions but the first, ascending; the last one takes all that follow
 */
export async function partitionByNumber(client: Client, bounds: readonly number[]): Promise<void> {
  const ends = ['MINVALUE', ...bounds, 'MAXVALUE'];
  const parts = ends.slice(1).map((to, part) => `FROM (${ends[part]}) TO (${to})`);
  await partitionTables(client, 'RANGE (order_id)', parts);
}

/** Replaces the empty tables of a migrated warehouse by partitioned ones; migrate again for the views. */
async function partitionTables(client: Client, by: string, parts: readonly string[]): Promise<void> {
  const { rows: views } = await client.query<{ names: string }>(`
    SELECT string_agg(oid::regclass::text, ', ') AS names FROM pg_class
    WHERE relkind = 'v' AND relnamespace::regnamespace::text IN ('bi', 'bi_pii', 'core')`);
  await client.query(`DROP VIEW ${views[0]?.names}`);
  await client.query(`DELETE FROM ops.migrations WHERE starts_with(name, 'views/')`);
  const { rows: keys } = await client.query<{ sql: string }>(
    `SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS sql
     FROM pg_constraint WHERE contype = 'f' AND (conrelid = ANY ($1::regclass[]) OR confrelid = ANY ($1::regclass[]))`,
    [TABLES],
  );
  const { rows: triggers } = await client.query<{ sql: string }>(
    `SELECT pg_get_triggerdef(oid) AS sql FROM pg_trigger WHERE NOT tgisinternal AND tgrelid = ANY ($1::regclass[])`,
    [TABLES],
  );
  for (const table of TABLES) {
    const [schema, name = ''] = table.split('.');
    await client.query(`ALTER TABLE ${table} RENAME TO plain_${name}`);
    await client.query(
      `CREATE TABLE ${table} (LIKE ${schema}.plain_${name} INCLUDING ALL) PARTITION BY ${by}`,
    );
    for (const [part, values] of parts.entries()) {
      await client.query(`CREATE TABLE ${table}_${part} PARTITION OF ${table} FOR VALUES ${values}`);
    }
  }
  for (const table of TABLES) await client.query(`DROP TABLE ${table.replace('.', '.plain_')} CASCADE`);
  for (const { sql } of [...keys, ...triggers]) await client.query(sql);
}
