import type { Client } from 'pg';

import { DatabaseMismatchError, TerminalError } from '../../errors.ts';
import { VERSION } from '../../version.ts';
import type { Database } from './database.ts';
import { databaseSentence, during } from './database-error.ts';
import { findFault } from './database-sentences.ts';
import { TRANSACTION_SETTINGS } from './session.ts';
import { type AppliedMigrations, dueMigrations, listFiles, readApplied } from './applied-migrations.ts';
import {
  type MigrationFile,
  type MigrationFiles,
  readMigrationFiles,
  type ViewFile,
} from './migration-files.ts';
import { nextStep } from '../../next-step.ts';

/** Names of what was applied, in order. */
export type MigrationResult = Readonly<Record<keyof MigrationFiles, readonly string[]>>;

export const NOTHING_APPLIED: MigrationResult = { migrations: [], functions: [], views: [] };

export type MigrationOptions = {
  readonly onNotice?: (sentence: string) => void;
  readonly onNew?: (() => void) | undefined;
  readonly files?: MigrationFiles;
};

/** Any constant will do; all copies of the program must agree on it. */
const LOCK_KEY = 7_305_114_209;
/** A Citus refuses to change tables that refer to one another in parallel. Without one, nothing reads its setting. */
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${TRANSACTION_SETTINGS}
  SET LOCAL citus.multi_shard_modify_mode = 'sequential'`;
/** All that the migrations create is in these. */
const SCHEMAS = ['bi', 'bi_pii', 'core', 'ops', 'raw'];

/** Where PostgreSQL says that a notice comes from, if a migration raised it. */
const RAISED = 'exec_stmt_raise';
/** `CREATE OR REPLACE VIEW` can append columns, and change nothing about the ones that are there. */
const INVALID_TABLE_DEFINITION = '42P16';

/**
 * Applies the migrations that the database lacks, and the functions and views that changed: all in one transaction, each
 * once, however many processes try.
 *
 * @param onNotice told what a migration could not do for lack of a privilege, and who can
 * @param onNew told when the database turns out to be empty, so that what needs none of its tables can begin meanwhile
 * @throws DatabaseMismatchError when the database is too new for this program or belongs to another;
 *   TerminalError when a file cannot be applied, or not by this user
 */
export async function runMigrations(
  database: Pick<Database, 'connect'>,
  {
    onNotice = () => undefined,
    onNew = () => undefined,
    files = readMigrationFiles(),
  }: MigrationOptions = {},
): Promise<MigrationResult> {
  const client = await database.connect();
  // Ours are raised with a hint. PostgreSQL has others, such as of a name that it cuts, and so has a Citus.
  client.on('notice', ({ message, hint, routine }) => {
    if (hint !== undefined && routine === RAISED) onNotice(`${message} ${hint}.`);
  });
  try {
    // Anybody who may connect can hold such a lock: it is waited for only where there is something to do.
    const due = dueMigrations(await readApplied((text) => client.query(text)), files, VERSION);
    const [next, ...others] = listFiles(due);
    if (next === undefined) return NOTHING_APPLIED;
    await assertMayMigrate(client, `${next.name}${others.length === 0 ? '' : ` and ${others.length} more`}`);
    // A pooler has no sessions: settings and lock last no longer than the transaction.
    await client.query(BEGIN);
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
    const applied = await readAppliedOrEmpty(client);
    if (applied === undefined) onNew();
    const result = await applyDue(client, dueMigrations(applied, files, VERSION), files);
    await client.query('COMMIT');
    return result;
  } finally {
    // Ends a transaction that is still open, too.
    await client.end();
  }
}

/** @throws TerminalError when the user may not apply migrations: it says who may */
async function assertMayMigrate(client: Client, due: string): Promise<void> {
  const { rows } = await client.query<{ user: string; owner: string | null; may: boolean; db: string }>(
    `SELECT current_user AS user, o.owner::regrole::text AS owner, current_database() AS db,
       coalesce(pg_has_role(o.owner, 'USAGE'), has_database_privilege(current_database(), 'CREATE')) AS may
     FROM (SELECT (SELECT nspowner FROM pg_namespace WHERE nspname = 'ops') AS owner) o`,
  );
  const { user = '', owner = null, may = true, db = '' } = rows[0] ?? {};
  if (may) return;
  const how =
    owner === null
      ? `run ${nextStep('apply migrations')} as the owner of the database, or have ${user} granted CREATE ON DATABASE ${db}`
      : `run ${nextStep('apply migrations')} as ${owner}, who owns the tables`;
  throw new TerminalError(`The database lacks ${due}, which the user ${user} may not apply: ${how}`);
}

/**
 * Lets the workers' role use what the owner has created since: the tables of the queue, or everything, where the role was
 * created after the migrations. Does nothing for a user who does not own the tables.
 */
export async function grantToWorker(database: Pick<Database, 'connect'>): Promise<void> {
  const client = await database.connect();
  try {
    await client.query(BEGIN);
    // Two grants on one table at once fail.
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
    await during('granting to order_sync_worker', () =>
      client.query(
        `SELECT ops.grant_to_worker() FROM pg_namespace WHERE nspname = 'ops' AND pg_has_role(nspowner, 'USAGE')`,
      ),
    );
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

/** @returns undefined where nothing of ours is there yet. @throws DatabaseMismatchError when something else is */
async function readAppliedOrEmpty(client: Client): Promise<AppliedMigrations | undefined> {
  const applied = await readApplied((text) => client.query(text));
  if (applied !== undefined) return applied;
  const { rows } = await client.query<{ name: string }>(
    'SELECT nspname::text AS name FROM pg_namespace WHERE nspname = ANY ($1) ORDER BY 1',
    [SCHEMAS],
  );
  if (rows.length === 0) return undefined;
  throw new DatabaseMismatchError(
    `The database already has schemas that this order-sync did not create: ${rows.map(({ name }) => name).join(', ')}. ` +
      `Give order-sync a database of its own on the same server, such as by CREATE DATABASE order_sync; docs/deployment.md, "Beside other ` +
      'data", says how to read it from here',
  );
}

