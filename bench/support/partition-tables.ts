/**
 * The big tables of a warehouse in partitions, as an operator who wanted them would have to make them. Not core.orders: the
 * upsert tells new rows by a system column, which PostgreSQL does not return from partitioned tables.
 */
import type { Client } from 'pg';

const TABLES = ['core.order_lines', 'core.order_history', 'raw.orders', 'raw.order_contents'];
const PARTITIONS = 16;

/** Replaces the empty tables of a migrated warehouse by partitioned ones; migrate again for the views. */
export async function partitionByShop(client: Client): Promise<void> {
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
      `CREATE TABLE ${table} (LIKE ${schema}.plain_${name} INCLUDING ALL) PARTITION BY HASH (shop_id)`,
    );
    for (let part = 0; part < PARTITIONS; part += 1) {
      await client.query(
        `CREATE TABLE ${table}_${part} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${part})`,
      );
    }
  }
  for (const table of TABLES) await client.query(`DROP TABLE ${table.replace('.', '.plain_')} CASCADE`);
  for (const { sql } of [...keys, ...triggers]) await client.query(sql);
}
