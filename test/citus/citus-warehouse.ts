/** A warehouse on the Citus of CITUS_URL, and the same rows on one PostgreSQL. */
import { execFile } from 'node:child_process';
import { appendFile, cp, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import type { Client } from 'pg';

import { askAs } from '../docs/as-reader.ts';
import { type Outcome, mainScript, runCommand, useProgram } from '../support/command-line.ts';
import { withClient } from '../support/database-clients.ts';
import { complete } from '../support/settings.ts';

const ROOT = join(import.meta.dirname, '../..');
const DATABASE = /_test$/;

/** The URL of a coordinator's database, which is emptied: its name must end in `_test`. */
export const CITUS_URL = process.env['CITUS_URL'];

/** Makes an empty distributed warehouse in the database. @throws Error when it may be somebody's */
export async function distributeWarehouse(url: string): Promise<void> {
  if (!DATABASE.test(new URL(url).pathname)) {
    throw new Error('CITUS_URL must name a database whose name ends in _test: the tests empty it');
  }
  await withClient(url, async (client) => {
    await client.query('DROP SCHEMA IF EXISTS bi, bi_pii, core, raw, ops CASCADE');
  });
  await succeed(migrate(url));
}

/** `order-sync migrate`, as a person runs it. */
export async function migrate(url: string): Promise<Outcome> {
  return runCommand(['migrate', '--json'], { ...complete, DATABASE_URL: url });
}

export async function succeed(running: Promise<Outcome>): Promise<Outcome> {
  const outcome = await running;
  if (outcome.code === 0 && outcome.stderr === '') return outcome;
  throw new Error(`exit code ${outcome.code}: ${outcome.stderr}`);
}

/** One of the scripts in `deploy/`, by `psql`. @throws Error when it fails, or says anything */
export async function runScript(url: string, name: string, env: Readonly<Record<string, string>> = {}) {
  const args = ['-q', '-At', '-v', 'ON_ERROR_STOP=1', '-v', 'timezone=UTC', '-f', join(ROOT, 'deploy', name)];
  const { stderr } = await promisify(execFile)('psql', [...args, url], { env: { ...process.env, ...env } });
  if (stderr !== '') throw new Error(`${name}: ${stderr}`);
}

/** Makes the commands those of a next version: with a table, a column and a view that this one does not have. */
export async function updateProgram(folder: string): Promise<void> {
  const built = dirname(mainScript());
  await cp(built, join(folder, 'dist'), { recursive: true });
  for (const name of ['drizzle', 'package.json'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(
    join(folder, 'drizzle/0999_next.sql'),
    // As Drizzle writes it.
    [
      'ALTER TABLE core.orders ADD COLUMN next_column integer;',
      'ALTER TABLE core.orders ADD CONSTRAINT orders_next_check CHECK (next_column > 0);',
      'CREATE INDEX orders_next_idx ON core.orders (shop_id, next_column);',
      'CREATE TABLE core.next_table (shop_id integer NOT NULL, order_id bigint NOT NULL, PRIMARY KEY (shop_id, order_id));',
      'ALTER TABLE core.next_table ADD CONSTRAINT next_fk FOREIGN KEY (shop_id) REFERENCES core.shops(shop_id);',
    ].join('--> statement-breakpoint\n'),
  );
  const view = join(folder, 'drizzle/views/48_unclassified_statuses.sql');
  await appendFile(view, '\n-- Changed.\n');
  useProgram(join(folder, 'dist'));
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

/** The rows of every view of `bi` and `bi_pii`, as text, by view, as the roles that read them. */
export async function readViews(client: Client): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows: views } = await client.query<{ name: string }>(
    `SELECT schemaname || '.' || viewname AS name FROM pg_views WHERE schemaname IN ('bi', 'bi_pii') ORDER BY 1`,
  );
  const read: Record<string, readonly string[]> = {};
  for (const { name } of views) {
    // A whole row cannot be cast: the nodes do not have the type of a view that reads the coordinator's tables.
    const role = name.startsWith('bi_pii') ? 'bi_pii_reader' : 'bi_reader';
    const { rows } = await askAs(client, role, `SELECT * FROM ${name}`, 'UTC');
    read[name] = rows.map((row) => JSON.stringify(row)).toSorted();
  }
  return read;
}
