/** A warehouse on the Citus of CITUS_URL, and the same rows on one PostgreSQL. */
import { readFile } from 'node:fs/promises';

import type { Client } from 'pg';

import { openDatabase } from '../../src/warehouse/db/database.ts';
import { runMigrations } from '../../src/warehouse/db/run-migrations.ts';
import { withClient } from '../support/database-clients.ts';

const SCRIPT = new URL('../../deploy/citus.sql', import.meta.url);
const DATABASE = /_test$/;

/** The URL of a coordinator's database, which is emptied: its name must end in `_test`. */
export const CITUS_URL = process.env['CITUS_URL'];

/** Makes an empty distributed warehouse in the database. @throws Error when it may be somebody's */
export async function distributeWarehouse(url: string): Promise<void> {
  if (!DATABASE.test(new URL(url).pathname)) {
    throw new Error('CITUS_URL must name a database whose name ends in _test: the tests empty it');
  }
  await withClient(url, async (client) => {
    await client.query('DROP SCHEMA IF EXISTS bi, bi_pii, core, raw, ops, pgboss CASCADE');
  });
  await migrate(url);
  await distribute(url);
  await migrate(url);
}

export async function migrate(url: string): Promise<readonly string[]> {
  await using database = await openDatabase(url, 1);
  const { views } = await runMigrations(database);
  return views;
}

export async function distribute(url: string): Promise<void> {
  const script = await readFile(SCRIPT, 'utf8');
  await withClient(url, (client) => client.query(script));
}

/** Copies every row of the warehouse into an empty one. */
export async function copyRows(from: Client, to: Client): Promise<void> {
  const { rows: tables } = await to.query<{ name: string; columns: string }>(`
    SELECT c.oid::regclass::text AS name,
      (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
       WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns
    FROM pg_class c
    WHERE relkind = 'r' AND relnamespace::regnamespace::text IN ('core', 'raw', 'ops') AND relname <> 'migrations'`);
  // Neither order nor marks matter: see below.
  await to.query('SET session_replication_role = replica');
  for (const { name, columns } of tables) {
    const { rows } = await from.query<{ rows: string | null }>(
      `SELECT json_agg(t)::text AS rows FROM ${name} t`,
    );
    await to.query(`DELETE FROM ${name}`);
    await to.query(
      `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE
       SELECT ${columns} FROM json_populate_recordset(NULL::${name}, $1::json)`,
      [rows[0]?.rows ?? '[]'],
    );
  }
  await to.query('RESET session_replication_role');
  await to.query('SELECT ops.mark_everything()');
}

/** The rows of every view of `bi`, as text, by view. */
export async function readViews(client: Client): Promise<Readonly<Record<string, readonly string[]>>> {
  await client.query(`SET timezone = 'UTC'`);
  const { rows: views } = await client.query<{ name: string }>(
    `SELECT schemaname || '.' || viewname AS name FROM pg_views WHERE schemaname IN ('bi', 'bi_pii') ORDER BY 1`,
  );
  const read: Record<string, readonly string[]> = {};
  for (const { name } of views) {
    const { rows } = await client.query<{ row: string }>(`SELECT v::text AS row FROM ${name} v`);
    read[name] = rows.map(({ row }) => row).toSorted();
  }
  return read;
}
