import type { Client } from 'pg';

import { DatabaseMismatchError, TerminalError } from '../../model/errors.ts';
import { VERSION } from '../../model/program.ts';
import type { Database } from './database.ts';
import { databaseSentence, codeOf } from './database-error.ts';
import { TRANSACTION_SETTINGS } from './session.ts';
import { type AppliedMigrations, dueMigrations, readApplied } from './applied-migrations.ts';
import { isRepeatable, type MigrationFile, readMigrationFiles, VIEWS } from './migration-files.ts';
import { nextStep } from '../../model/next-step.ts';

export type MigrationOptions = {
  /** Whether a database that lacks no migration is looked at too: somebody may have dropped a view, a role or a grant. */
  readonly mends?: boolean;
  /** Told which statements on roles and grants this user may not run, if any. */
  readonly onRefused?: (statements: readonly string[]) => void;
  readonly files?: readonly MigrationFile[];
};

/** Any constant will do; all copies of the program must agree on it. */
const LOCK_KEY = 7_305_114_209;
/** A Citus refuses to change tables that refer to one another in parallel. Without one, nothing reads its setting. */
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${TRANSACTION_SETTINGS}
  SET LOCAL citus.multi_shard_modify_mode = 'sequential'`;
/** All that the migrations create is in these. */
const SCHEMAS = ['bi', 'bi_pii', 'core', 'ops', 'raw'];

/** `CREATE OR REPLACE VIEW` can append columns, and change nothing about the ones that are there. */
const INVALID_TABLE_DEFINITION = '42P16';

/**
 * Applies the migrations that the database lacks, and the functions and views that changed or are not there, and grants the roles what
 * they need: all in one transaction, each once, however many processes try.
 *
 * @returns the names of what was applied, in order
 * @throws DatabaseMismatchError when the database is too new for this program or belongs to another;
 *   TerminalError when a file cannot be applied, or not by this user
 */
export async function runMigrations(
  database: Pick<Database, 'connect'>,
  { mends = false, onRefused = () => undefined, files = readMigrationFiles() }: MigrationOptions = {},
): Promise<readonly string[]> {
  const client = await database.connect();
  try {
    // Anybody who may connect can hold such a lock: it is waited for only where there is something to do.
    const [next] = dueMigrations(await readApplied((text) => client.query(text)), files, VERSION);
    if (next === undefined && !mends) return [];
    const refusal = await findRefusal(client);
    if (refusal !== undefined) {
      if (next === undefined) return [];
      throw new TerminalError(`The database lacks ${next.name}, which ${refusal}`);
    }
    // A pooler has no sessions: settings and lock last no longer than the transaction.
    await client.query(BEGIN);
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
    const applied = await readAppliedOrEmpty(client);
    const result = await applyDue(client, dueMigrations(applied, files, VERSION), files);
    const refused = await client.query<{ statement: string }>('SELECT ops.grant_to_roles() AS statement');
    await client.query('COMMIT');
    if (refused.rows.length > 0) onRefused(refused.rows.map(({ statement }) => statement));
    return result;
  } finally {
    // Ends a transaction that is still open, too.
    await client.end();
  }
}

/** @returns who may apply migrations, if this user may not */
async function findRefusal(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ user: string; owner: string | null; may: boolean; db: string }>(
    `SELECT current_user AS user, o.owner::regrole::text AS owner, current_database() AS db,
       coalesce(pg_has_role(o.owner, 'USAGE'), has_database_privilege(current_database(), 'CREATE')) AS may
     FROM (SELECT (SELECT nspowner FROM pg_namespace WHERE nspname = 'ops') AS owner) o`,
  );
  const { user = '', owner = null, may = true, db = '' } = rows[0] ?? {};
  if (may) return undefined;
  const how =
    owner === null
      ? `run ${nextStep('apply migrations')} as the owner of the database, or have ${user} granted CREATE ON DATABASE ${db}`
      : `run ${nextStep('apply migrations')} as ${owner}, who owns the tables`;
  return `the user ${user} may not apply: ${how}`;
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
  due: readonly MigrationFile[],
  files: readonly MigrationFile[],
): Promise<readonly string[]> {
  const isView = ({ name }: MigrationFile) => name.startsWith(VIEWS);
  const first = due.filter((file) => !isView(file));
  for (const file of first) await apply(client, file);
  // New tables on a Citus, which takes them before any view reads them.
  await client.query('SELECT ops.distribute_tables()');
  // A migration drops a view that cannot be replaced, and those that read it: their files create them anew. So may have somebody else.
  const views = files.filter(isView);
  const lacking = await lackingViews(client, views);
  const applied = views.filter((view) => due.includes(view) || lacking.includes(viewOf(view)));
  for (const view of applied) {
    await apply(client, view);
    const own = [...view.sql.matchAll(/^COMMENT ON COLUMN \S+\.(\w+) IS/gm)].map(([, column]) => column);
    const name = viewOf(view);
    if (name.startsWith('bi')) await client.query('SELECT ops.describe_columns($1, $2)', [name, own]);
  }
  const names = (of: readonly MigrationFile[]) => of.map(({ name }) => name);
  // A migration removed what the functions and views were that have no file any more.
  if (first.some(({ name }) => !isRepeatable(name)))
    await client.query('DELETE FROM ops.migrations WHERE name <> ALL ($1)', [names(files)]);
  return names([...first, ...applied]);
}

/** The view that a file creates, with its schema. */
const viewOf = ({ name, sql }: MigrationFile) => /^\s*CREATE OR REPLACE VIEW (\S+)/m.exec(sql)?.[1] ?? name;

async function lackingViews(client: Client, views: readonly MigrationFile[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ view: string }>(
    'SELECT view FROM unnest($1::text[]) AS view WHERE to_regclass(view) IS NULL',
    [views.map(viewOf)],
  );
  return rows.map(({ view }) => view);
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
  const said = databaseSentence(error);
  return codeOf(error) === INVALID_TABLE_DEFINITION
    ? `${said}. A view can gain columns at its end only: write a numbered migration that drops it and those that read it`
    : said;
}
