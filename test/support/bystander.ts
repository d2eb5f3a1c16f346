/**
 * A second shop in every warehouse that a test works in. Its orders, accounts and groups have the numbers of those that tests
 * use, with other contents, so whatever forgets to say whose rows it means reaches them. It counts as being deleted, so that a worker leaves
 * it alone.
 */
import type { Client } from 'pg';

export const BYSTANDER = 'bystander';

/** What says of each table whether the rows of the bystander are what they were. */
export type BystanderRows = {
  /** By table: number and versions of the rows. They differ after any write, and are read in no time. */
  readonly versions: Readonly<Record<string, string>>;
  /** By table: number and checksum of the rows. They differ where a value does. */
  readonly contents: Readonly<Record<string, string>>;
};

const VERSIONS = `coalesce(sum(hashtextextended(t.ctid::text || ' ' || t.xmin, 0)), 0)`;
const CONTENTS = `coalesce(sum(hashtextextended(t::text, 0)), 0)`;
/** How values are written is a setting of the database, which a test may have changed. */
const AS_TEXT = `SET timezone = 'UTC'; SET datestyle = 'ISO'; SET intervalstyle = 'postgres'; SET extra_float_digits = 1`;

/** Of a new template. */
export async function readBystander(client: Client): Promise<BystanderRows> {
  const { rows } = await client.query<{ name: string }>(`
    SELECT format('%I.%I', nspname, relname) AS name
    FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
    WHERE attname = 'shop_id' AND NOT attisdropped AND relkind IN ('r', 'p') AND nspname IN ('core', 'raw', 'ops') ORDER BY 1`);
  const tables = rows.map(({ name }) => name);
  await client.query(AS_TEXT);
  return { versions: await sumUp(client, tables, VERSIONS), contents: await sumUp(client, tables, CONTENTS) };
}

async function sumUp(client: Client, tables: readonly string[], sum: string) {
  const sums = tables.map(
    (name) => `SELECT '${name}' AS name, count(*) || ' rows, ' || ${sum} AS sum
      FROM ${name} t WHERE shop_id = (SELECT shop_id FROM core.shops WHERE shop_key = '${BYSTANDER}')`,
  );
  const { rows } = await client.query<{ name: string; sum: string }>(sums.join(' UNION ALL '));
  return Object.fromEntries(rows.map(({ name, sum: found }) => [name, found]));
}

/** @throws Error where a row of the bystander was added, changed or removed; one that was written as it is does not count */
export async function assertUntouched(client: Client, { versions, contents }: BystanderRows): Promise<void> {
  const now = await sumUp(client, Object.keys(versions), VERSIONS);
  const written = Object.keys(versions).filter((table) => versions[table] !== now[table]);
  if (written.length === 0) return;
  await client.query(AS_TEXT);
  const left = await sumUp(client, written, CONTENTS);
  const changes = written
    .filter((table) => contents[table] !== left[table])
    .map((table) => `${table}: ${contents[table]} became ${left[table]}`);
  if (changes.length > 0) throw new Error(`the rows of another shop were changed:\n${changes.join('\n')}`);
}