async function applyDue(
  client: Client,
  due: MigrationFiles,
  files: MigrationFiles,
): Promise<MigrationResult> {
  for (const file of [...due.migrations, ...due.functions]) await apply(client, file);
  // A migration drops a view that cannot be replaced, and those that read it: their files create them anew.
  const lacking = due.migrations.length > 0 ? await lackingViews(client, files.views) : [];
  const views = files.views.filter((view) => due.views.includes(view) || lacking.includes(view));
  for (const view of views) await apply(client, view);
  if (due.migrations.length > 0) await forgetRemoved(client, files);
  const namesOf = (applied: readonly MigrationFile[]) => applied.map(({ name }) => name);
  return { migrations: namesOf(due.migrations), functions: namesOf(due.functions), views: namesOf(views) };
}

async function lackingViews(client: Client, views: readonly ViewFile[]): Promise<readonly ViewFile[]> {
  const { rows } = await client.query<{ view: string }>(
    'SELECT view FROM unnest($1::text[]) AS view WHERE to_regclass(view) IS NULL',
    [views.map(({ view }) => view)],
  );
  return views.filter(({ view }) => rows.some((row) => row.view === view));
}

/** A migration removed what the functions and views were that have no file any more. */
async function forgetRemoved(client: Client, files: MigrationFiles): Promise<void> {
  const names = listFiles(files).map(({ name }) => name);
  await client.query('DELETE FROM ops.migrations WHERE name <> ALL ($1)', [names]);
}

async function apply(client: Client, file: MigrationFile): Promise<void> {
  try {
    // One by one where the file says so: a Citus hands on the text of a constraint to its nodes as it came.
    for (const statements of file.sql.split('--> statement-breakpoint')) await client.query(statements);
  } catch (error) {
    throw new TerminalError(`${file.name} could not be applied: ${reasonOf(error)}`, { cause: error });
  }
  await client.query(
    `INSERT INTO ops.migrations (name, hash, version) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET hash = excluded.hash, version = excluded.version, applied_at = now()`,
    [file.name, file.hash, VERSION],
  );
}

function reasonOf(error: unknown): string {
  const refused = findFault(error, ({ code }) => code === INVALID_TABLE_DEFINITION);
  if (refused === undefined) return databaseSentence(error);
  // The message names columns and types, no data.
  return (
    `a view can gain columns at its end only (${refused.message}). ` +
    'Write a numbered migration that drops the view and those that read it'
  );
}
